// A replayed call on the tape: one node, whose backward is one run.
#include <algorithm>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/detail/enclosed_passes.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops/shape/view.hpp>
#include <reel/autograd/saved_variable.hpp>

#include "replay/effects.hpp"
#include "replay/entry.hpp"

namespace reel::jit::replay {

namespace {

using autograd::Edge;
using autograd::GradList;
using autograd::SavedVariable;

class CompiledFunctionNode final : public autograd::Node {
public:
    CompiledFunctionNode(std::shared_ptr<Entry> entry, std::shared_ptr<void> target, Tensor stream)
        : entry_(std::move(entry)), target_(std::move(target)), stream_(std::move(stream)) {}

    std::string name() const override { return "CompiledFunctionBackward"; }

    void keep(TensorList arguments, ForwardRun& run) {
        const Plan& plan = *entry_->plan;
        arguments_.assign(arguments.begin(), arguments.end());
        for (const int i : entry_->deciding_arguments) versions_.push_back(arguments[std::size_t(i)].impl()->version());
        for (const int m : entry_->deciding_outside) versions_.push_back(outside(m).impl()->version());
        const auto save = [&](const Tensor& t, bool is_output) { saved_.push_back(SavedVariable(t, is_output)); };
        for (const int i : entry_->kept_arguments) save(arguments[std::size_t(i)], false);
        for (const int i : entry_->kept_outputs) save(run.outputs[std::size_t(i)], true);
        for (const int m : entry_->kept_outside) save(plan.memories[std::size_t(m)].held, false);
        if (!run.saved) return;
        TensorImplPtr block(new TensorImpl(run.saved, kByte, kCPU));
        block->set_contiguous({std::int64_t(plan.saved_bytes)});
        save(Tensor(std::move(block)), false);
    }

    GradList apply(GradList&& grads) override {
        bool all = !GradMode::is_enabled();
        for (const Tensor& g : grads) all = all && g.defined();
        // In another layout rules may add up in another order, or write their results otherwise.
        if (!all || (!entry_->fits(grads) && can_repeat())) return apply_eagerly(grads);
        const Plan& plan = *entry_->plan;
        std::vector<Tensor> arguments(plan.arguments.size()), outputs(plan.outputs.size()), seeds;
        std::size_t next = 0;
        for (const int i : entry_->kept_arguments) arguments[std::size_t(i)] = saved_[next++].unpack(this);
        for (const int i : entry_->kept_outputs) outputs[std::size_t(i)] = saved_[next++].unpack(this);
        for (std::size_t i = 0; i < entry_->kept_outside.size(); ++i) saved_[next++].unpack(this);
        StoragePtr block;
        if (next < saved_.size()) block = saved_[next].unpack(this).storage();
        for (std::size_t i = 0; i < grads.size(); ++i) seeds.push_back(laid_out(grads[i], plan.seeds[i]));
        GradList r;
        for (Tensor& g : run_backward(*entry_, arguments, outputs, block, seeds)) r.push_back(std::move(g));
        return r;
    }

    void release_variables() override {
        for (SavedVariable& s : saved_) s.reset_data();
        if (!saved_.empty()) arguments_.clear();
    }
    std::vector<Tensor> saved_tensors() const override {
        std::vector<Tensor> r;
        for (const SavedVariable& s : saved_) r.push_back(s.raw());
        return r;
    }

private:
    const Tensor& outside(int memory) const { return entry_->plan->memories[std::size_t(memory)].held; }

