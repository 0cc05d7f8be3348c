#include "replay/outer_gradients.hpp"

#include <cmath>
#include <optional>

#include "replay/plan.hpp"
#include "replay/products.hpp"

namespace reel::jit::replay {

namespace {

constexpr std::size_t small = 16384; ///< bytes of a gradient that had better be written at once

/// Is that memory the whole of a leaf's gradient, and of nothing else?
bool is_one_gradient(const Recording& recording, int memory) {
    int leaves = 0;
    for (const Slot& s : recording.outputs)
        if (s.memory == memory) return false;
    for (std::size_t i = 0; i < recording.gradients.size(); ++i) {
        const Slot& s = recording.gradients[i];
        if (s.memory != memory) continue;
        const bool whole = s.sizes.size() == 2 && s.strides[1] == 1 && s.strides[0] == s.sizes[1] && s.offset == 0;
        if (i < recording.first_leaf || !whole || ++leaves > 1) return false;
    }
    return leaves == 1;
}
/// The product of two vectors, row by row, in place of whatever was there?
bool is_outer(Product& p, std::size_t bytes) {
    auto& [out, left, right, alpha, beta] = p.arguments();
    return alpha == 1 && beta == 0 && left.size(1) == 1 && right.size(1) > 1 && out.strides()[1] == 1 &&
           out.strides()[0] == out.size(1) && out.storage_offset() == 0 && out.nbytes() == bytes;
}
/// With which base every element has the bits that the product gives, zeros of both signs and infinity among them.
std::optional<double> base_of(Product& p) {
    auto& [out, left, right, alpha, beta] = p.arguments();
    const Tensor a = numbers(left, 1), b = numbers(right, 2), before = numbers(out, 3);
    for (const Tensor& t : {a, b}) {
        const std::int64_t last = t.numel() - 1, dim = t.size(0) == 1;
        const double odd[] = {0.0, -0.0, HUGE_VAL};
        for (std::int64_t i = 0; i < 3 && i < last; ++i) t.narrow(dim, i, 1).fill_(odd[i]);
    }
    const Tensor product = copy_of(before), kept = copy_of(before);
    cpu::mm(product, a, b, alpha, beta);
    for (const double base : {-0.0, 0.0}) {
        reel::detail::OuterProduct(a, b, base).write(static_cast<char*>(kept.data_ptr()));
        if (same_bytes(product, kept)) return base;
    }
    return std::nullopt;
}

} // namespace

std::vector<OuterGradient> keep_outer_gradients(Recording& recording) {
    Recorder& r = recording.recorder;
    std::vector<OuterGradient> kept;
    for (std::size_t s = recording.forward_steps; s < r.steps.size(); ++s) {
        Step& step = r.steps[s];
        Product* const p = product_of(step);
        if (!p || step.written.size() != 1) continue;
        const int m = step.written[0];
        const Memory& memory = r.memories[std::size_t(m)];
        const bool alone = memory.origin == Origin::Fresh && memory.first == int(s) && memory.last == int(s);
        if (!alone || memory.bytes < small || !is_outer(*p, memory.bytes) || !is_one_gradient(recording, m)) continue;
        const std::optional<double> base = base_of(*p);
        if (!base) continue;
        auto factors =
            std::make_unique<KeptFactors>(std::get<Left>(p->arguments()), std::get<Right>(p->arguments()), *base);
        kept.push_back({m, factors.get()});
        step.call = std::move(factors);
    }
    return kept;
}

} // namespace reel::jit::replay
