// The older form of checkpointing: one node whose backward runs the function again (rules E-90, E-91).
#include <reel/autograd/checkpoint.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>

#include "tape/graph_task.hpp"
#include "tape/replay_random.hpp"

namespace reel::autograd::impl {

void refuse_keywords(bool any) {
    REEL_CHECK_VALUE(!any, "checkpoint: the reentrant form takes no keyword arguments; use_reentrant=false does");
}

std::size_t segment_length(std::size_t n, std::int64_t segments) {
    REEL_CHECK_VALUE(segments >= 1 && std::size_t(segments) <= n, "checkpoint_sequential: cannot make ", segments,
                     " segments of ", n, " stages; give 1 to ", n);
    return n / std::size_t(segments);
}

namespace {

variable_list tensors_in(const std::vector<std::optional<Tensor>>& arguments) {
    variable_list r;
    for (const auto& a : arguments)
        if (a) r.push_back(*a);
    return r;
}

variable_list run_again(const ReentrantRun& run, const variable_list& saved,
                        const std::optional<RandomState>& rng_state, const variable_list& grads) {
    const GraphTask* task = GraphTask::current();
    REEL_CHECK(!task || !task->restricted(),
               "checkpoint: the reentrant form does not work with grad() or with backward(inputs=...); use "
               "use_reentrant=false");
    variable_list detached, outputs;
    for (const Tensor& t : saved) {
        detached.push_back(t.defined() ? t.detach() : Tensor());
        if (t.defined() && t.requires_grad()) detached.back().requires_grad_();
    }
    {
        const ReplayRandom random(rng_state);
        EnableGradGuard guard;
        outputs = run(detached);
    }
    REEL_CHECK(outputs.size() == grads.size(), "checkpoint: the function returned ", outputs.size(),
               " tensors when it was run again, but ", grads.size(), " in the forward");
    variable_list live, seeds;
    for (std::size_t i = 0; i < outputs.size(); ++i)
        if (outputs[i].defined() && outputs[i].requires_grad()) live.push_back(outputs[i]), seeds.push_back(grads[i]);
    REEL_CHECK(!live.empty(), "checkpoint: no result of the function requires grad, so there is nothing to "
                              "recompute; call it directly");
    backward(live, seeds);
    variable_list result;
    for (const Tensor& t : detached) {
        result.push_back(t.defined() && t.requires_grad() ? t.grad() : Tensor());
    }
    return result;
}

} // namespace

variable_list checkpoint_reentrant(const CheckpointOptions& options, ReentrantRun run,
                                   const std::vector<std::optional<Tensor>>& arguments) {
    REEL_CHECK_VALUE(!options.context_fn && !options.debug,
                     "checkpoint: context_fn and debug are only known to the form with use_reentrant=false");
    const variable_list tensors = tensors_in(arguments);
    bool any = false;
    for (const Tensor& t : tensors) any = any || (t.defined() && t.requires_grad());
    if (!any && GradMode::is_enabled())
        REEL_WARN("checkpoint: no argument requires grad, so the result does not either and gradients will not flow; "
                  "use_reentrant=false does not need one");
    const std::optional<RandomState> rng_state =
        options.preserve_rng_state ? std::optional(random_state()) : std::nullopt;
    FunctionRules rules;
    rules.name = "Checkpoint";
    const auto shared = std::make_shared<ReentrantRun>(std::move(run));
    rules.forward = [&](AutogradContext* ctx) {
        ctx->save_for_backward(tensors);
        return (*shared)(tensors);
    };
    std::vector<bool> is_tensor;
    for (const auto& a : arguments) is_tensor.push_back(a.has_value());
    rules.backward = [shared, rng_state, is_tensor](AutogradContext* ctx, variable_list grads) {
        const variable_list by_tensor = run_again(*shared, ctx->get_saved_variables(), rng_state, grads);
        variable_list result;
        std::size_t next = 0;
        for (const bool tensor : is_tensor) result.push_back(tensor ? by_tensor[next++] : Tensor());
        return result;
    };
    return apply_function(std::move(rules), arguments);
}

} // namespace reel::autograd::impl
