// Module cases: construction by name, printed form, outputs, gradients, state, evaluation mode.
#include <sstream>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/nn/module.hpp>

#include "common/compare.hpp"
#include "oracle/module_cases.hpp"

namespace replay {

using namespace reel;
using autograd::variable_list;

namespace {

std::string compare(const CaseFile& file, const std::string& key, const Tensor& got) {
    const Tensor want = file.tensor(key);
    const std::string d = difference(got, want, module_tolerance(want.scalar_type()));
    return d.empty() ? d : key + ": " + d;
}

std::string compare_outputs(const CaseFile& file, const std::string& prefix, const Value& result,
                            std::vector<Tensor>& outputs) {
    outputs.clear();
    flatten_tensors(result, outputs);
    std::size_t n = 0;
    while (file.has(prefix + std::to_string(n))) ++n;
    if (n != outputs.size()) return str(prefix, ": ", outputs.size(), " outputs, expected ", n);
    for (std::size_t i = 0; i < n; ++i)
        if (std::string d = compare(file, prefix + std::to_string(i), outputs[i]); !d.empty()) return d;
    return {};
}

std::string names_of(const json::array& list) {
    std::string text;
    for (const json::value& v : list) text += std::string(v.as_string()) + " ";
    return text;
}

std::string run_case(const CaseFile& file, const json::object& data, nn::Module& module, MemoryLayout layout) {
    std::string parameters, state_names;
    for (const auto& item : module.named_parameters()) parameters += item.key() + " ";
    if (parameters != names_of(data.at("parameters").as_array()))
        return "parameters are " + parameters + ", expected " + names_of(data.at("parameters").as_array());
    nn::StateDict state = module.state_dict();
    for (const auto& item : state) state_names += item.key() + " ";
    if (state_names != names_of(data.at("state_keys").as_array()))
        return "state keys are " + state_names + ", expected " + names_of(data.at("state_keys").as_array());
    bool floating = false;
    for (const json::value& k : data.at("state_keys").as_array()) {
        const std::string key(k.as_string());
        const Tensor t = file.tensor("state." + key);
        if (t.scalar_type() == kDouble && !floating) {
            module.to(kDouble);
            floating = true;
            state = module.state_dict();
        }
        state.insert_or_assign(key, Value(t));
    }
    module.load_state_dict(state);

    Args inputs;
    std::vector<Tensor> leaves;
    const json::array& wants = data.at("requires_grad").as_array();
    for (std::size_t i = 0; file.has("in." + std::to_string(i)); ++i) {
        Tensor t = lay_out(file.tensor("in." + std::to_string(i)), layout);
        if (i < wants.size() && wants[i].as_bool()) t.requires_grad_();
        leaves.push_back(t);
        inputs.emplace_back(t);
    }
    std::vector<Tensor> outputs;
    const Value result = module.call_values(inputs);
    if (std::string d = compare_outputs(file, "out.", result, outputs); !d.empty()) return d;
    variable_list roots, seeds;
    for (const auto& [index, key] : data.at("cotangents").as_object()) {
        roots.push_back(outputs.at(std::stoul(std::string(index))));
        seeds.push_back(file.tensor(std::string(key.as_string())));
    }
    if (!roots.empty()) autograd::backward(roots, seeds);
    for (std::size_t i = 0; i < leaves.size(); ++i)
        if (const std::string key = "grad.in." + std::to_string(i); file.has(key))
            if (std::string d = compare(file, key, leaves[i].grad()); !d.empty()) return d;
    for (const auto& item : module.named_parameters())
        if (const std::string key = "grad.param." + item.key(); file.has(key))
            if (std::string d = compare(file, key, item.value().grad()); !d.empty()) return d;
    for (const auto& item : module.state_dict())
        if (const std::string name = "after." + item.key(); file.has(name))
            if (std::string d = compare(file, name, item.value().toTensor()); !d.empty()) return d;
    module.eval();
    return compare_outputs(file, "eval.", module.call_values(inputs), outputs);
}

} // namespace

static void run_modules_file(const CaseFile& file, Report& report) {
    run_module_cases(
        "modules", "", file, report, [&](const json::object& data, const std::string& name, std::size_t index) {
            ArgumentReader reader(file, MemoryLayout::contiguous);
            const nn::ModulePtr module =
                nn::make_module(name, reader.read_args(data.at("args")), reader.read_kwargs(data.at("kwargs")));
            std::ostringstream text;
            text << *module;
            const std::string expected(data.at("repr").as_string());
            report.repr.add(text.str() == expected);
            if (text.str() != expected)
                report.failure("modules/" + file.stem(), index, "prints " + text.str() + ", expected " + expected);
            return run_case(file, data, *module, report.options.layout);
        });
}

static const FilesIn modules_files("modules", run_modules_file);

} // namespace replay
