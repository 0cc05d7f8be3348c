// Optimizer steps: the rules that the CPU has, a thread for each element.
#include <reel/optim/detail/all_steps.hpp>
#include <reel/optim/detail/step_kernel.hpp>

#include "dispatch.cuh"
#include "for_each.cuh"

namespace reel::cuda {

namespace {

template <class Rule, class T> struct Step {
    static constexpr int operands = 2 + Rule::states;
    Rule rule;
    T* data[operands];
    __device__ void operator()(std::int64_t i) const {
        using C = compute_t<T>;
        C x[operands];
        for (int a = 0; a < operands; ++a) x[a] = C(data[a][i]);
        rule(x);
        for (int a = 0; a < operands; ++a)
            if (a != 1) data[a][i] = T(x[a]); // the gradient is only read
    }
};

template <class Rule, class T>
bool step_as(const Tensor& param, const Rule& rule, const optim::StepOperands& operands) {
    if (operands.dtype != dtype_of<T>) return false;
    Step<Rule, T> step{rule, {}};
    for (int a = 0; a < operands.size; ++a) step.data[a] = reinterpret_cast<T*>(operands.data[a]);
    for_each("optimizer_step", param.device().index(), operands.count, step);
    return true;
}
template <class Rule> void step(const Tensor& param, const Rule& rule, const optim::StepOperands& operands) {
    const bool found = step_as<Rule, float>(param, rule, operands) || step_as<Rule, double>(param, rule, operands) ||
                       step_as<Rule, Half>(param, rule, operands) || step_as<Rule, BFloat16>(param, rule, operands);
    if (!found) reel::detail::throw_no_kernel("optimizer_step", param, {true});
}

template <class... Rule> void attach(optim::steps::op_list<Rule...>) {
    (optim::step_kernel<Rule>.set(kCUDA, &step<Rule>), ...);
}
template <class... List> void attach_all(optim::steps::lists<List...>) { (attach(List{}), ...); }

[[maybe_unused]] const bool attached = (attach_all(optim::steps::all{}), true);

} // namespace

} // namespace reel::cuda
