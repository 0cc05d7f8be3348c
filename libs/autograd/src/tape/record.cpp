// Attaching a rule node: edges, output slots, saved tensors, history.
#include <reel/autograd/record.hpp>

#include <cctype>
#include <cstdlib>
#include <memory>

#include <reel/autograd/detail/notify_observers.hpp>
#include <reel/autograd/detail/saved_values.hpp>
#include <reel/autograd/memory.hpp>

#include "tape/autograd_meta.hpp"
#include "tape/modes.hpp"
#include "tape/rule_node.hpp"
#include "tape/views.hpp"

namespace reel::autograd {

/// `nn.functional.max_pool2d` -> `MaxPool2DBackward0` in spirit: the last part in camel case.
std::string RuleNode::name() const {
    std::string_view op(op_);
    if (const std::size_t dot = op.rfind('.'); dot != std::string_view::npos) op.remove_prefix(dot + 1);
    while (!op.empty() && op.back() == '_') op.remove_suffix(1);
    std::string n;
    bool upper = true;
    for (const char c : op) {
        if (c == '_') upper = true;
        else {
            n += upper ? char(std::toupper(static_cast<unsigned char>(c))) : c;
            upper = false;
        }
    }
    return n + "Backward0";
}

RuleNode::RuleNode(RecordedOp op, std::size_t n_bytes, Saved saved)
    : n_saved_(std::uint32_t(saved.count)), op_(op.name), saved_at_(std::uint16_t(n_bytes)), work_(op.work) {
    std::uninitialized_default_construct_n(saved_begin(), n_saved_);
}
RuleNode::~RuleNode() { std::destroy_n(saved_begin(), n_saved_); }
void* RuleNode::operator new(std::size_t n, Saved saved) { return cpu_alloc(n + saved.count * sizeof(SavedVariable)); }
// A rule is numbers and tensors, which are moved without errors.
void RuleNode::operator delete(void*, Saved) noexcept { std::abort(); }
// `destroy` frees: only it knows how much was taken.
void RuleNode::operator delete(void*, std::size_t) noexcept { std::abort(); }
void RuleNode::destroy() noexcept {
    const std::size_t bytes = saved_at_ + n_saved_ * sizeof(SavedVariable);
    this->~RuleNode();
    cpu_free(this, bytes);
}

void RuleNode::release_variables() {
    for (std::size_t i = 0; i < n_saved_; ++i) saved_begin()[i].reset_data();
}
std::vector<Tensor> RuleNode::saved_tensors() const {
    std::vector<Tensor> r;
    for (const SavedVariable& s : saved()) r.push_back(s.raw());
    return r;
}

struct RecordAccess {
    static void look_at_saved(RuleNode& n) {
        for (const SavedVariable& s : n.saved()) s.unpack(&n);
    }
    static SavedVariable* entry(RuleNode& n, std::size_t i) { return i < n.n_saved_ ? n.saved_begin() + i : nullptr; }
    static std::vector<Tensor> saved_with_history(RuleNode& n) {
        std::vector<Tensor> r;
        for (const SavedVariable& s : n.saved()) {
            try {
                r.push_back(s.was_default_constructed() || s.is_released() ? Tensor() : s.unpack(&n));
            } catch (const Error&) { // modified in place since
                r.emplace_back();
            }
        }
        return r;
    }
    static bool was_absent(const RuleNode& n, std::size_t i) { return n.saved()[i].was_default_constructed(); }
    template <class GetIn, class GetOut, class GetSaved>
    static void attach(RuleNode* raw, std::size_t n_in, GetIn in, std::size_t n_out, GetOut out, std::size_t n_saved,
                       GetSaved saved) {
        NodePtr node(raw);
        EdgeList edges;
        edges.reserve(n_in);
        for (std::size_t i = 0; i < n_in; ++i) {
            const Tensor& t = in(i);
            edges.push_back(t.defined() && t.impl()->requires_grad() ? gradient_edge(t) : Edge());
        }
        raw->set_next_edges(std::move(edges));
        const bool observed = reel::detail::thread_modes.observers; // who may take a history away again
        for (std::size_t i = 0; i < n_out; ++i) {
            const Tensor& t = out(i);
            const bool last = i + 1 == n_out && !observed;
            if (!t.defined()) {
                raw->add_input_metadata(InputMetadata());
                continue;
            }
            const std::uint32_t slot = raw->add_input_metadata(t);
            if (isDifferentiableType(t.scalar_type())) t.impl()->set_history(last ? std::move(node) : node, slot);
        }
        for (std::size_t i = 0; i < n_saved; ++i) {
            const Tensor& t = saved(i);
            const bool own = t.defined() && t.impl()->grad_fn_unchecked().get() == raw;
            raw->saved_begin()[i].keep(t, own);
        }
        if (observed) [[unlikely]]
            node_created(*raw);
    }
};

void look_at_saved(Node& n) {
    if (auto* rule = dynamic_cast<RuleNode*>(&n)) RecordAccess::look_at_saved(*rule);
}

SavedVariable* saved_entry(Node& n, std::size_t i) {
    auto* const rule = dynamic_cast<RuleNode*>(&n);
    return rule ? RecordAccess::entry(*rule, i) : nullptr;
}

bool saved_was_absent(const Node& n, std::size_t i) {
    const auto* rule = dynamic_cast<const RuleNode*>(&n);
    return rule && RecordAccess::was_absent(*rule, i);
}

namespace impl {
std::vector<Tensor> saved_with_history(Node& node) {
    auto* rule = dynamic_cast<RuleNode*>(&node);
    return rule ? RecordAccess::saved_with_history(*rule) : std::vector<Tensor>();
}
} // namespace impl

namespace recording {
void attach(RuleNode* node, ArrayRef<Tensor> inputs, ArrayRef<const Tensor*> outputs, ArrayRef<Tensor> saved) {
    RecordAccess::attach(
        node, inputs.size(), [&](std::size_t i) -> const Tensor& { return inputs[i]; }, outputs.size(),
        [&](std::size_t i) -> const Tensor& { return *outputs[i]; }, saved.size(),
        [&](std::size_t i) -> const Tensor& { return saved[i]; });
}
void attach(RuleNode* node, Inputs inputs, const Tensor& output, Inputs saved) {
    RecordAccess::attach(
        node, inputs.size(), [&](std::size_t i) -> const Tensor& { return inputs.begin()[i]; }, 1,
        [&](std::size_t) -> const Tensor& { return output; }, saved.size(),
        [&](std::size_t i) -> const Tensor& { return saved.begin()[i]; });
}
bool any_requires_grad(ArrayRef<Tensor> inputs) {
    for (const Tensor& t : inputs)
        if (t.defined() && t.impl()->requires_grad()) return true;
    return false;
}
namespace {
void report(const char* op, const Tensor& t) {
    impl::note_cut(GradMode::is_enabled() ? CutKind::NotDifferentiable : CutKind::NoGrad, op, t);
}
} // namespace
void not_recorded(const char* op, Inputs inputs) {
    for (const Tensor& t : inputs) report(op, t);
}
void not_recorded(const char* op, TensorList inputs) {
    for (const Tensor& t : inputs) report(op, t);
}
} // namespace recording

Edge gradient_edge(const Tensor& t) {
    TensorImpl& impl = t.checked();
    if (impl.is_view()) refresh_view(t);
    if (const NodePtr& fn = impl.grad_fn_unchecked()) return Edge(fn, impl.output_nr());
    if (impl.requires_grad_flag() && !(impl.is_view() && impl.view_base()->grad_fn_unchecked()))
        return Edge(impl::grad_accumulator(t), 0);
    return {};
}

} // namespace reel::autograd
