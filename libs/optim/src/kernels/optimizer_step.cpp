// The CPU's kernels of all optimizer steps: rules on vectors over dense memory.
#include <reel/autograd/detail/cpu/vec_arithmetic.hpp>
// The rules are read after the vector functions, so that both lookups see everything.
#include <reel/optim/detail/all_steps.hpp>

#include "step_loops.hpp"

namespace reel::optim::REEL_ISA {

namespace {
using namespace reel::cpu::REEL_ISA;

template <class Rule, class T>
void step_loop(char* const* data, std::int64_t n, const void* context, double factor, double base) {
    using V = Vec<Compute<T>>;
    constexpr int w = V::size, operands = 2 + Rule::states;
    const Rule rule = *static_cast<const Rule*>(context);      // a copy of its own: its numbers can stay in registers
    const V times{Compute<T>(factor)}, plus{Compute<T>(base)}; // mostly 1 and -0, which change nothing
    T* p[operands];
    for (int a = 0; a < operands; ++a) p[a] = reinterpret_cast<T*>(data[a]);
    V x[operands];
    std::int64_t i = 0;
    for (; i + w <= n; i += w) {
        for (int a = 0; a < operands; ++a) x[a] = load_as(p[a] + i);
        x[1] = times * x[1] + plus;
        rule(x);
        for (int a = 0; a < operands; ++a)
            if (a != 1) store_as(p[a] + i, x[a]);
    }
    if (i < n) { // the same vector code, so that results do not depend on where a chunk ends
        T tail[operands][w] = {};
        for (int a = 0; a < operands; ++a) {
            std::memcpy(static_cast<void*>(tail[a]), p[a] + i, std::size_t(n - i) * sizeof(T));
            x[a] = load_as(tail[a]);
        }
        x[1] = times * x[1] + plus;
        rule(x);
        for (int a = 0; a < operands; ++a) {
            if (a == 1) continue;
            store_as(tail[a], x[a]);
            std::memcpy(static_cast<void*>(p[a] + i), tail[a], std::size_t(n - i) * sizeof(T));
        }
    }
}
template <class Rule> void step(const Tensor&, const Rule& rule, const StepOperands& operands) {
    static constexpr StepLoops loops = {&step_loop<Rule, float>, &step_loop<Rule, double>, &step_loop<Rule, BFloat16>,
                                        &step_loop<Rule, Half>};
    run_loops(loops, &rule, operands);
}
template <class... Rule> void set_kernels(steps::op_list<Rule...>) { (step_kernel<Rule>.set(kCPU, &step<Rule>), ...); }
template <class... List> void set_all(steps::lists<List...>) { (set_kernels(List{}), ...); }
} // namespace

void register_optimizer_step() { set_all(steps::all{}); }

} // namespace reel::optim::REEL_ISA
