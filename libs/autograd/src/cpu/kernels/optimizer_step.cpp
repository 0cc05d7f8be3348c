// Optimizer steps over dense memory.
#include "cpu/vec_math.hpp"

#include <reel/autograd/pointwise/optimizer_step.hpp>

#include "cpu/loops.hpp"
#include "cpu/pointwise.hpp"

namespace reel::cpu::REEL_ISA {

namespace {
template <class Rule, class T>
void step_loop(char* const* data, const std::int64_t*, std::int64_t n, const void* context) {
    using V = Vec<Compute<T>>;
    constexpr int w = V::size, operands = 2 + Rule::states;
    const Rule rule = *static_cast<const Rule*>(context); // a copy of its own: its numbers can stay in registers
    T* p[operands];
    for (int a = 0; a < operands; ++a) p[a] = reinterpret_cast<T*>(data[a]);
    V x[operands];
    std::int64_t i = 0;
    for (; i + w <= n; i += w) {
        for (int a = 0; a < operands; ++a) x[a] = load_as(p[a] + i);
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
        rule(x);
        for (int a = 0; a < operands; ++a) {
            if (a == 1) continue;
            store_as(tail[a], x[a]);
            std::memcpy(static_cast<void*>(p[a] + i), tail[a], std::size_t(n - i) * sizeof(T));
        }
    }
}
template <class Rule> void set_step() {
    loop_table<Rule>.forward[int(kFloat)] = &step_loop<Rule, float>;
    loop_table<Rule>.forward[int(kDouble)] = &step_loop<Rule, double>;
    loop_table<Rule>.forward[int(kBFloat16)] = &step_loop<Rule, BFloat16>;
    loop_table<Rule>.forward[int(kHalf)] = &step_loop<Rule, Half>;
}
template <class... Rule> void register_steps(pointwise::op_list<Rule...>) { (set_step<Rule>(), ...); }
} // namespace

void register_optimizer_step() { register_steps(pointwise::optimizer_steps{}); }

} // namespace reel::cpu::REEL_ISA