    /// What the first call computed with and has been changed since, so that another call would compute with other
    /// values; null when there is nothing.
    const Tensor* changed_since() const {
        std::size_t next = 0;
        for (const int i : entry_->deciding_arguments)
            if (arguments_[std::size_t(i)].impl()->version() != versions_[next++]) return &arguments_[std::size_t(i)];
        for (const int m : entry_->deciding_outside)
            if (outside(m).impl()->version() != versions_[next++]) return &outside(m);
        return nullptr;
    }
    /// Would the function, called once more, do what it did?
    bool can_repeat() const {
        return arguments_.size() == entry_->plan->arguments.size() && !changed_since() &&
               (!entry_->watch || entry_->watch->lives()) && entry_->is_current() && entry_->watch_agrees();
    }
    void check_unchanged() const {
        const Tensor* const t = changed_since();
        if (!t) return;
        const bool is_argument = t >= arguments_.data() && t < arguments_.data() + arguments_.size();
        throw Error(str(name(),
                        ": gradients that can be differentiated again, or of some results only, call the "
                        "compiled function once more; ",
                        is_argument ? "an argument of it" : "a tensor from outside that it uses", " (",
                        dtype_name(t->scalar_type()), " of shape ", t->sizes(),
                        ") was modified in place since: modify a clone of it, or call the function eagerly"));
    }
    /// The gradients of the function itself, which is called again: they can be differentiated, and what nothing
    /// arrives for stays undefined.
    GradList apply_eagerly(const GradList& grads) {
        for (const SavedVariable& s : saved_) s.unpack(this); // released, or changed since?
        REEL_CHECK(entry_->is_current() && entry_->watch_agrees(), name(),
                   ": gradients that can be differentiated again, or of some results only, "
                   "call the compiled function once more; tensors that it uses were replaced, or training flags "
                   "changed, since: call it eagerly");
        check_unchanged();
        std::vector<Tensor> arguments = arguments_;
        const bool create_graph = GradMode::is_enabled();
        const EnableGradGuard on;
        // The same random numbers; what the call has changed stays as it is now.
        const Again unseen(*entry_->plan, {stream_, {}});
        return again(arguments, grads, create_graph);
    }
    GradList again(std::vector<Tensor>& arguments, const GradList& grads, bool create_graph) {
        autograd::edge_list edges;
        // Aliases: hooks on the arguments run where this node's gradients arrive, not in the inner pass.
        for (const int i : entry_->differentiable) {
            Tensor& t = arguments[std::size_t(i)];
            t = view(t, t.sizes());
            edges.push_back(autograd::gradient_edge(t));
        }
        for (const Leaf& l : entry_->leaves) edges.push_back(autograd::gradient_edge(l.tensor));
        std::vector<Tensor> outputs, seeds;
        std::size_t slot = 0;
        for (const Tensor& t : entry_->signature.invoke(target_.get(), arguments)) {
            if (!t.requires_grad()) continue;
            if (grads[slot].defined()) {
                outputs.push_back(t);
                seeds.push_back(grads[slot]);
            }
            ++slot;
        }
        GradList r;
        const reel::detail::EnclosedPasses enclosed; // hooks of leaves run where this node's gradients arrive
        for (Tensor& g : autograd::grad(outputs, edges, seeds, create_graph, create_graph, true))
            r.push_back(std::move(g));
        return r;
    }
    std::shared_ptr<Entry> entry_;
    std::shared_ptr<void> target_;
    Tensor stream_; ///< where random numbers were when the call began
    std::vector<Tensor> arguments_;
    SmallVector<std::uint32_t, 8> versions_; ///< of the recording's deciding arguments and tensors from outside
    std::vector<SavedVariable> saved_;
};

} // namespace

void attach_node(std::shared_ptr<Entry> entry, std::shared_ptr<void> target, TensorList arguments, ForwardRun& run,
                 Tensor stream) {
    const Plan& plan = *entry->plan;
    const auto node = new CompiledFunctionNode(entry, std::move(target), std::move(stream));
    const autograd::NodePtr owner(node);
    autograd::EdgeList edges;
    for (const int i : entry->differentiable) edges.push_back(autograd::gradient_edge(arguments[std::size_t(i)]));
    for (const Leaf& l : entry->leaves) edges.push_back(autograd::gradient_edge(l.tensor));
    node->set_next_edges(std::move(edges));
    for (std::size_t i = 0; i < run.outputs.size(); ++i) {
        if (!plan.outputs[i].requires_grad) continue;
        const std::uint32_t slot = node->add_input_metadata(run.outputs[i]);
        run.outputs[i].impl()->set_history(owner, slot);
    }
    node->keep(arguments, run);
}

} // namespace reel::jit::replay
