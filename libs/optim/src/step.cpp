#include <reel/optim/detail/step.hpp>

#include <algorithm>

#include <reel/autograd/detail/pin.hpp>
#include <reel/autograd/parallel.hpp>

#include "step_loops.hpp"

namespace reel::optim {

namespace {
void check_alike(const char* optimizer, const char* what, const Tensor& t, const Tensor& param) {
    REEL_CHECK(t.defined(), optimizer, ": ", what, " is undefined");
    REEL_CHECK(t.sizes().equals(param.sizes()), optimizer, ": ", what, " has shape ", t.sizes(), ", the parameter has ",
               param.sizes());
    REEL_CHECK(t.scalar_type() == param.scalar_type(), optimizer, ": ", what, " is ", dtype_name(t.scalar_type()),
               ", the parameter is ", dtype_name(param.scalar_type()));
    REEL_CHECK(t.device() == param.device(), optimizer, ": ", what, " is on ", t.device().str(), ", the parameter on ",
               param.device().str());
}
} // namespace

std::unique_ptr<reel::detail::DenseUpdate> detail::open_step(const char* optimizer, ArrayRef<const Tensor*> operands,
                                                             bool has_kernel, bool takes_deferred) {
    const Tensor& param = *operands[0];
    for (std::size_t a = 1; a < operands.size(); ++a)
        check_alike(optimizer, a == 1 ? "the gradient" : "the state", *operands[a], param);
    const bool numbers = isFloatingType(param.scalar_type()) || isComplexType(param.scalar_type());
    REEL_CHECK_NOT_IMPLEMENTED(has_kernel && numbers, optimizer, ": there is no step for ",
                               dtype_name(param.scalar_type()), " parameters on ", param.device().str());
    if (autograd::impl::passes_over(param, optimizer)) return nullptr;
    return std::make_unique<reel::detail::DenseUpdate>(optimizer, operands, /*read_only=*/1, takes_deferred);
}
void detail::apply_step(const char* optimizer, ArrayRef<const Tensor*> operands, bool has_kernel, RunStep run,
                        const void* rule) {
    const auto update = open_step(optimizer, operands, has_kernel, /*takes_deferred=*/operands[0]->is_cpu());
    if (!update) return;
    const auto* const outer = dynamic_cast<const reel::detail::OuterProduct*>(update->deferred());
    REEL_INTERNAL_ASSERT(!update->deferred() || (outer && outer->dtype() == update->dtype()), optimizer);
    if (update->count() > 0)
        run(rule, *operands[0], {update->dtype(), update->count(), update->size(), update->data(), outer});
    update->commit();
}

namespace {
/// Row by row: each row of the gradient is the same one, times a number.
void run_outer(const StepLoop loop, const void* rule, const StepOperands& o) {
    const reel::detail::OuterProduct& g = *o.gradient;
    const std::int64_t columns = g.columns(), grain = std::max<std::int64_t>(1, 32768 / columns);
    const std::size_t row = std::size_t(columns) * elementSize(o.dtype);
    const auto factor = [&](std::int64_t r) {
        return o.dtype == kFloat ? double(reinterpret_cast<const float*>(g.left())[r])
                                 : reinterpret_cast<const double*>(g.left())[r];
    };
    parallel_for(0, g.rows(), grain, [&](std::int64_t begin, std::int64_t end) {
        char* data[StepOperands::most];
        for (std::int64_t r = begin; r < end; ++r) {
            for (int a = 0; a < o.size; ++a)
                data[a] = a == 1 ? const_cast<char*>(g.right()) : o.data[a] + std::size_t(r) * row; // 1 is only read
            loop(data, columns, rule, factor(r), g.base());
        }
    });
}
} // namespace

void run_loops(const StepLoops& loops, const void* rule, const StepOperands& o) {
    if (o.gradient) return run_outer(loops.of(o.dtype), rule, o);
    constexpr std::int64_t grain = 32768, block = 64; // chunks start at whole blocks, so that vectors stay aligned
    const StepLoop loop = loops.of(o.dtype);
    const std::size_t bytes = elementSize(o.dtype);
    if (o.count <= grain) return loop(o.data, o.count, rule, 1, -0.0);
    parallel_for(0, (o.count + block - 1) / block, grain / block, [&](std::int64_t begin, std::int64_t end) {
        char* data[StepOperands::most];
        const std::int64_t first = begin * block, last = std::min(o.count, end * block);
        for (int a = 0; a < o.size; ++a) data[a] = o.data[a] + std::size_t(first) * bytes;
        loop(data, last - first, rule, 1, -0.0);
    });
}

} // namespace reel::optim
