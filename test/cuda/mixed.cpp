// Operands that do not live together, and layouts of those that do: numbers of the host, indices, results, views.
#include <boost/test/unit_test.hpp>

#include <string>

#include <reel/autograd.hpp>

#include "cuda/on_device.hpp"

using namespace reel;

namespace {

auto names(const char* first, const char* second) {
    return [=](const Error& e) {
        const bool both = e.msg().find(first) != std::string::npos && e.msg().find(second) != std::string::npos;
        if (!both) BOOST_TEST_MESSAGE(e.msg());
        return both;
    };
}
const auto cpu_and_cuda = names("cuda:0", "cpu");

} // namespace

BOOST_AUTO_TEST_SUITE(cuda_mixed, *boost::unit_test::precondition(needs::device))

BOOST_AUTO_TEST_CASE(a_number_of_the_host_meets_a_tensor_of_the_device) {
    const Tensor x = arange(6, TensorOptions(kFloat)).view({2, 3}), there = there::put(x);
    const Tensor two = full({}, 2.0, TensorOptions(kDouble));
    BOOST_TEST(there::distance(there * two, x * two) == 0);
    BOOST_TEST(there::distance(two - there, two - x) == 0);
    BOOST_TEST(there::distance(maximum(there, two.to(kFloat)), maximum(x, two.to(kFloat))) == 0);
    BOOST_TEST(there::distance(where(there > two, there, two.to(kFloat)), where(x > two, x, two.to(kFloat))) == 0);
    Tensor changed = there.clone();
    changed.add_(two).mul_(two);
    BOOST_TEST(there::distance(changed, (x + 2) * 2) == 0);
    // gradients of the number come back to the host
    const Tensor factor = full({}, 3.0).requires_grad_(), moved = there::put(x).requires_grad_();
    (moved * factor).sum().backward();
    BOOST_TEST(factor.grad().is_cpu());
    BOOST_TEST(factor.grad().item<double>() == 15);
    BOOST_TEST(there::distance(moved.grad(), full({2, 3}, 3.0)) == 0);
}

BOOST_AUTO_TEST_CASE(operands_here_and_there_are_an_error_that_names_both) {
    const Tensor x = ones({2, 2}), there = there::put(x);
    BOOST_CHECK_EXCEPTION(there + x, Error, cpu_and_cuda);
    BOOST_CHECK_EXCEPTION(mm(there, x), Error, cpu_and_cuda);
    BOOST_CHECK_EXCEPTION(cat({there, x}), Error, cpu_and_cuda);
    BOOST_CHECK_EXCEPTION(linear(there, x), Error, cpu_and_cuda);
    BOOST_CHECK_EXCEPTION(where(there > 0, x, there), Error, cpu_and_cuda);
    BOOST_CHECK_EXCEPTION(conv2d(there.view({1, 1, 2, 2}), x.view({1, 1, 2, 2})), Error, cpu_and_cuda);
    Tensor a = there.clone(), b = x.clone();
    BOOST_CHECK_EXCEPTION(a.add_(x), Error, cpu_and_cuda);
    BOOST_CHECK_EXCEPTION(b.add_(there), Error, cpu_and_cuda);
    BOOST_CHECK_EXCEPTION(add_out(b, there, there), Error, cpu_and_cuda);
    BOOST_TEST(there::distance(a, x) == 0); // nothing was written
    BOOST_TEST(equal(b, x));
}

BOOST_AUTO_TEST_CASE(indices_live_with_the_tensor_or_say_so) {
    const Tensor x = arange(12, TensorOptions(kFloat)).view({4, 3}), there = there::put(x), rows = tensor({2, 0});
    BOOST_TEST(there::distance(there.index_select(0, there::put(rows)), x.index_select(0, rows)) == 0);
    BOOST_TEST(there::distance(there.index({rows}), x.index({rows})) == 0); // as in PyTorch, these may be the host's
    BOOST_CHECK_EXCEPTION(there.index_select(0, rows), Error, cpu_and_cuda);
    BOOST_CHECK_EXCEPTION(gather(there, 0, rows.view({1, 2})), Error, cpu_and_cuda);
    BOOST_CHECK_EXCEPTION(embedding(there, rows), Error, cpu_and_cuda);
    BOOST_CHECK_EXCEPTION(x.index_select(0, there::put(rows)), Error, cpu_and_cuda);
    BOOST_CHECK_EXCEPTION(x.index({there::put(rows)}), Error, cpu_and_cuda);
    BOOST_CHECK_EXCEPTION(there.index_select(0, there::put(tensor({4}))), IndexError, names("4", "index_select"));
}

