// Bringing operands of a step into one order of memory and running the loop over it.
#include <reel/autograd/optimizer_step.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/pin.hpp>

#include "cpu/pointwise.hpp"
#include "tape/inplace.hpp"

namespace reel {

namespace {
constexpr int most_operands = 6;

void run_step(const char* optimizer, const cpu::LoopTable& table, const void* rule, int n,
              const Tensor* const* operands) {
    const Tensor& param = *operands[0];
    for (int a = 1; a < n; ++a) {
        const Tensor& t = *operands[a];
        const char* what = a == 1 ? "the gradient" : "the state";
        REEL_CHECK(t.defined(), optimizer, ": ", what, " is undefined");
        REEL_CHECK(t.sizes().equals(param.sizes()), optimizer, ": ", what, " has shape ", t.sizes(),
                   ", the parameter has ", param.sizes());
        REEL_CHECK(t.scalar_type() == param.scalar_type(), optimizer, ": ", what, " is ", dtype_name(t.scalar_type()),
                   ", the parameter is ", dtype_name(param.scalar_type()));
        REEL_CHECK(t.device() == param.device(), optimizer, ": ", what, " is on ", t.device().str(),
                   ", the parameter on ", param.device().str());
    }
    ScalarType type = param.scalar_type();
    std::int64_t count = param.numel();
    if (isComplexType(type)) {
        type = type == kComplexDouble ? kDouble : kFloat;
        count *= 2;
    }
    const cpu::Loop loop = param.is_cpu() ? table.forward[int(type)] : nullptr;
    REEL_CHECK_NOT_IMPLEMENTED(loop, optimizer, ": there is no step for ", dtype_name(type), " parameters on ",
                               param.device().str());
    if (autograd::impl::passes_over(param, optimizer)) return;
    NoGradGuard no_grad;
    for (int a = 0; a < n; ++a) {
        if (a == 1) continue; // the gradient is only read
        autograd::refuse_inference(*operands[a], optimizer);
        autograd::check_inplace(*operands[a], optimizer);
    }

    // All operands in one dense order: the parameter's own where it is dense, else row-major copies.
    const bool dense = param.is_non_overlapping_and_dense();
    const bool row_major = param.is_contiguous();
    Tensor staged[most_operands];
    char* data[most_operands];
    std::int64_t bytes[most_operands];
    for (int a = 0; a < n; ++a) {
        const Tensor& t = *operands[a];
        const bool in_place =
            dense && (a == 0 || t.strides().equals(param.strides()) || (row_major && t.is_contiguous()));
        if (!in_place) {
            staged[a] = dense ? reel::empty_strided(param.sizes(), param.strides(), TensorOptions(t.scalar_type()))
                              : reel::empty(param.sizes(), TensorOptions(t.scalar_type()));
            staged[a].copy_(t);
        }
        data[a] = static_cast<char*>((in_place ? t : staged[a]).data_ptr());
        bytes[a] = std::int64_t(elementSize(type));
    }
    if (count > 0) cpu::for_each_flat(count, n, data, bytes, loop, rule);
    for (int a = 0; a < n; ++a) {
        if (a == 1) continue;
        if (staged[a].defined()) operands[a]->copy_(staged[a]);
        else operands[a]->impl()->bump_version();
    }
}
} // namespace

template <class Rule>
void apply_step(const char* optimizer, const Rule& rule, const Tensor& param, const Tensor& grad,
                std::initializer_list<std::reference_wrapper<const Tensor>> state) {
    static_assert(2 + Rule::states <= most_operands && most_operands <= cpu::max_operands);
    REEL_INTERNAL_ASSERT(int(state.size()) == Rule::states, "apply_step");
    const Tensor* operands[most_operands] = {&param, &grad};
    int n = 2;
    for (const Tensor& t : state) operands[n++] = &t;
    run_step(optimizer, cpu::loop_table<Rule>, &rule, n, operands);
}

#define REEL_STEP(...)                                                                                                 \
    template void apply_step(const char*, const __VA_ARGS__&, const Tensor&, const Tensor&,                            \
                             std::initializer_list<std::reference_wrapper<const Tensor>>);
REEL_STEP(pointwise::sgd_step)
REEL_STEP(pointwise::sgd_momentum_step)
REEL_STEP(pointwise::adam_step<false>)
REEL_STEP(pointwise::adam_step<true>)
REEL_STEP(pointwise::nadam_step)
REEL_STEP(pointwise::radam_step)
REEL_STEP(pointwise::adamax_step)
REEL_STEP(pointwise::rmsprop_step<false, false>)
REEL_STEP(pointwise::rmsprop_step<false, true>)
REEL_STEP(pointwise::rmsprop_step<true, false>)
REEL_STEP(pointwise::rmsprop_step<true, true>)
REEL_STEP(pointwise::adagrad_step)
REEL_STEP(pointwise::adadelta_step)
REEL_STEP(pointwise::asgd_step)
REEL_STEP(pointwise::rprop_step)

} // namespace reel
