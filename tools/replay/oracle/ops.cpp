// Op cases: forward, in-place form, refused inputs, gradients, second gradients, forward mode.
#include <cmath>
#include <set>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>

#include "common/compare.hpp"
#include "oracle/report.hpp"

namespace replay {

using namespace reel;
using autograd::variable_list;

namespace {

/// One case under way. Each `check_*` returns an empty text or what was wrong.
class OpCase {
public:
    OpCase(const CaseFile& file, const json::object& data, const ops::Op& op, MemoryLayout layout, Device device)
        : file_(file), data_(data), op_(op), layout_(layout), device_(device), reader_(file, layout, device) {
        args_ = reader_.read_args(data.at("args"));
        kwargs_ = reader_.read_kwargs(data.at("kwargs"));
        // An op that only exists in place (`zero_`) is recorded on a copy of its operand.
        if (op.name.ends_with('_') && !args_.empty() && args_[0].isTensor())
            args_[0] = Value(args_[0].toTensor().clone());
    }

    /// Were the results compared by their places alone, since the device draws other numbers?
    bool drawn_elsewhere() const { return drawn_elsewhere_; }
    bool expects_error() const { return data_.if_contains("error"); }
    std::string check_refused() {
        try {
            op_.call(args_, kwargs_);
        } catch (const Error&) {
            return {};
        } catch (const std::exception& e) {
            return std::string("threw ") + e.what() + ", which is not a reel::Error";
        }
        return "was not refused; the reference throws " + std::string(data_.at("error").as_string());
    }

    std::string check_forward() {
        manual_seed(42); // the reference was drawn so, call by call (attention with dropout)
        const auto state_there = [&] { return reel::detail::default_generator(device_).get_state(); };
        const Tensor state = device_.is_cpu() ? Tensor() : state_there();
        const Value result = call();
        // A device draws other numbers (doc/adr/0068): there is nothing to compare but where the results are.
        drawn_elsewhere_ = state.defined() && !state.equal(state_there());
        if (drawn_elsewhere_) {
            flatten_tensors(result, outputs_);
            return check_place();
        }
        if (const json::value* expected = data_.if_contains("result")) {
            const Value want = reader_.read(*expected);
            const bool same = want.isBool() ? result.isBool() && result.toBool() == want.toBool()
                                            : result.isScalar() && result.toDouble() == want.toDouble();
            return same ? std::string() : "result " + result.repr() + ", expected " + want.repr();
        }
        flatten_tensors(result, outputs_);
        if (const std::string d = check_place(); !d.empty()) return d;
        const json::array& expected = data_.at("outputs").as_array();
        if (outputs_.size() != expected.size()) return str(outputs_.size(), " outputs, expected ", expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const Tensor want = file_.tensor(std::string(expected[i].as_string()));
            const std::string d = difference(outputs_[i], want, output_tolerance(want.scalar_type()));
            if (!d.empty()) return str("output ", i, ": ", d);
        }
        return {};
    }

    bool has_inplace() const { return !drawn_elsewhere_ && data_.at("inplace").as_bool(); }
    std::string check_inplace() {
        const bool only = op_.name.ends_with('_');
        if (!only && !op_.has_inplace()) return "in-place: there is no in-place form";
        Args args = args_;
        const bool recorded = layout_ == MemoryLayout::contiguous;
        Tensor target = recorded ? args[0].toTensor().clone() : lay_out(args[0].toTensor(), layout_);
        args[0] = Value(target);
        const Tensor want = file_.tensor(std::string(data_.at("outputs").as_array().at(0).as_string()));
        // A result of another dtype or shape cannot be written back; some forms (transpose_) change the shape, though.
        const bool fits = target.scalar_type() == want.scalar_type() && target.sizes().equals(want.sizes());
        const AutoGradMode mode(recorded);
        try {
            only ? op_.call(args, kwargs_) : op_.call_inplace(args, kwargs_);
        } catch (const Error&) {
            if (fits) throw;
            return {};
        }
        // Written where it was, the result takes the operand's dtype: `eq_` leaves zeros and ones.
        const std::string d = difference(target, want.to(target.scalar_type()), output_tolerance(target.scalar_type()));
        return d.empty() ? d : "in-place: " + d;
    }

    bool has_backward() const { return !drawn_elsewhere_ && data_.if_contains("grads") != nullptr; }
    std::string check_backward() {
        if (std::string d = take_grads(false); !d.empty()) return "backward: " + d;
        if (const std::string d = compare_grads(); !d.empty()) return "backward: " + d;
        return {};
    }