BOOST_AUTO_TEST_CASE(views_of_every_kind_are_read_and_written) {
    for (const ScalarType t : {kFloat, kHalf, kLong, kByte, kBool, kComplexFloat}) {
        const Tensor base = (arange(48, TensorOptions(kDouble)) % 5).to(t).view({4, 3, 4}), there = there::put(base);
        const auto compare = [&](auto&& view) {
            BOOST_TEST(equal(view(there).contiguous().cpu(), view(base).contiguous()), dtype_name(t));
            Tensor here = base.clone(), moved = there.clone();
            view(here).copy_(ones_like(view(here)));
            view(moved).copy_(ones_like(view(moved)));
            BOOST_TEST(equal(moved.cpu(), here), dtype_name(t));
        };
        compare([](const Tensor& x) { return x.transpose(0, 2); });
        compare([](const Tensor& x) { return x.slice(1, 1, 3).slice(2, 0, 4, 3); });
        compare([](const Tensor& x) { return x.permute({1, 2, 0}).select(0, 1); });
        compare([](const Tensor& x) { return x.slice(0, 2, 2); }); // nothing
        compare([](const Tensor& x) { return x[1][2][3]; });       // without dimensions
        const auto expanded = [](const Tensor& x) { return x.slice(0, 0, 1).expand({4, 3, 4}); };
        BOOST_TEST(equal(expanded(there).contiguous().cpu(), expanded(base).contiguous()));
        if (t != kBool) BOOST_TEST(equal((expanded(there) + there).cpu(), expanded(base) + base));
    }
}

BOOST_AUTO_TEST_CASE(copies_that_do_not_block_are_in_order_with_what_uses_them) {
    Tensor sum = zeros({64}, TensorOptions().device(there::gpu)), back = empty({64}).pin_memory();
    for (int i = 0; i < 5; ++i) {
        Tensor page = full({64}, double(i)).pin_memory();
        const cuda::Stream side;
        Tensor moved;
        {
            const cuda::StreamGuard guard(side);
            moved = page.to(there::gpu, kFloat, true);
        }
        page = Tensor(); // read later, and not before serving others
        cuda::Event ready;
        ready.record(side);
        ready.block(cuda::current_stream());
        sum += moved;
        cuda::record_stream(moved, cuda::current_stream());
    }
    back.copy_(sum, true);
    cuda::current_stream().synchronize();
    BOOST_TEST(equal(back, full({64}, 10.0)));
}

BOOST_AUTO_TEST_CASE(second_derivatives_go_through_the_device) {
    const auto second = [](Device device) {
        const Tensor x = (arange(12, TensorOptions(kDouble)) * 0.3).sin().view({3, 4}).to(device).requires_grad_();
        const Tensor w = (arange(8, TensorOptions(kDouble)) * 0.7).cos().view({2, 4}).to(device).requires_grad_();
        const Tensor y = log_softmax(gelu(linear(x, w)), 1).square().mean();
        const auto g = autograd::grad({y}, {x, w}, {}, true, true);
        (g[0].square().sum() + g[1].pow(3).sum()).backward();
        return std::pair(x.grad(), w.grad());
    };
    const auto want = second(kCPU), got = second(there::gpu);
    BOOST_TEST(there::distance(got.first, want.first) < 1e-12);
    BOOST_TEST(there::distance(got.second, want.second) < 1e-12);
}

BOOST_AUTO_TEST_SUITE_END()
