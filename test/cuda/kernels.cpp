// The device's first kernels against the CPU's: copies, the pointwise family, sums, products, and gradients through
// them.
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

#include <reel/autograd.hpp>
#include <reel/autograd/op.hpp>
#include <reel/cuda.hpp>

#include "cuda/needs_device.hpp"
#include "properties/sample.hpp"

using reel::Tensor;

namespace {

const reel::Device gpu{reel::kCUDA, 0};

Tensor on_device(const Tensor& t) { return t.to(gpu); }
Tensor on_host(const Tensor& t) { return t.to(reel::Device(reel::kCPU)); }

double largest(const Tensor& t) { return (t.is_complex() ? t : t.to(reel::kDouble)).abs().max().item().toDouble(); }
double largest_difference(const Tensor& a, const Tensor& b) {
    BOOST_REQUIRE(a.sizes().equals(b.sizes()));
    BOOST_REQUIRE(a.scalar_type() == b.scalar_type());
    if (a.numel() == 0) return 0;
    return largest(a.is_complex() ? a - b : a.to(reel::kDouble) - b.to(reel::kDouble));
}

} // namespace

BOOST_AUTO_TEST_SUITE(cuda_kernels, *boost::unit_test::precondition(needs::device))

BOOST_AUTO_TEST_CASE(properties_of_the_device) {
    const reel::cuda::DeviceProperties p = reel::cuda::get_device_properties(0);
    BOOST_TEST(!p.name.empty());
    BOOST_TEST(p.major >= 7);
    BOOST_TEST(p.total_memory > 0u);
}

BOOST_AUTO_TEST_CASE(copies_there_and_back_keep_every_bit) {
    for (const reel::ScalarType t :
         {reel::kFloat, reel::kDouble, reel::kHalf, reel::kBFloat16, reel::kLong, reel::kByte, reel::kBool}) {
        const Tensor x = (reel::randn({3, 5, 7}) * 10).to(t);
        const Tensor there = on_device(x);
        BOOST_TEST(there.is_cuda());
        BOOST_TEST(largest_difference(on_host(there), x) == 0);
        BOOST_TEST(largest_difference(on_host(there.transpose(0, 2)), x.transpose(0, 2)) == 0);
        BOOST_TEST(largest_difference(on_host(there.to(reel::kDouble)), x.to(reel::kDouble)) == 0);
        BOOST_TEST(largest_difference(on_host(on_device(x.transpose(0, 1).slice(2, 1, 7, 2))),
                                      x.transpose(0, 1).slice(2, 1, 7, 2)) == 0);
    }
}

BOOST_AUTO_TEST_CASE(filling_and_writing_into_views) {
    const Tensor host = reel::zeros({4, 6}), there = on_device(host);
    host.select(1, 2).fill_(3);
    there.select(1, 2).fill_(3);
    const Tensor row = reel::arange(6).to(reel::kFloat);
    host.select(0, 1).copy_(row);
    there.select(0, 1).copy_(row);
    BOOST_TEST(largest_difference(on_host(there), host) == 0);
}

BOOST_AUTO_TEST_CASE(pointwise_rules_agree_with_the_cpu) {
    int compared = 0;
    for (const properties::Sample& sample : properties::samples()) {
        if (!sample.over_domain) continue;
        const reel::autograd::variable_list here = sample.operands();
        const Tensor want = sample.run().at(0);
        for (const bool transposed : {false, true}) {
            reel::autograd::variable_list there;
            for (const Tensor& t : here) there.push_back(transposed ? on_device(t.t().contiguous()).t() : on_device(t));
            Tensor got;
            try {
                got = sample.with(there).run().at(0);
            } catch (const reel::NotImplementedError&) { // a rule that only the host can compute
                continue;
            }
            ++compared;
            BOOST_TEST(got.is_cuda(), sample.name());
            BOOST_TEST(largest_difference(on_host(got), want) < 1e-12 * (1 + largest(want)), sample.name());
        }
    }
    BOOST_TEST(compared > 150);
    const Tensor x = reel::rand({37, 29}, reel::TensorOptions().dtype(reel::kDouble));
    BOOST_TEST(largest_difference(on_host(on_device(x) * 3 + 1), x * 3 + 1) < 1e-12);
    BOOST_TEST(largest_difference(on_host(2 - on_device(x)), 2 - x) < 1e-12);
}

