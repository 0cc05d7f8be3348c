// Norm variants: construction by name, printed form, fresh state, outputs and gradients of forward, transform, inverse.
#include <sstream>

#include <reel/autograd/backward.hpp>
#include <reel/nn/norms.hpp>

#include "common/compare.hpp"
#include "oracle/module_cases.hpp"

namespace replay {

using namespace reel;

namespace {

std::string names_of(const json::array& list) {
    std::string text;
    for (const json::value& v : list) text += std::string(v.as_string()) + " ";
    return text;
}

class NormCase {
public:
    NormCase(const CaseFile& file, const json::object& data, nn::Module& module, MemoryLayout layout)
        : file_(file), data_(data), module_(module), rinorm_(module.as<nn::norms::RINorm>()), layout_(layout) {}

    /// The first thing that differs from the reference; empty when nothing does.
    std::string run() {
        if (std::string d = construction(); !d.empty()) return d;
        load();
        if (data_.contains("error")) return refusal();
        if (std::string d = call("0", [this](const Tensor& x) { return module_.call_values({Value(x)}).toTensor(); });
            !d.empty())
            return d;
        if (!rinorm_) return {};
        for (const auto& [name, field] : {std::pair("mean", &rinorm_->mean), std::pair("stdev", &rinorm_->stdev)}) {
            if (field->requires_grad()) return std::string(name) + " requires a gradient";
            if (std::string d = differs(name, *field); !d.empty()) return d;
        }
        if (file_.has("in.transform"))
            if (std::string d = call("transform", [this](const Tensor& x) { return rinorm_->transform(x); });
                !d.empty())
                return d;
        if (file_.has("in.inverse")) return call("inverse", [this](const Tensor& y) { return rinorm_->inverse(y); });
        return {};
    }

private:
    /// Outputs and statistics.
    std::string differs(const std::string& key, const Tensor& got) const {
        const Tensor want = file_.tensor(key);
        return described(key, difference(got, want, output_tolerance(want.scalar_type())));
    }
    /// Gradients of float32, for which there is no row, by that of its outputs.
    std::string gradient_differs(const std::string& key, const Tensor& got) const {
        const Tensor want = file_.tensor(key);
        const bool exact = want.scalar_type() == kDouble;
        return described(key,
                         difference(got, want, exact ? gradient_tolerance() : output_tolerance(want.scalar_type())));
    }
    static std::string described(const std::string& key, const std::string& what) {
        return what.empty() ? what : key + ": " + what;
    }
    std::string construction() {
        std::string parameters, state;
        for (const auto& item : module_.named_parameters()) parameters += item.key() + " ";
        for (const auto& item : module_.state_dict()) state += item.key() + " ";
        if (const std::string want = names_of(data_.at("parameters").as_array()); parameters != want)
            return "parameters are " + parameters + ", expected " + want;
        if (const std::string want = names_of(data_.at("state_keys").as_array()); state != want)
            return "state keys are " + state + ", expected " + want;
        for (const auto& item : module_.named_parameters())
            if (const std::string key = "fresh." + item.key(); file_.has(key))
                // constructed in the default dtype, kept in that of the case
                if (std::string d = differs(key, item.value().detach().to(file_.tensor(key).scalar_type())); !d.empty())
                    return d;
        return {};
    }
    void load() {
        nn::StateDict state = module_.state_dict();
        for (const json::value& k : data_.at("state_keys").as_array()) {
            const std::string key(k.as_string());
            const Tensor t = file_.tensor("state." + key);
            module_.to(t.scalar_type());
            state.insert_or_assign(key, Value(t));
        }
        module_.load_state_dict(state);
    }
    std::string refusal() {
        const std::string method =
            data_.contains("before_forward") ? std::string(data_.at("before_forward").as_string()) : std::string("0");
        const Tensor x = lay_out(file_.tensor("in." + method), layout_);
        try {
            if (method == "inverse") rinorm_->inverse(x);
            else if (method == "transform") rinorm_->transform(x);
            else module_.call_values({Value(x)});
        } catch (const Error&) {
            return {};
        }
        return "returned, expected " + std::string(data_.at("error").as_string());
    }
    /// One call and its backward pass, whose gradients are those of that call alone.
    template <class F> std::string call(const std::string& name, F fn) {
        module_.zero_grad();
        const Tensor x = lay_out(file_.tensor("in." + name), layout_);
        x.requires_grad_();
        const Tensor y = fn(x);
        if (std::string d = differs("out." + name, y); !d.empty()) return d;
        autograd::backward({y}, {file_.tensor("cot." + name)});
        if (std::string d = gradient_differs("grad.in." + name, x.grad()); !d.empty()) return d;
        for (const auto& item : module_.named_parameters())
            if (const std::string key = "grad." + name + ".param." + item.key(); file_.has(key))
                if (std::string d = gradient_differs(key, item.value().grad()); !d.empty()) return d;
        return {};
    }

    const CaseFile& file_;
    const json::object& data_;
    nn::Module& module_;
    nn::norms::RINormImpl* rinorm_;
    MemoryLayout layout_;
};

/// Makes the module and runs the case; a case without a printed form is about the constructor alone.
std::string run_case(const CaseFile& file, const json::object& data, const std::string& name, Report& report) {
    ArgumentReader reader(file, MemoryLayout::contiguous);
    const Args args = reader.read_args(data.at("args"));
    const Kwargs kwargs = reader.read_kwargs(data.at("kwargs"));
    if (!data.contains("repr")) {
        try {
            nn::make_module(name, args, kwargs);
        } catch (const Error&) {
            return {};
        }
        return "was constructed, expected " + std::string(data.at("error").as_string());
    }
    const nn::ModulePtr module = nn::make_module(name, args, kwargs);
    if (auto* rinorm = module->as<nn::norms::RINorm>(); rinorm && data.contains("two_d"))
        rinorm->options.match_two_d(data.at("two_d").as_bool());
    std::ostringstream text;
    text << *module;
    if (text.str() != std::string(data.at("repr").as_string()))
        return "prints " + text.str() + ", expected " + std::string(data.at("repr").as_string());
    return NormCase(file, data, *module, report.options.layout).run();
}

void run_norms_file(const CaseFile& file, Report& report) {
    run_module_cases("norms", "norms.", file, report, [&](const json::object& data, const std::string& name, auto) {
        return run_case(file, data, name, report);
    });
}
const FilesIn norms("norms", run_norms_file);

} // namespace

} // namespace replay
