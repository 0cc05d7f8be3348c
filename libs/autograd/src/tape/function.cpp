// Custom functions: running them and putting them on the tape.
#include <boost/core/demangle.hpp>

#include <algorithm>

#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>

#include "tape/autograd_meta.hpp"
#include "tape/function_node.hpp"
#include "tape/inplace.hpp"
#include "tape/modes.hpp"
#include "tensor/raw.hpp"

namespace reel::autograd {

namespace {

bool contains(const variable_list& list, const Tensor& t) {
    return std::any_of(list.begin(), list.end(), [&](const Tensor& o) { return o.is_same(t); });
}

/// What stands behind the gradients of a once-differentiable function: differentiating it is the error (E-71).
class OnceDifferentiableError final : public Node {
public:
    explicit OnceDifferentiableError(std::string function) : function_(std::move(function)) {}
    std::string name() const override { return "OnceDifferentiableError"; }
    GradList apply(GradList&&) override {
        REEL_THROW(Error, function_, " is marked once_differentiable: its backward cannot be differentiated again");
    }

private:
    std::string function_;
};

} // namespace

// --- AutogradContext
// --------------------------------------------------------------------------------------------------

void AutogradContext::save_for_backward(variable_list tensors) { node_.to_save_ = std::move(tensors); }
variable_list AutogradContext::get_saved_variables() const {
    variable_list r;
    if (const auto saved = node_.saved())
        for (const SavedVariable& s : *saved) r.push_back(s.unpack(&node_));
    if (node_.clear_on_access_) node_.drop_saved();
    return r;
}
namespace {
void check_marked(const Node& node, const char* what, const variable_list& tensors) {
    for (std::size_t i = 0; i < tensors.size(); ++i)
        REEL_CHECK(tensors[i].defined(), node.name(), ": ", what, ": argument ", i,
                   " is undefined; only tensors can be marked");
}
} // namespace
void AutogradContext::mark_dirty(const variable_list& inputs) {
    check_marked(node_, "mark_dirty", inputs);
    node_.dirty_ = inputs;
}
void AutogradContext::mark_non_differentiable(const variable_list& outputs) {
    check_marked(node_, "mark_non_differentiable", outputs);
    node_.non_differentiable_ = outputs;
}
void AutogradContext::set_materialize_grads(bool value) { node_.materialize_ = value; }
void AutogradContext::set_once_differentiable(bool value) { node_.rules_.once_differentiable = value; }
void AutogradContext::set_clear_saved_on_access(bool value) { node_.clear_on_access_ = value; }
void AutogradContext::set_output_grad_dtype(const Tensor& output, ScalarType dtype) {
    REEL_CHECK(isDifferentiableType(dtype) && output.is_complex() == isComplexType(dtype), node_.name(),
               ": set_output_grad_dtype: a ", dtype_name(output.scalar_type()), " output cannot have ",
               dtype_name(dtype), " gradients");
    node_.grad_dtypes_.emplace_back(output, dtype);
}
bool AutogradContext::needs_input_grad(std::size_t i) const {
    REEL_CHECK_INDEX(i < node_.num_outputs(), node_.name(), ": needs_input_grad: there is no tensor argument ", i);
    return node_.should_compute_output(i);
}
bool AutogradContext::needs_input_grad(std::initializer_list<IndexRange> ranges) const {
    for (const auto& [begin, end] : ranges)
        for (std::size_t i = begin; i < end; ++i)
            if (needs_input_grad(i)) return true;
    return false;
}
Node& AutogradContext::node() const { return node_; }

// --- Forward
// ----------------------------------------------------------------------------------------------------------

FunctionNode::FunctionNode(impl::FunctionRules rules) : context(*this), rules_(std::move(rules)) {}

namespace {
bool is_among(const std::vector<std::optional<Tensor>>& arguments, const Tensor& t) {
    return std::any_of(arguments.begin(), arguments.end(),
                       [&](const auto& a) { return a && a->defined() && a->is_same(t); });
}
void check_dirty(const std::string& name, const variable_list& dirty, const variable_list& outputs,
                 const std::vector<std::optional<Tensor>>& arguments) {
    for (const Tensor& t : dirty) {
        REEL_CHECK(contains(outputs, t), name,
                   ": an input marked dirty was not returned by forward; return every input that is modified in place");
        if (!is_among(arguments, t))
            REEL_WARN(name, ": mark_dirty was given a tensor that is no input of forward; only inputs that are "
                            "modified in place are to be marked");
    }
}
} // namespace

variable_list FunctionNode::finish(variable_list outputs, const std::vector<std::optional<Tensor>>& arguments,
                                   bool recorded) {
    const auto differentiable = [&](const Tensor& t) {
        return recorded && isDifferentiableType(t.scalar_type()) && !contains(non_differentiable_, t);
    };
    check_dirty(rules_.name, dirty_, outputs, arguments);
    const auto n_differentiable = std::count_if(outputs.begin(), outputs.end(),
                                                [&](const Tensor& t) { return t.defined() && differentiable(t); });
    const CreationMeta tag = n_differentiable > 1 ? CreationMeta::MULTI_OUTPUT_NODE : CreationMeta::IN_CUSTOM_FUNCTION;
    const variable_list returned = outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        Tensor& t = outputs[i];
        if (!t.defined()) {
            if (recorded) add_input_metadata(InputMetadata());
            continue;
        }
        const bool input = is_among(arguments, t), dirty = contains(dirty_, t);
        const bool repeated = std::any_of(returned.begin(), returned.begin() + std::ptrdiff_t(i),
                                          [&](const Tensor& o) { return o.defined() && o.is_same(t); });
        std::uint32_t slot = 0;
        if (recorded) {
            InputMetadata m(t);
            for (const auto& [output, dtype] : grad_dtypes_)
                if (output.is_same(t)) m.dtype = dtype;
            slot = add_input_metadata(std::move(m));
        }
        if (!differentiable(t)) {
            if (dirty) t.impl()->bump_version();
            if (!t.requires_grad()) {
                if (input && !dirty) t = reel::detail::view_raw(t, t.sizes(), t.strides(), t.storage_offset());
            } else if (input) t = t.detach();
            else if (!t.is_view()) t.detach_();
            continue;
        }
        if (dirty && !repeated) {
            REEL_CHECK(t.grad_fn() || t.is_view() || !t.requires_grad(), rules_.name,
                       ": a leaf that requires grad was modified in place (mark_dirty); clone() it first");
            REEL_CHECK(!t.is_view() || n_differentiable <= 1, rules_.name,
                       ": a view was modified in place (mark_dirty) by a function with several outputs, which cannot "
                       "be differentiated");
            if (t.impl()->meta()) t.mutable_grad() = Tensor();
            Tensor with_history = reel::detail::alias_raw(t);
            with_history.impl()->set_history(getptr(), slot);
            EnableGradGuard guard;
            rebase_history(t, with_history, rules_.name.c_str());
        } else if (repeated && !input) {
            t.impl()->set_history(getptr(), slot); // one tensor, as returned: its gradient arrives in its last place
        } else if (input) {
            t = reel::detail::view_raw(t, t.sizes(), t.strides(), t.storage_offset());
            t.impl()->set_history(getptr(), slot);
            t.impl()->set_creation_meta(tag);
        } else {
            t.impl()->set_requires_grad_flag(false);
            t.impl()->set_history(getptr(), slot);
            if (t.is_view()) t.impl()->set_creation_meta(tag);
        }
    }
    return outputs;
}

