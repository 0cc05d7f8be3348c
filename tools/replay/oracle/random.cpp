// The random streams: calls made one after the other on a freshly seeded CPU generator.
#include <functional>
#include <optional>

#include <reel/autograd/generator.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/nn/factory.hpp>
#include <reel/nn/init.hpp>

#include "common/compare.hpp"
#include "oracle/report.hpp"

namespace replay {

using namespace reel;

namespace {

/// A call of an op that may not exist yet.
std::optional<Value> call_op(const char* name, const Args& args, const Kwargs& kwargs = {}) {
    const ops::Op* op = ops::registry().find(name);
    if (!op) return std::nullopt;
    return op->call(args, kwargs);
}
std::optional<Tensor> initialised(const std::string& name, const Tensor& t, const Kwargs& options) {
    const auto number = [&](std::string_view key, double fallback) {
        const Value* v = options.find(key);
        return v ? v->toDouble() : fallback;
    };
    if (name == "uniform_") return nn::init::uniform_(t, number("a", 0), number("b", 1));
    if (name == "normal_") return nn::init::normal_(t, number("mean", 0), number("std", 1));
    if (name == "kaiming_uniform_") return nn::init::kaiming_uniform_(t, number("a", 0));
    if (name == "kaiming_normal_") return nn::init::kaiming_normal_(t, number("a", 0));
    if (name == "xavier_uniform_") return nn::init::xavier_uniform_(t, number("gain", 1));
    if (name == "xavier_normal_") return nn::init::xavier_normal_(t, number("gain", 1));
    if (name == "trunc_normal_")
        return nn::init::trunc_normal_(t, number("mean", 0), number("std", 1), number("a", -2), number("b", 2));
    if (name == "orthogonal_") return nn::init::orthogonal_(t, number("gain", 1));
    return std::nullopt;
}

/// What one call returned, or nothing when the library cannot make it yet.
std::optional<std::vector<Tensor>> run_call(const std::string& name, Kwargs kwargs) {
    const auto take = [&](std::string_view key) {
        Value v;
        if (const Value* found = kwargs.find(key)) v = *found;
        kwargs.erase(key);
        return v;
    };
    if (Value* dtype = kwargs.find(std::string_view("dtype")); dtype && dtype->isString())
        *dtype = dtype->toStringRef() == "float64" ? kDouble : kFloat;
    const auto one = [](std::optional<Value> v) -> std::optional<std::vector<Tensor>> {
        if (!v) return std::nullopt;
        return std::vector<Tensor>{v->toTensor()};
    };
    if (nn::has_module(name)) {
        const Value args = take("args");
        const nn::ModulePtr module = nn::make_module(name, args.isNone() ? Args{} : args.elements(), kwargs);
        return module->parameters();
    }
    if (name.ends_with("_")) {
        const Value size = take("size");
        if (const auto t = initialised(name, reel::empty(size.toIntVector()), kwargs)) return std::vector<Tensor>{*t};
        return std::nullopt;
    }
    if (name == "rand" || name == "randn" || name == "randint" || name == "randperm")
        return one(call_op(name.c_str(), {}, kwargs));
    if (name == "bernoulli") {
        const Value p = take("p"), size = take("size");
        return one(call_op("bernoulli_", {reel::empty(size.toIntVector()), p}));
    }
    if (name == "dropout")
        return one(
            call_op("nn.functional.dropout", {reel::ones(kwargs.at("size").toIntVector())}, {{"p", kwargs.at("p")}}));
    if (name == "multinomial") {
        const std::vector<double> weights = kwargs.at("weights").toDoubleVector();
        Tensor w = reel::empty({std::int64_t(weights.size())}, kFloat);
        std::copy(weights.begin(), weights.end(), w.data_ptr<float>());
        return one(call_op("multinomial", {w, kwargs.at("n"), kwargs.at("replacement")}));
    }
    const Tensor t = reel::empty(kwargs.find(std::string_view("size")) ? kwargs.at("size").toIntVector()
                                                                       : std::vector<std::int64_t>{});
    if (name == "normal") return one(call_op("normal_", {t, kwargs.at("mean"), kwargs.at("std")}));
    if (name == "uniform") return one(call_op("uniform_", {t, kwargs.at("a"), kwargs.at("b")}));
    if (name == "exponential") return one(call_op("exponential_", {t, kwargs.at("lambd")}));
    return std::nullopt;
}

std::string compare(const CaseFile& file, const json::array& outputs, const std::vector<Tensor>& got) {
    if (got.size() != outputs.size()) return str(got.size(), " results, expected ", outputs.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        const Tensor want = file.tensor(std::string(outputs[i].as_string()));
        const Tolerance tolerance = isFloatingType(want.scalar_type()) ? Tolerance{1e-6, 1e-5, false} : Tolerance{};
        if (std::string d = difference(got[i].detach(), want, tolerance); !d.empty()) return d;
    }
    return {};
}

} // namespace

static void run_random_file(const CaseFile& file, Report& report) {
    for (const json::value& value : file.cases()) {
        const json::object& data = value.as_object();
        const json::array& calls = data.at("calls").as_array();
        Counts& counts = report.kinds["random"][file.stem()];
        counts.cases += int(calls.size());
        manual_seed(std::uint64_t(data.at("seed").to_number<std::int64_t>()));
        ArgumentReader reader(file, MemoryLayout::contiguous);
        for (std::size_t i = 0; i < calls.size(); ++i) {
            const json::object& call = calls[i].as_object();
            const std::string name(call.at("call").as_string());
            std::string problem;
            try {
                const auto got = run_call(name, reader.read_kwargs(call.at("kwargs")));
                if (!got) { // one stream: what follows cannot be right
                    counts.unsupported += int(calls.size() - i);
                    break;
                }
                problem = compare(file, call.at("outputs").as_array(), *got);
            } catch (const std::exception& e) {
                problem = std::string("threw: ") + e.what();
            }
            if (problem.empty()) ++counts.passed;
            else {
                ++counts.failed;
                report.failure("random/" + file.stem(), i, name + ": " + problem);
            }
        }
    }
}

static const FilesIn random_files("random", run_random_file);

} // namespace replay
