// Model files of published packages, where somebody unpacked them: the cases hold what they give, not the files.
#include <cmath>
#include <filesystem>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/script/load_save.hpp>
#include <reel/serialize/safetensors.hpp>

#include "script/cases.hpp"
#include "script/module_checks.hpp"
#include "script/runs.hpp"

namespace replay::script {

using namespace reel;

namespace {
namespace fs = std::filesystem;
constexpr Closeness close{true};

std::string text(const json::value& v) { return std::string(v.as_string()); }

/// A row: name, dtype, shape, sum, largest magnitude, first three elements.
void check_row(Case& c, const Tensor& t, const json::array& row) {
    const std::string where = "state_dict " + text(row[0]);
    c.check(dtype_name(t.scalar_type()) == text(row[1]), where, str("is ", t.scalar_type(), ", not ", text(row[1])));
    std::vector<std::int64_t> shape;
    for (const json::value& n : row[2].as_array()) shape.push_back(n.to_number<std::int64_t>());
    if (t.sizes().vec() != shape) return c.fail(where, str("has the shape ", t.sizes()));
    const Tensor all = t.detach().to(kDouble).flatten();
    const double sum = row[3].to_number<double>(), largest = row[4].to_number<double>();
    const double ours = all.numel() ? all.abs().max().item<double>() : 0;
    const double room = 1e-9 * std::max(1.0, largest * double(all.numel()));
    c.check(std::abs(ours - largest) <= room, where, str("largest magnitude ", ours, ", expected ", largest));
    c.check(std::abs(all.sum().item<double>() - sum) <= room, where,
            str("sum ", all.sum().item<double>(), ", expected ", sum));
    for (std::size_t i = 0; i < row[5].as_array().size(); ++i)
        c.check(all[std::int64_t(i)].item<double>() == row[5].as_array()[i].to_number<double>(), where,
                str("element ", i, " is ", all[std::int64_t(i)].item<double>()));
}
/// `first` once, then the calls one after the other on one module.
void check_calls(Case& c, const std::string& where, const jit::Module& module, const json::object& run,
                 const Values& values) {
    module.eval();
    if (const auto* first = run.if_contains("first")) module.run_method(text(*first));
    std::size_t i = 0;
    for (const json::value& v : run.at("consecutive").as_array()) {
        const json::object& call = v.as_object();
        Args args;
        for (const json::value& a : call.at("args").as_array()) args.push_back(read_value(a, values, *module->unit()));
        const IValue output = module.get_method(text(run.at("method")))(args);
        const std::string d = difference(output, call.at("output"), values, close);
        c.check(d.empty(), str(where, " call ", i++), d);
    }
}
void check_script(Case& c, const std::string& file, const json::object& expected, const Values& values) {
    const jit::Module module = jit::load(file);
    check_module(c, module, expected, values, close);
    const nn::StateDict state = module.state_dict();
    for (const json::value& row : expected.at("state_dict").as_array()) {
        const IValue* v = state.find(text(row.as_array()[0]));
        if (v) check_row(c, v->toTensor(), row.as_array());
        else c.fail("state_dict " + text(row.as_array()[0]), "is not there");
    }
    const NoGradGuard no_grad; // as the goldens were made: weights of published archives require gradients
    std::size_t i = 0;
    for (const json::value& v : expected.at("runs").as_array()) {
        const json::object& run = v.as_object();
        const std::string where = str("run ", i++);
        const jit::Module fresh = jit::load(file);
        if (run.contains("consecutive")) check_calls(c, where, fresh, run, values);
        else check_run(c, where, fresh, run, values, close);
    }
}
void check_weights(Case& c, const std::string& file, const json::object& expected) {
    const serialize::SafetensorsFile weights(file);
    for (const json::value& row : expected.at("state_dict").as_array())
        check_row(c, weights.tensor(text(row.as_array()[0])), row.as_array());
}
} // namespace

void run_real(const fs::path& file, Report& report) {
    const json::value whole = read_json(file);
    for (const json::value& v : whole.as_object().at("files").as_array()) {
        const json::object& expected = v.as_object();
        Case c(report, "real", file.stem().string());
        const fs::path model = fs::path(report.options.real_folder) / text(expected.at("file"));
        if (report.options.real_folder.empty() || !fs::exists(model)) {
            c.unsupported();
            continue;
        }
        try {
            const auto size = expected.at("size").to_number<std::uint64_t>();
            c.check(fs::file_size(model) == size, "size", str(fs::file_size(model), " bytes, expected ", size));
            const Values values(fs::path(file).replace_extension(".safetensors"));
            if (expected.contains("methods")) check_script(c, model.string(), expected, values);
            else check_weights(c, model.string(), expected);
        } catch (const std::exception& e) {
            c.fail("load", e.what());
        }
    }
}

} // namespace replay::script