void FunctionNode::save_tensors() {
    for (const Tensor& t : to_save_) {
        const bool own = t.defined() && t.impl()->grad_fn_unchecked().get() == this;
        if (!saved_) saved_ = std::make_shared<SavedList>();
        saved_->emplace_back(t, own);
    }
    to_save_.clear();
    dirty_.clear();
    non_differentiable_.clear();
    grad_dtypes_.clear();
}

namespace impl {
std::string function_name(const std::type_info& type) {
    std::string n = boost::core::demangle(type.name());
    if (const std::size_t bracket = n.find('<'); bracket != std::string::npos) n.resize(bracket);
    if (const std::size_t colon = n.rfind("::"); colon != std::string::npos) n = n.substr(colon + 2);
    return n;
}

variable_list apply_function(FunctionRules rules, const std::vector<std::optional<Tensor>>& arguments) {
    const auto forward = std::move(rules.forward);
    const intrusive_ptr<FunctionNode> node(new FunctionNode(std::move(rules)));
    bool recorded = false;
    for (const auto& a : arguments) recorded = recorded || (a && a->defined() && a->requires_grad());
    recorded = recorded && GradMode::is_enabled();
    for (const auto& a : arguments) {
        node->is_tensor_.push_back(a.has_value());
        if (a) node->add_next_edge(recorded && a->defined() && a->requires_grad() ? gradient_edge(*a) : Edge());
    }
    variable_list outputs;
    {
        NoGradGuard guard;
        outputs = forward(&node->context);
    }
    outputs = node->finish(std::move(outputs), arguments, recorded);
    if (recorded) {
        node->save_tensors();
        if (reel::detail::thread_modes.observers) node_created(*node);
    }
    return outputs;
}
} // namespace impl