BOOST_AUTO_TEST_CASE(sums_of_long_short_and_many_rows) {
    const auto doubles = reel::TensorOptions().dtype(reel::kDouble);
    for (const std::vector<std::int64_t>& shape :
         {std::vector<std::int64_t>{1000003}, {70000, 3}, {5, 4000}, {3, 40000}, {2, 3, 4}}) {
        const Tensor x = reel::rand(shape, doubles);
        BOOST_TEST(largest_difference(on_host(on_device(x).sum()), x.sum()) < 1e-6);
        BOOST_TEST(largest_difference(on_host(on_device(x).sum(0)), x.sum(0)) < 1e-8);
        BOOST_TEST(largest_difference(on_host(on_device(x).sum(-1)), x.sum(-1)) < 1e-8);
    }
    const Tensor ones = on_device(reel::ones({100000}, reel::TensorOptions().dtype(reel::kBFloat16)));
    BOOST_TEST(on_host(ones.sum()).to(reel::kDouble).item().toDouble() == 99840); // rounded once, at the end
}

BOOST_AUTO_TEST_CASE(products_with_every_transposition) {
    const auto doubles = reel::TensorOptions().dtype(reel::kDouble);
    const Tensor a = reel::randn({31, 17}, doubles), b = reel::randn({17, 23}, doubles);
    const Tensor at = on_device(a.t().contiguous()).t(), bt = on_device(b.t().contiguous()).t();
    const Tensor want = reel::mm(a, b);
    BOOST_TEST(largest_difference(on_host(reel::mm(on_device(a), on_device(b))), want) < 1e-10);
    BOOST_TEST(largest_difference(on_host(reel::mm(at, on_device(b))), want) < 1e-10);
    BOOST_TEST(largest_difference(on_host(reel::mm(on_device(a), bt)), want) < 1e-10);
    BOOST_TEST(largest_difference(on_host(reel::mm(at, bt)), want) < 1e-10);
    BOOST_CHECK_THROW((void)reel::mm(on_device(a), b), reel::Error);
}

BOOST_AUTO_TEST_CASE(gradients_flow_on_the_device) {
    const auto doubles = reel::TensorOptions().dtype(reel::kDouble);
    const Tensor w = reel::randn({8, 4}, doubles), x = reel::randn({5, 8}, doubles);
    const auto loss = [](const Tensor& x, const Tensor& w) { return reel::tanh(reel::mm(x, w)).square().sum(); };
    const Tensor host = w.clone().requires_grad_(), there = on_device(w).requires_grad_();
    loss(x, host).backward();
    loss(on_device(x), there).backward();
    BOOST_TEST(there.grad().is_cuda());
    BOOST_TEST(largest_difference(on_host(there.grad()), host.grad()) < 1e-10);
}

BOOST_AUTO_TEST_CASE(streams_and_events_order_work) {
    const reel::cuda::Stream side;
    reel::cuda::Event begin(true), end(true);
    Tensor x = on_device(reel::ones({1 << 20}));
    reel::cuda::synchronize();
    reel::cuda::record_stream(x, side); // its memory is the default stream's
    {
        const reel::cuda::StreamGuard guard(side);
        BOOST_TEST((reel::cuda::current_stream() == side));
        begin.record(side);
        for (int i = 0; i < 10; ++i) x = x + x;
        end.record(side);
    }
    end.synchronize();
    BOOST_TEST(begin.elapsed_time(end) >= 0.f);
    BOOST_TEST(side.query());
    BOOST_TEST(on_host(x).select(0, 0).item().toDouble() == 1024);
}

BOOST_AUTO_TEST_CASE(memory_is_counted_and_returned) {
    reel::cuda::synchronize(); // what other tests have freed is returned in the order of its stream
    const std::size_t before = reel::cuda::memory_stats().allocated_bytes;
    {
        const Tensor x = reel::empty({1 << 20}, reel::TensorOptions().device(gpu));
        BOOST_TEST(reel::cuda::memory_stats().allocated_bytes >= before + (4u << 20));
    }
    reel::cuda::synchronize();
    BOOST_TEST(reel::cuda::memory_stats().allocated_bytes <= before + (1u << 20));
    reel::cuda::empty_cache();
}

BOOST_AUTO_TEST_SUITE_END()