    bool has_double_backward() const { return !drawn_elsewhere_ && data_.if_contains("grad_grads") != nullptr; }
    std::string check_double_backward() {
        if (std::string d = take_grads(true); !d.empty()) return "recorded backward: " + d;
        // A first gradient that differs as listed was judged before.
        if (const std::string d = compare_grads(); !d.empty() && !first_gradient_differs)
            return "recorded backward: " + d;
        variable_list roots, seeds, inputs;
        for (const auto& [key, cotangent] : data_.at("grad_cotangents").as_object()) {
            const Tensor& g = grads_.at(std::string(key));
            if (!g.defined()) return str("double backward: the gradient of ", std::string(key), " is undefined");
            if (!g.requires_grad()) continue; // constant: contributes nothing, as the comparison below checks
            roots.push_back(g);
            seeds.push_back(there(cotangent));
        }
        const json::object& expected = data_.at("grad_grads").as_object();
        for (const auto& [key, want] : expected) inputs.push_back(reader_.tensors().at(std::string(key)));
        const variable_list got =
            roots.empty() ? variable_list(inputs.size()) : autograd::grad(roots, inputs, seeds, true, false, true);
        std::size_t i = 0;
        for (const auto& [key, want] : expected) {
            const std::string d = compare_gradient(got[i++], want);
            if (!d.empty()) return str("double backward: ", std::string(key), ": ", d);
        }
        return {};
    }

    bool first_gradient_differs = false; ///< from the reference, and is listed so

    bool has_jvp() const { return !drawn_elsewhere_ && data_.if_contains("jvps") != nullptr; }
    /// Two backward passes: the gradient is linear in the cotangent, so its gradient there is the tangent.
    std::string check_jvp() {
        variable_list inputs, tangents;
        for (const auto& [key, tangent] : data_.at("tangents").as_object()) {
            inputs.push_back(reader_.tensors().at(std::string(key)));
            tangents.push_back(there(tangent));
        }
        const json::array& expected = data_.at("jvps").as_array();
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const bool live = outputs_[i].requires_grad();
            if (expected[i].is_null()) {
                if (live && isDifferentiableType(outputs_[i].scalar_type()) &&
                    !data_.at("cotangents").as_object().contains(std::to_string(i)))
                    continue;
                continue;
            }
            if (!live) throw Error(str("jvp: output ", i, " does not require grad"));
            const Tensor dummy = zeros_like(outputs_[i]).detach().requires_grad_();
            const variable_list g = autograd::grad({outputs_[i]}, inputs, {dummy}, true, true, true);
            variable_list roots, seeds;
            for (std::size_t k = 0; k < g.size(); ++k)
                if (g[k].defined() && g[k].requires_grad()) {
                    roots.push_back(g[k]);
                    seeds.push_back(tangents[k].to(g[k].scalar_type()));
                }
            Tensor tangent;
            if (!roots.empty()) tangent = autograd::grad(roots, {dummy}, seeds, true, false, true)[0];
            if (!tangent.defined()) tangent = zeros_like(outputs_[i]).detach();
            const Tensor want = file_.tensor(std::string(expected[i].as_string()));
            const std::string d = difference(tangent, want, gradient_tolerance());
            if (!d.empty()) return str("jvp ", i, ": ", d);
        }
        return {};
    }

private:
    /// A tensor of the file, where the operands are.
    Tensor there(const json::value& key) const { return file_.tensor(std::string(key.as_string())).to(device_); }
    /// Empty when the results are where the operands are. Bounds of a range are numbers, wherever they are.
    std::string check_place() const {
        if (op_.name == "linspace" || op_.name == "logspace") return {};
        if (reader_.tensors().empty()) return {};
        for (std::size_t i = 0; i < outputs_.size(); ++i)
            if (outputs_[i].device().type() != device_.type())
                return str("output ", i, " is on ", outputs_[i].device(), ", the operands on ", device_);
        return {};
    }
    /// One variant is more than a call: the matrix is the product of two thin ones, so it stays singular when the
    /// inputs move.
    Value call() const {
        if (op_.name != "linalg.pinv" || data_.at("variant").as_string() != "singular") return op_.call(args_, kwargs_);
        return op_.call({matmul(args_[0].toTensor(), transpose(args_[1].toTensor(), -2, -1))}, kwargs_);
    }
    std::string take_grads(bool create_graph) {
        variable_list roots, seeds, inputs;
        for (const auto& [index, key] : data_.at("cotangents").as_object()) {
            const auto i = std::size_t(std::stoul(std::string(index)));
            if (!outputs_.at(i).requires_grad()) throw Error(str("output ", i, " does not require grad"));
            roots.push_back(outputs_[i]);
            seeds.push_back(there(key));
        }
        const json::object& expected = data_.at("grads").as_object();
        for (const auto& [key, want] : expected) inputs.push_back(reader_.tensors().at(std::string(key)));
        const variable_list got = autograd::grad(roots, inputs, seeds, true, create_graph, true);
        grads_.clear();
        std::size_t i = 0;
        for (const auto& [key, want] : expected) grads_[std::string(key)] = got[i++];
        return {};
    }
    std::string compare_grads() const {
        for (const auto& [key, want] : data_.at("grads").as_object()) {
            const std::string d = compare_gradient(grads_.at(std::string(key)), want);
            if (!d.empty()) return str("gradient of ", std::string(key), ": ", d);
        }
        return {};
    }
    /// An undefined gradient and one of zeros mean the same where the reference has zeros.
    std::string compare_gradient(const Tensor& got, const json::value& want) const {
        if (want.is_null()) {
            if (!got.defined()) return {};
            const NoGradGuard no_grad;
            return got.detach().abs().sum().item<double>() == 0 ? std::string() : "defined, expected none";
        }
        const Tensor expected = file_.tensor(std::string(want.as_string()));
        if (!got.defined()) return difference(zeros_like(expected), expected, gradient_tolerance());
        return difference(got, expected, gradient_tolerance());
    }