// --- Backward
// ---------------------------------------------------------------------------------------------------------

GradList FunctionNode::checked(variable_list results) const {
    const std::size_t expected = is_tensor_.size();
    while (results.size() > expected && !results.back().defined()) results.pop_back(); // surplus nones are tolerated
    REEL_CHECK(results.size() == expected, rules_.name, ": backward returned ", results.size(), " gradients, expected ",
               expected, ", one per argument of forward");
    GradList out;
    std::size_t edge = 0;
    for (std::size_t i = 0; i < expected; ++i) {
        if (is_tensor_[i]) {
            out.push_back(next_edge(edge++).is_valid() ? std::move(results[i]) : Tensor());
            continue;
        }
        REEL_CHECK(!results[i].defined(), rules_.name, ": backward returned a gradient for argument ", i + 1,
                   ", which is not a tensor; return an undefined tensor there");
    }
    return out;
}

GradList FunctionNode::apply(GradList&& grads) {
    REEL_CHECK_NOT_IMPLEMENTED(rules_.backward, rules_.name, ": this Function has no backward");
    variable_list in;
    bool incoming_requires_grad = false;
    for (std::size_t i = 0; i < grads.size(); ++i) {
        Tensor g = std::move(grads[i]);
        if (!g.defined() && materialize_ && input_metadata(i).dtype != ScalarType::Undefined)
            g = input_metadata(i).zeros();
        incoming_requires_grad = incoming_requires_grad || (g.defined() && g.requires_grad());
        in.push_back(std::move(g));
    }
    if (!rules_.once_differentiable) return checked(rules_.backward(&context, std::move(in)));
    const bool create_graph = GradMode::is_enabled();
    NoGradGuard guard;
    GradList out = checked(rules_.backward(&context, std::move(in)));
    if (!create_graph || !incoming_requires_grad) return out;
    const NodePtr error(new OnceDifferentiableError(rules_.name));
    for (Tensor& g : out) {
        if (!g.defined()) continue;
        g = g.detach();
        g.impl()->set_history(error, error->add_input_metadata(g));
    }
    return out;
}

variable_list FunctionNode::push_tangents(const variable_list& by_edge) {
    variable_list in;
    std::size_t edge = 0;
    for (const bool tensor : is_tensor_) {
        if (!tensor) {
            in.emplace_back();
            continue;
        }
        const Edge& e = next_edge(edge);
        Tensor t = by_edge[edge++];
        if (!t.defined() && materialize_ && e.is_valid()) t = e.function->input_metadata(e.input_nr).zeros();
        in.push_back(std::move(t));
    }
    variable_list out = rules_.jvp(&context, std::move(in));
    REEL_CHECK(out.size() == num_inputs(), rules_.name, ": jvp returned ", out.size(), " tangents, expected ",
               num_inputs(), ", one per output of forward");
    for (std::size_t i = 0; i < out.size(); ++i)
        REEL_CHECK(!out[i].defined() || out[i].sizes().equals(input_metadata(i).sizes), rules_.name, ": jvp: tangent ",
                   i, " has shape ", out[i].sizes(), ", but output ", i, " has shape ",
                   IntArrayRef(input_metadata(i).sizes));
    return out;
}

void FunctionNode::release_variables() {
    std::shared_ptr<SavedList> saved; // destroyed without the lock
    const std::lock_guard lock(lock_);
    if (!saved_) return;
    saved = std::move(saved_);
    released_ = true;
}
std::shared_ptr<const FunctionNode::SavedList> FunctionNode::saved() const {
    const std::lock_guard lock(lock_);
    REEL_CHECK(!released_, "backward through the graph a second time: the saved tensors of ", name(),
               " were released after the first pass; pass retain_graph=true to the first backward or grad call");
    REEL_CHECK(!accessed_, name(),
               ": the saved tensors were cleared when they were read for the first time (clear_saved_on_access)");
    return saved_;
}
SavedVariable* FunctionNode::saved_entry(std::size_t i) {
    const auto all = saved();
    return all && i < all->size() ? const_cast<SavedVariable*>(&(*all)[i]) : nullptr; // saved_ holds them
}
void FunctionNode::drop_saved() {
    std::shared_ptr<SavedList> saved;
    const std::lock_guard lock(lock_);
    saved = std::move(saved_);
    accessed_ = true;
}
std::vector<Tensor> FunctionNode::saved_tensors() const {
    std::vector<Tensor> r;
    const std::lock_guard lock(lock_);
    if (!saved_) return r;
    for (const SavedVariable& s : *saved_) r.push_back(s.raw());
    return r;
}

} // namespace reel::autograd
