// Nodes: making, walking and destroying them.
#include <reel/autograd/node.hpp>
#include <reel/autograd/ops/factory/zeros.hpp>

#include <cctype>
#include <unordered_set>

#include <reel/autograd/detail/notify_observers.hpp>
#include <reel/autograd/detail/self_reporting_hook.hpp>
#include <reel/autograd/detail/shared_counter.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/memory.hpp>

#include "tape/anomaly.hpp"
#include "tape/autograd_meta.hpp"
#include "tape/node_extras.hpp"
#include "tape/streams.hpp"

namespace reel::autograd {

namespace {
std::atomic<std::uint64_t> sequence{0};
std::atomic<std::uint32_t> thread_count{0};
std::uint32_t this_thread_number() {
    thread_local const std::uint32_t n = thread_count.fetch_add(1) + 1;
    return n;
}
std::uint64_t next_sequence_number() { return reel::detail::add_shared(sequence, std::uint64_t(1)); }
} // namespace

Node::Node(Found by)
    : thread_id_(this_thread_number()), found_weakly_(by == Found::kWeakly), sequence_nr_(next_sequence_number()) {}
Node::~Node() = default;

void* Node::operator new(std::size_t n) { return cpu_alloc(n); }
void Node::operator delete(void* p, std::size_t n) noexcept { cpu_free(p, n); }
void Node::ExtrasDeleter::operator()(NodeExtras* e) const noexcept { delete e; }

void Node::release(Node* n) {
    // A leaf finds its accumulator again while another thread lets it go.
    if (!(n->found_weakly_ ? n->drop_watched_ref() : n->drop_ref())) return;
    // A node's edges release further nodes from inside its destructor: those wait in line instead of recursing. The
    // line is the outermost call's; what a thread has of its own may be gone before the last tensors that statics hold.
    thread_local SmallVector<Node*, 16>* line = nullptr;
    if (line) {
        line->push_back(n);
        return;
    }
    SmallVector<Node*, 16> waiting;
    line = &waiting;
    n->destroy();
    while (!waiting.empty()) {
        Node* next = waiting.back();
        waiting.pop_back();
        next->destroy();
    }
    line = nullptr;
}

std::string Node::forward_op_name() const {
    std::string n = name();
    const std::size_t end = n.rfind("Backward");
    return end == std::string::npos ? n : n.substr(0, end);
}

variable_list Node::operator()(variable_list grads) {
    REEL_CHECK_VALUE(grads.size() == num_inputs(), name(), ": got ", grads.size(), " gradients; expected ",
                     num_inputs(), ", one for each output of the operation");
    bool any = materializes_undefined();
    GradList in;
    for (std::size_t i = 0; i < grads.size(); ++i) {
        REEL_CHECK_VALUE(!grads[i].defined() || grads[i].sizes().equals(input_metadata(i).sizes), name(), ": gradient ",
                         i, " has shape ", grads[i].sizes(), "; expected ", IntArrayRef(input_metadata(i).sizes));
        any = any || grads[i].defined();
        in.push_back(std::move(grads[i]));
    }
    if (!any) return variable_list(num_outputs()); // without a gradient there is nothing to apply a rule to
    GradList out = apply(std::move(in));
    return variable_list(out.begin(), out.end());
}

std::uint64_t Node::topological_nr() const {
    // Longest path to a leaf; computed on demand without recursion.
    if (topological_nr_ || edges_.empty()) return topological_nr_;
    std::vector<const Node*> stack{this};
    while (!stack.empty()) {
        const Node* n = stack.back();
        std::uint32_t best = 0;
        bool ready = true;
        for (const Edge& e : n->edges_) {
            const Node* next = e.function.get();
            if (!next) continue;
            if (!next->topological_nr_ && !next->edges_.empty()) {
                stack.push_back(next);
                ready = false;
            } else best = std::max(best, next->topological_nr_ + 1);
        }
        if (!ready) continue;
        n->topological_nr_ = std::max<std::uint32_t>(best, 1);
        stack.pop_back();
    }
    return topological_nr_;
}

InputMetadata::InputMetadata(const Tensor& t) : sizes(t.sizes()), dtype(t.scalar_type()), device(t.device()) {}
Tensor InputMetadata::zeros() const {
    NoGradGuard guard;
    return reel::zeros(IntArrayRef(sizes), TensorOptions(dtype).device(device));
}

std::uint32_t Node::add_input_metadata(const Tensor& t) {
    inputs_.emplace_back(t);
    if (has_stream(*this)) [[unlikely]]
        note_stream(*this, t.device());
    return std::uint32_t(inputs_.size() - 1);
}
std::uint32_t Node::add_input_metadata(InputMetadata m) {
    inputs_.emplace_back(std::move(m));
    if (has_stream(*this)) [[unlikely]]
        note_stream(*this, inputs_.back().device);
    return std::uint32_t(inputs_.size() - 1);
}

NodeExtras& Node::ensure_extras() {
    if (!extras_) extras_.reset(new NodeExtras);
    return *extras_;
}
namespace {
RemovableHandle announced(HookKind kind, RemovableHandle handle, const Node* owner, std::uint32_t output_nr = 0) {
    if (impl::observed()) impl::note_hook_registered({kind, handle.id(), owner, output_nr});
    return handle;
}
} // namespace
RemovableHandle Node::register_prehook(NodePreHook fn) {
    return announced(HookKind::NodePre, add_hook(ensure_extras().pre, std::move(fn)), this);
}
RemovableHandle Node::register_posthook(NodePostHook fn) {
    const bool vehicle = impl::observed() && impl::reports_itself(fn);
    RemovableHandle handle = add_hook(ensure_extras().post, std::move(fn));
    return vehicle ? handle : announced(HookKind::NodePost, std::move(handle), this);
}
RemovableHandle Node::add_tensor_hook(std::uint32_t output_nr, TensorHookFn fn) {
    auto& table = ensure_extras().ensure_hooks_of(output_nr).table;
    return announced(HookKind::Tensor, add_hook(table, std::move(fn)), this, output_nr);
}
ValueDict& Node::metadata() { return ensure_extras().ensure_notes().metadata; }
const std::string& Node::creation_trace() const {
    static const std::string none;
    if (!extras_ || !extras_->notes) return none;
    NodeNotes& notes = *extras_->notes;
    if (notes.trace.empty() && !notes.frames.empty()) notes.trace = trace_text(notes.frames);
    return notes.trace;
}
const std::string& Node::module_path() const {
    static const std::string none;
    return extras_ && extras_->notes ? extras_->notes->module_path : none;
}

} // namespace reel::autograd