    const CaseFile& file_;
    const json::object& data_;
    const ops::Op& op_;
    MemoryLayout layout_;
    Device device_;
    bool drawn_elsewhere_ = false;
    ArgumentReader reader_;
    Args args_;
    Kwargs kwargs_;
    std::vector<Tensor> outputs_;
    std::map<std::string, Tensor> grads_;
};

/// Ops whose result is defined by how their operands lie in memory: they run contiguous under every layout.
bool defined_by_memory(const std::string& op) {
    static const std::set<std::string> names{"as_strided", "as_strided_copy", "as_strided_scatter", "view",
                                             "view_as",    "view_as_complex", "view_copy"};
    return names.contains(op);
}

/// Runs the aspects of one case in their order and compares each with the reference, or with what is listed.
class CaseRun {
public:
    CaseRun(const CaseFile& file, std::size_t index, const json::object& data, Report& report)
        : file_(file), data_(data), index_(index), report_(report) {}

    void run(const ops::Op& op, MemoryLayout layout) {
        OpCase c(file_, data_, op, layout, report_.options.device);
        if (c.expects_error()) {
            step("refused", report_.refused, [&] { return c.check_refused(); });
            return;
        }
        step("forward", report_.forward, [&] { return c.check_forward(); });
        report_.drawn_elsewhere += c.drawn_elsewhere();
        if (c.has_inplace()) step("in place", report_.inplace, [&] { return c.check_inplace(); });
        if (c.has_backward())
            c.first_gradient_differs = step("backward", report_.backward, [&] { return c.check_backward(); });
        if (c.has_jvp()) step("jvp", report_.jvp, [&] { return c.check_jvp(); });
        if (c.has_double_backward())
            step("double-backward", report_.double_backward, [&] { return c.check_double_backward(); });
    }
    std::string problem;  ///< empty when everything was as expected
    std::string missing;  ///< what the device has no kernel for, when that is why the case stopped
    bool differs = false; ///< some aspect differs as listed

private:
    /// True when the aspect differs as listed. Later aspects need the outputs: after a failure they count as failed.
    template <class Check> bool step(const char* aspect, Tally& tally, Check check) {
        if (!problem.empty()) {
            if (missing.empty()) tally.add(false);
            return false;
        }
        std::string found;
        try {
            found = check();
        } catch (const NotImplementedError& e) {
            problem = std::string("threw: ") + e.what();
            // of the CPU every kernel is expected
            if (!report_.options.device.is_cpu()) missing = e.what();
            else tally.add(false);
            return false;
        } catch (const std::exception& e) {
            problem = std::string("threw: ") + e.what();
            tally.add(false);
            return false;
        }
        tally.add(found.empty());
        const bool listed = report_.differences.lists(file_, index_, data_, aspect, !found.empty());
        if (found.empty()) return false;
        if (!listed) problem = found;
        differs |= listed;
        return listed;
    }

    const CaseFile& file_;
    const json::object& data_;
    std::size_t index_;
    Report& report_;
};

} // namespace

static void run_ops_file(const CaseFile& file, Report& report) {
    Counts& counts = report.kinds["ops"][file.stem()];
    bool all = true;
    for (std::size_t index = 0; index < file.cases().size(); ++index) {
        const json::object& data = file.cases()[index].as_object();
        const std::string name(data.at("op").as_string());
        ++counts.cases;
        const ops::Op* op = ops::registry().find(name);
        if (!op) {
            ++counts.unsupported;
            ++report.unsupported_op_cases;
            all = false;
            continue;
        }
        CaseRun c(file, index, data, report);
        try {
            c.run(*op, defined_by_memory(name) ? MemoryLayout::contiguous : report.options.layout);
        } catch (const std::exception& e) {
            c.problem = std::string("cannot read the case: ") + e.what();
        }
        if (c.problem.empty()) {
            ++counts.passed;
            counts.as_listed += c.differs;
        } else if (!c.missing.empty()) {
            ++counts.unsupported;
            ++report.unsupported_op_cases;
            ++report.missing[c.missing];
        } else {
            ++counts.failed;
            report.failure("ops/" + file.stem(), index,
                           std::string(data.at("dtype").as_string()) + ": " + c.problem +
                               (report.options.verbose ? " [inputs " + digest(file, data) + "]" : ""));
        }
    }
    if (!all) return;
    const bool partial = report.options.layout != MemoryLayout::contiguous || !report.options.device.is_cpu();
    for (const std::string& wrong : report.differences.stale(file, partial)) report.stale_entry(wrong);
    report.entries_for_other_inputs += report.differences.for_other_inputs(file);
}

static const FilesIn ops_files("ops", run_ops_file);

} // namespace replay
