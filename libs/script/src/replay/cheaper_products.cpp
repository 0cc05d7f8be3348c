#include "replay/cheaper_products.hpp"

#include <algorithm>
#include <chrono>
#include <map>

#include <reel/autograd/kernels/copy.hpp>

#include "replay/plan.hpp"
#include "replay/products.hpp"

namespace reel::jit::replay {

namespace {

/// What was done elsewhere.
class Nothing final : public KernelCall {
public:
    void run() override {}
};
/// The first product that takes a turned weight turns it.
class TurnFirst final : public KernelCall {
public:
    TurnFirst(Tensor from, Tensor to, std::unique_ptr<KernelCall> product)
        : from_(std::move(from)), to_(std::move(to)), product_(std::move(product)) {}
    void run() override {
        cpu::copy(to_, from_, false);
        product_->run();
    }

private:
    Tensor from_, to_;
    std::unique_ptr<KernelCall> product_;
};

/// The shape of a product, and how its operands lie.
using Shape = std::vector<std::int64_t>;
Shape shape_of(Product& p) {
    auto& [out, a, b, alpha, beta] = p.arguments();
    return {std::int64_t(out.scalar_type()),
            a.size(0),
            a.size(1),
            b.size(1),
            a.strides()[0],
            a.strides()[1],
            b.strides()[0],
            b.strides()[1],
            std::int64_t(beta)};
}

/// The least of several runs, in nanoseconds.
template <class F> std::int64_t time_of(F&& f) {
    using Clock = std::chrono::steady_clock;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (int i = 0; i < 7; ++i) {
        const auto begin = Clock::now();
        f();
        least = std::min<std::int64_t>(least, (Clock::now() - begin).count());
    }
    return least;
}
/// Does the product added to `sum` on its way give, sooner, what `add`, a loop with the sum at the places `sum` and the
/// product at `product`, makes of both?
bool adding_pays(Product& p, const FlatLoop& add, const bool (&is_sum)[FlatLoop::most]) {
    auto& [out, left, right, alpha, beta] = p.arguments();
    const Tensor a = numbers(left, 1), b = numbers(right, 2), before = numbers(out, 3);
    const Tensor apart = copy_of(before), product = copy_of(before), together = copy_of(before);
    char* data[FlatLoop::most];
    std::int64_t steps[FlatLoop::most];
    for (int i = 0; i < add.operands; ++i) {
        const Tensor& t = is_sum[i] ? apart : product;
        const bool number = add.places[i].memory < 0;
        data[i] = number ? const_cast<char*>(add.number) : static_cast<char*>(t.data_ptr());
        steps[i] = add.places[i].step;
    }
    const auto one_by_one = [&] {
        cpu::mm(product, a, b, alpha, 0);
        add.loop(data, steps, add.count, add.rule.data());
    };
    one_by_one();
    cpu::mm(together, a, b, alpha, 1);
    return same_bytes(apart, together) && time_of([&] { cpu::mm(together, a, b, alpha, 1); }) < time_of(one_by_one);
}

/// Is the product of the turned copy the same, and is turning repaid by `uses` of it?
bool turning_pays(Product& p, std::int64_t uses) {
    auto& [out, left, right, alpha, beta] = p.arguments();
    const Tensor a = numbers(left, 1), b = numbers(right, 2), turned = copy_of(b), before = numbers(out, 3);
    const Tensor with = copy_of(before), without = copy_of(before);
    cpu::mm(with, a, turned, alpha, beta);
    cpu::mm(without, a, b, alpha, beta);
    if (!same_bytes(with, without)) return false;
    const std::int64_t fast = time_of([&] { cpu::mm(with, a, turned, alpha, 0); });
    const std::int64_t slow = time_of([&] { cpu::mm(without, a, b, alpha, 0); });
    return uses * fast + time_of([&] { cpu::copy(turned, b, false); }) < uses * slow * 9 / 10;
}

// --- What a recording offers

class Improver {
public:
    explicit Improver(Recording& recording) : recording_(recording), r_(recording.recorder), steps_(r_.steps) {
        touching_.resize(r_.memories.size());
        for (std::size_t s = 0; s < steps_.size(); ++s)
            for (const int m : steps_[s].touched) touching_[std::size_t(m)].push_back(s);
        for (const auto* slots : {&recording.outputs, &recording.gradients})
            for (const Slot& slot : *slots)
                if (slot.memory >= 0) touching_[std::size_t(slot.memory)].push_back(steps_.size()); // the caller
    }
    void run() {
        for (std::size_t s = 0; s < steps_.size(); ++s) add_on_the_way(s);
        turn(0, recording_.forward_steps);
        turn(recording_.forward_steps, steps_.size());
    }

private:
    bool same_program(std::size_t a, std::size_t b) const {
        return (a < recording_.forward_steps) == (b < recording_.forward_steps);
    }
    /// The product of step `s` goes into the sum that another step would add it to.
    void add_on_the_way(std::size_t s) {
        Product* const p = product_of(steps_[s]);
        if (!p || std::get<Beta>(p->arguments()) != 0 || steps_[s].written.size() != 1) return;
        const int product = steps_[s].written[0];
        const auto& touches = touching_[std::size_t(product)];
        if (touches.size() != 2 || touches[0] != s || touches[1] == steps_.size()) return;
        const std::size_t later = touches[1];
        FlatLoop& add = steps_[later].flat;
        const Tensor& out = std::get<Out>(p->arguments());
        if (steps_[later].call || !same_program(s, later) || add.count != out.numel()) return;
        const Place sum = add.places[0];
        bool is_sum[FlatLoop::most] = {};
        if (!is_addition_to(add, sum, product, out, is_sum) || !is_there(sum.memory, s, later)) return;
        Shape key = shape_of(*p);
        key.push_back(reinterpret_cast<std::intptr_t>(add.loop));
        const auto [known, is_new] = adds_.emplace(std::move(key), false);
        if (is_new) known->second = adding_pays(*p, add, is_sum);
        if (!known->second) return;
        write_into(*p, s, later, product, sum);
    }
    /// Does the loop read the whole product, and the sum where it writes it?
    static bool is_addition_to(const FlatLoop& add, const Place& sum, int product, const Tensor& out,
                               bool (&is_sum)[FlatLoop::most]) {
        const auto size = std::int64_t(out.itemsize());
        const Place whole{product, out.storage_offset() * size, size};
        if (sum.memory < 0 || sum.memory == product || sum.step != size || sum.offset % size) return false;
        bool reads_sum = false, reads_product = false;
        for (int i = 0; i < add.operands; ++i) {
            const Place& p = add.places[i];
            is_sum[i] = p == sum;
            reads_sum = reads_sum || (i > 0 && is_sum[i]);
            reads_product = reads_product || p == whole;
            if (p.memory >= 0 && !is_sum[i] && !(p == whole)) return false;
        }
        return reads_sum && reads_product;
    }
    /// Does the sum exist before step `s`, and does nobody look at it up to `later`?
    bool is_there(int sum, std::size_t s, std::size_t later) const {
        const Memory& m = r_.memories[std::size_t(sum)];
        if (m.origin != Origin::Fresh || m.first < 0 || std::size_t(m.first) >= s) return false;
        if (!same_program(std::size_t(m.first), s)) return false;
        return std::ranges::none_of(touching_[std::size_t(sum)], [&](std::size_t t) { return t >= s && t < later; });
    }
    void write_into(Product& p, std::size_t s, std::size_t later, int product, const Place& sum) {
        Tensor& out = std::get<Out>(p.arguments());
        out = stand_in(sum.memory, out, sum.offset / std::int64_t(out.itemsize()));
        std::get<Beta>(p.arguments()) = 1;
        auto& touched = steps_[s].touched;
        std::replace(touched.begin(), touched.end(), product, sum.memory);
        steps_[s].written = {sum.memory};
        Memory& gone = r_.memories[std::size_t(product)];
        gone.first = gone.last = -1;
        gone.bound.clear();
        touching_[std::size_t(product)].clear();
        std::ranges::replace(touching_[std::size_t(sum.memory)], later, s);
        steps_[later].call = std::make_unique<Nothing>();
        steps_[later].touched.clear();
        steps_[later].written.clear();
        Memory& m = r_.memories[std::size_t(sum.memory)];
        if (m.last == int(later)) m.last = int(s);
    }
    /// A dense tensor of the sizes of `like` at an element of the block.
    Tensor stand_in(int memory, const Tensor& like, std::int64_t offset) {
        TensorImplPtr impl(new TensorImpl(StoragePtr(), like.scalar_type(), kCPU));
        Dims strides(like.sizes());
        std::int64_t step = 1;
        for (std::size_t d = strides.size(); d-- > 0;) step *= std::exchange(strides[d], step);
        impl->set_geometry(like.sizes(), strides, offset);
        r_.memories[std::size_t(memory)].bound.push_back(impl);
        return Tensor(std::move(impl));
    }

