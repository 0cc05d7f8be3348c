// Page-locked memory: copies that the device makes by itself, and loaders that prepare for them.
#include <boost/test/unit_test.hpp>

#include <reel/autograd.hpp>
#include <reel/cuda.hpp>
#include <reel/data/detail/pinned.hpp>

#include "cuda/needs_device.hpp"

using reel::Tensor;

namespace {
const reel::Device gpu{reel::kCUDA, 0};
} // namespace

BOOST_AUTO_TEST_CASE(pinning_without_a_device_names_the_reason) {
    if (reel::cuda::is_available()) return;
    BOOST_CHECK_EXCEPTION((void)reel::ones({2}).pin_memory(), reel::Error, [](const reel::Error& e) {
        return e.msg() == "pin_memory: no CUDA device can be used: " + reel::cuda::unavailable_reason();
    });
    BOOST_TEST(!reel::ones({2}).is_pinned());
}

BOOST_AUTO_TEST_SUITE(cuda_pinned, *boost::unit_test::precondition(needs::device))

BOOST_AUTO_TEST_CASE(a_pinned_tensor_is_a_copy_with_the_same_numbers_and_layout) {
    const Tensor x = reel::arange(12, reel::kDouble).view({3, 4});
    BOOST_TEST(!x.is_pinned());
    const Tensor p = x.t().pin_memory();
    BOOST_TEST(p.is_pinned());
    BOOST_TEST(p.select(0, 1).is_pinned());
    BOOST_TEST(p.strides().equals(x.t().strides()));
    BOOST_TEST(p.equal(x.t()));
    BOOST_TEST(p.pin_memory().is_same(p));
    BOOST_TEST(!p.to(gpu).is_pinned());
    BOOST_CHECK_EXCEPTION((void)p.to(gpu).pin_memory(), reel::Error, [](const reel::Error& e) {
        return e.msg() == "pin_memory: the tensor is on cuda:0; only memory of the host can be page-locked";
    });
    BOOST_TEST(reel::empty({0}).pin_memory().numel() == 0);
}

BOOST_AUTO_TEST_CASE(pinning_is_recorded) {
    const Tensor w = reel::ones({3}).requires_grad_();
    (w.pin_memory() * 2).sum().backward();
    BOOST_TEST(w.grad().eq(2).all().item().toBool());
}

BOOST_AUTO_TEST_CASE(copies_from_pinned_memory_are_read_before_it_serves_others) {
    for (int i = 0; i < 8; ++i) {
        Tensor there;
        {
            const Tensor host = reel::full({5000}, double(i)).pin_memory();
            there = host.to(gpu, reel::kFloat, true);
        }
        const Tensor next = reel::full({5000}, 100.0).pin_memory(); // not where the copy still reads
        BOOST_TEST(there.to(reel::kCPU).eq(i).all().item().toBool());
        BOOST_TEST(next.eq(100).all().item().toBool());
    }
}

BOOST_AUTO_TEST_CASE(a_blocking_copy_from_pinned_memory_has_read_it) {
    const Tensor host = reel::full({5000}, 1.0).pin_memory();
    const Tensor there = host.to(gpu);
    host.fill_(2); // the copy is over
    BOOST_TEST(there.to(reel::kCPU).eq(1).all().item().toBool());
}

BOOST_AUTO_TEST_CASE(copies_to_pinned_memory_end_with_their_stream) {
    const Tensor there = reel::full({5000}, 3.0, reel::TensorOptions().device(gpu));
    const Tensor host = reel::zeros({5000}).pin_memory();
    host.copy_(there + 1, true);
    reel::cuda::current_stream().synchronize();
    BOOST_TEST(host.eq(4).all().item().toBool());
    const Tensor plain = reel::zeros({5000});
    plain.copy_(there + 1, true); // pageable: over when it returns
    BOOST_TEST(plain.eq(4).all().item().toBool());
}

BOOST_AUTO_TEST_CASE(batches_of_every_shape_are_pinned) {
    using reel::data::Example;
    std::vector<Example<>> batch{{reel::ones({2}), reel::zeros({1})}};
    reel::data::detail::pin(batch);
    BOOST_TEST(batch[0].data.is_pinned());
    BOOST_TEST(batch[0].target.is_pinned());
    std::pair<std::map<int, Tensor>, Example<std::vector<Tensor>, int>> nested{{{1, reel::ones({2})}},
                                                                               {{reel::ones({3})}, 5}};
    reel::data::detail::pin(nested);
    BOOST_TEST(nested.first[1].is_pinned());
    BOOST_TEST(nested.second.data[0].is_pinned());
}

BOOST_AUTO_TEST_CASE(tensors_move_between_devices_in_order) {
    if (reel::cuda::device_count() < 2) return;
    const reel::Device other{reel::kCUDA, 1};
    const Tensor x = reel::full({5000}, 3.0, reel::TensorOptions().device(gpu)) + 1;
    const Tensor y = x.to(other) * 2;
    BOOST_TEST((y.device() == other));
    BOOST_TEST(y.to(reel::kCPU).eq(8).all().item().toBool());
    const Tensor w = reel::ones({4}, reel::TensorOptions().device(gpu)).requires_grad_();
    (w.to(other) * 3).sum().backward();
    BOOST_TEST((w.grad().device() == gpu));
    BOOST_TEST(w.grad().to(reel::kCPU).eq(3).all().item().toBool());
}

BOOST_AUTO_TEST_SUITE_END()
