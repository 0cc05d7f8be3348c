// Factories and generators. Compiled, not run.
#include <reel/reel.hpp>

using namespace reel;

void options_in_the_steps_place() {
    arange(0, 10, kFloat);
    arange(1., 2, dtype(kDouble).requires_grad(true));
    arange(0, 10, TensorOptions());
    arange(0, 10, 2);
    eye(3, kDouble);
    eye(3, dtype(kDouble).requires_grad(true));
    tensor(ones({2}), kDouble);
}
void new_tensors() {
    auto t = ones({2, 2});
    empty({2});
    eye(3);
    eye(2, 3);
    empty_strided({2}, {1});
    scalar_tensor(3);
    t.new_empty({2});
    t.new_zeros({2});
    t.new_ones({2});
    t.new_full({2}, 1);
    arange(3);
    arange(1, 3);
    arange(1., 3., .5);
    linspace(0, 1, 3);
    randint(3, {2});
    randint(1, 3, {2});
    randperm(3);
    normal(0, 1, {2});
    normal(t, t);
    normal(t, 1.0);
    normal(0.0, t);
    bernoulli(t);
}
void generators() {
    auto t = ones({2, 2});
    Generator g = make_generator<CPUGeneratorImpl>(3);
    randn({2}, g);
    rand({2}, g, kDouble);
    randint(3, {2}, g);
    randperm(3, g);
    t.normal_(0, 1, g);
    t.uniform_(0, 1, g);
    t.bernoulli_(0.5, g);
    t.random_(g);
    detail::createCPUGenerator(3);
    detail::getDefaultCPUGenerator();
    Generator g2(kCPU);
    g2.manual_seed(3);
    g.set_current_seed(3);
    g.current_seed();
    g.seed();
    g.get_state();
    g.set_state(g.get_state());
    g.device();
    g.clone();
    std::lock_guard<std::mutex> l(g.mutex());
    g.defined();
}
void like_others() {
    auto t = ones({2, 2});
    empty_like(t);
    zeros_like(t, kDouble);
    ones_like(t, TensorOptions(), MemoryFormat::Contiguous);
    full_like(t, 2);
    rand_like(t);
    randn_like(t);
    randint_like(t, 3);
    randint_like(t, 1, 3);
}
void from_values() {
    tensor(3);
    tensor({1, 2});
    tensor({{1., 2.}, {3., 4.}});
    tensor(std::vector<float>{1});
    tensor(ArrayRef<int64_t>({1, 2}));
    tensor({{{}}});
    tensor({}, kFloat);
    tensor({true, false});
    float p[4];
    from_blob(p, {4});
    from_blob(p, {2, 2}, kFloat);
    from_blob(p, {2, 2}, IntArrayRef({1, 2}), kFloat);
    from_blob(p, {4}, [](void*) {});
    from_blob(
        p, {2, 2}, {1, 2}, [](void*) {}, kFloat);
}