    /// Which right operand it is: block, place, geometry.
    using Operand = std::vector<std::int64_t>;
    void turn(std::size_t begin, std::size_t end) {
        std::map<Operand, std::vector<std::size_t>> users;
        for (std::size_t s = begin; s < end; ++s) {
            Product* const p = product_of(steps_[s]);
            if (!p) continue;
            const Tensor& b = std::get<Right>(p->arguments());
            if (!StridedMatrix(b).transposed) continue;
            const int m = memory_of(b, steps_[s]);
            if (m < 0) continue;
            users[{m, b.storage_offset(), b.size(0), b.size(1), b.strides()[0], b.strides()[1],
                   std::int64_t(b.scalar_type())}]
                .push_back(s);
        }
        for (const auto& [operand, uses] : users)
            if (uses.size() > 1 && stays(int(operand[0]), begin, end)) turn_operand(uses);
    }
    /// The block that holds a stand-in, among those that the step touches.
    int memory_of(const Tensor& t, const Step& step) const {
        for (const int m : step.touched) {
            const Memory& memory = r_.memories[std::size_t(m)];
            if (memory.alias ? t.storage() == memory.alias : std::ranges::any_of(memory.bound, [&](const auto& b) {
                    return b.get() == t.impl().get();
                }))
                return m;
        }
        return -1;
    }
    bool stays(int memory, std::size_t begin, std::size_t end) const {
        for (std::size_t s = begin; s < end; ++s)
            if (std::ranges::find(steps_[s].written, memory) != steps_[s].written.end()) return false;
        return true;
    }
    void turn_operand(const std::vector<std::size_t>& uses) {
        Product& first = *product_of(steps_[uses[0]]);
        for (const std::size_t s : uses) // one shape is asked for all
            if (shape_of(*product_of(steps_[s])) != shape_of(first)) return;
        if (!turning_pays(first, std::int64_t(uses.size()))) return;
        const Tensor from = std::get<Right>(first.arguments());
        const int turned = int(r_.memories.size());
        r_.memories.push_back({.bytes = std::size_t(from.numel()) * from.itemsize(),
                               .written = true,
                               .first = int(uses.front()),
                               .last = int(uses.back())});
        const Tensor to = stand_in(turned, from, 0);
        for (const std::size_t s : uses) {
            std::get<Right>(product_of(steps_[s])->arguments()) = to;
            steps_[s].touched.push_back(turned);
        }
        Step& step = steps_[uses[0]];
        step.call = std::make_unique<TurnFirst>(from, to, std::move(step.call));
    }

    Recording& recording_;
    Recorder& r_;
    std::vector<Step>& steps_;
    std::vector<std::vector<std::size_t>> touching_; ///< of each block, by which steps
    std::map<Shape, bool> adds_;
};
} // namespace

void make_products_cheaper(Recording& recording) { Improver(recording).run(); }

} // namespace reel::jit::replay
