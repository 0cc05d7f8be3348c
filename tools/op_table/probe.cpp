#include "probe.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include <reel/autograd/cuda.hpp>
#include <reel/autograd/forward_ad.hpp>
#include <reel/autograd/node.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>

#include "properties/sample.hpp"

namespace op_table {

using namespace reel;
using autograd::variable_list;
using properties::Sample;
namespace fwd = autograd::forward_ad;

namespace {

constexpr std::size_t tried = 6; ///< samples per op; they differ in shapes and options, rarely in what the table shows

/// For an op that needs nothing but tensors and has no sample: numbers within (0, 1), where most functions are defined.
std::vector<const Sample*> plain_sample(std::string_view op) {
    static std::map<std::string, Sample, std::less<>> made;
    for (const ops::Schema& s : ops::registry().at(op).schemas) {
        Sample sample{std::string(op), "made from the schema", {}, {}, {}, false};
        for (const ops::Argument& a : s.arguments)
            if (a.type == "Tensor" && !a.has_default)
                sample.args.push_back(Value(reel::linspace(0.2, 0.8, 6, kDouble).reshape({2, 3})));
        const auto needs_more = [](const ops::Argument& a) { return a.type != "Tensor" && !a.has_default; };
        if (sample.args.empty() || std::any_of(s.arguments.begin(), s.arguments.end(), needs_more)) continue;
        return {&made.insert_or_assign(sample.op, std::move(sample)).first->second};
    }
    return {};
}
std::vector<const Sample*> samples_of(std::string_view op) {
    static const auto by_op = [] {
        std::map<std::string, std::vector<const Sample*>, std::less<>> map;
        for (const Sample& s : properties::samples()) { // a sample may call an op by another name of it
            const std::string& name = ops::registry().at(s.op).schemas.front().name;
            map[name].push_back(&s);
        }
        return map;
    }();
    const auto found = by_op.find(op);
    if (found == by_op.end()) return plain_sample(op);
    std::vector<const Sample*> some = found->second;
    some.resize(std::min(some.size(), tried));
    return some;
}
/// Does one of the samples go through `attempt` without an exception, answering true?
bool one_of(std::string_view op, const std::function<bool(const Sample&)>& attempt) {
    for (const Sample* s : samples_of(op)) try {
            if (attempt(*s)) return true;
        } catch (const std::exception&) {
        }
    return false;
}
bool holds_values(const Tensor& t) { return t.is_floating_point() || t.is_complex(); }

/// The call with its operands on the device. Some ops want places and lengths, which are integers, on the host.
variable_list run_there(const Sample& sample, const variable_list& operands, const Device& device) {
    const auto run = [&](bool integers_stay) {
        variable_list moved;
        for (const Tensor& t : operands)
            moved.push_back(integers_stay && t.scalar_type() == kLong ? t : t.detach().to(device));
        return sample.run_on(std::move(moved));
    };
    try {
        return run(false);
    } catch (const NotImplementedError&) {
        throw;
    } catch (const Error& e) {
        if (device.is_cpu() || e.msg().find("CPU") == std::string::npos) throw;
    }
    return run(true);
}
bool works_in(const Sample& sample, ScalarType dtype, const Device& device) {
    variable_list operands = sample.operands();
    if (operands.empty()) return false; // such ops are told the dtype
    // where nothing is floating the integers are the values
    const bool any = std::any_of(operands.begin(), operands.end(), [](const Tensor& t) { return holds_values(t); });
    for (Tensor& t : operands)
        if (holds_values(t) || !any) t = t.detach().to(dtype);
    try {
        return !run_there(sample, operands, device).empty();
    } catch (const LinAlgError&) { // the dtype is taken; what the sample becomes in it may be singular but for rounding
        return true;
    }
}
/// Of ops that are told the device, not shown one, the sample that tells them.
Sample told(const Sample& sample, const Device& device) {
    Sample s = sample;
    for (const ops::Schema& schema : ops::registry().at(s.op).schemas)
        for (const ops::Argument& a : schema.arguments)
            if ((a.name == "device" || a.type == "TensorOptions") && !s.call) s.kwargs["device"] = Value(device);
    return s;
}
/// The sample with `device` wherever it names one, maybe by a word.
Sample sent(const Sample& sample, const Device& device) {
    const auto names_one = [](const Value& v) { return v.isDevice() || (v.isString() && v.toStringRef() == "cpu"); };
    Sample s = sample;
    for (Value& v : s.args)
        if (names_one(v)) v = Value(device);
    for (const auto& [name, v] : sample.kwargs)
        if (names_one(v)) s.kwargs.set(name, Value(device));
    return s;
}
variable_list results_on(const Sample& sample, const Device& device) {
    const variable_list operands = sample.operands();
    return operands.empty() ? told(sample, device).run() : run_there(sent(sample, device), operands, device);
}
/// Lengths, and what is sent elsewhere, may come back on the host.
bool works_on(const Sample& sample, const Device& device) {
    const variable_list results = results_on(sample, device);
    const auto is_there = [&](const Tensor& t) { return !t.defined() || t.device().type() == device.type(); };
    return results.empty() || std::any_of(results.begin(), results.end(), is_there);
}

/// `f32 f64`, or the name of the group when all of it is there.
std::string grouped(const std::vector<ScalarType>& dtypes) {
    struct Group {
        const char* name;
        std::vector<std::pair<ScalarType, const char*>> members;
    };
    static const std::vector<Group> groups{
        {"bool", {{kBool, "bool"}}},
        {"integral", {{kByte, "u8"}, {kChar, "i8"}, {kShort, "i16"}, {kInt, "i32"}, {kLong, "i64"}}},
        {"floating", {{kHalf, "f16"}, {kBFloat16, "bf16"}, {kFloat, "f32"}, {kDouble, "f64"}}},
        {"complex", {{kComplexFloat, "c64"}, {kComplexDouble, "c128"}}}};
    std::string text;
    for (const Group& g : groups) {
        std::string some;
        std::size_t count = 0;
        for (const auto& [dtype, name] : g.members)
            if (std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end()) some += " ", some += name, ++count;
        text += count == g.members.size() ? std::string(" ") + g.name : some;
    }
    return text.empty() ? text : text.substr(1);
}

} // namespace

Row look_at_schemas(std::string_view op) {
    Row row;
    for (const ops::Schema& s : ops::registry().at(op).schemas) {
        row.schemas.push_back(s.text);
        const char* declared = s.gradient == ops::Gradient::Rule        ? "rule"
                               : s.gradient == ops::Gradient::Composite ? "composite"
                                                                        : "none";
        if (row.declared.find(declared) == std::string::npos)
            row.declared += (row.declared.empty() ? "" : ", ") + std::string(declared);
    }
    row.sampled = !samples_of(op).empty();
    return row;
}

void look_at_gradient(Row& row, std::string_view op) {
    const auto differentiable = [](const Sample& s) {
        const std::vector<bool> wanted = properties::differentiable_operands(s);
        return std::find(wanted.begin(), wanted.end(), true) != wanted.end();
    };
    one_of(op, [&](const Sample& s) {
        if (!differentiable(s)) return false;
        for (const Tensor& t : s.run_on(properties::leaves(s.operands(), properties::differentiable_operands(s))))
            if (t.defined() && t.grad_fn()) {
                row.node = t.grad_fn()->name();
                return true;
            }
        return false;
    });
    row.forward = !row.node.empty() && one_of(op, [&](const Sample& s) {
        if (!differentiable(s)) return false;
        const fwd::DualLevel level;
        const std::vector<bool> wanted = properties::differentiable_operands(s);
        variable_list operands = s.operands();
        for (std::size_t i = 0; i < operands.size(); ++i)
            if (wanted[i]) operands[i] = fwd::make_dual(operands[i].detach().clone(), reel::ones_like(operands[i]));
        const variable_list results = s.run_on(operands);
        return std::any_of(results.begin(), results.end(), [](const Tensor& t) {
            return t.defined() && holds_values(t) && fwd::unpack_dual(t).tangent.defined();
        });
    });
}

void look_at_dtypes(Row& row, std::string_view op) {
    const NoGradGuard no_grad;
    std::vector<ScalarType> taken, left_out;
    for (const ScalarType dtype :
         {kBool, kByte, kChar, kShort, kInt, kLong, kHalf, kBFloat16, kFloat, kDouble, kComplexFloat, kComplexDouble}) {
        const auto works = [&](const Device& d) {
            return one_of(op, [&](const Sample& s) { return works_in(s, dtype, d); });
        };
        if (!works(kCPU)) continue;
        taken.push_back(dtype);
        if (cuda::is_available() && !works(kCUDA)) left_out.push_back(dtype);
    }
    row.dtypes = grouped(taken);
    row.not_on_cuda = grouped(left_out);
}

void look_at_device(Row& row, std::string_view op, std::string_view device) {
    if (device == "cuda" && !cuda::is_available()) return;
    const NoGradGuard no_grad;
    const Device d{std::string(device)};
    if (one_of(op, [&](const Sample& s) { return works_on(s, d); }))
        row.devices += (row.devices.empty() ? "" : " ") + std::string(device);
    else if (device == "cuda" && row.devices.find("cpu") != std::string::npos)
        row.refused_on_cuda = !one_of(op, [&](const Sample& s) { return results_on(s, d), true; });
    if (device == "cuda" && !row.not_on_cuda.empty()) row.devices += " (not " + row.not_on_cuda + ")";
}

} // namespace op_table
