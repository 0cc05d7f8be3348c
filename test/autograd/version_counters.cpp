// Version counters and what they catch (rules E-38 to E-41).
#include "tape_helpers.hpp"

#include <reel/autograd/tensor_factory.hpp>

using namespace tape_test;

BOOST_AUTO_TEST_SUITE(version_counters)

BOOST_AUTO_TEST_CASE(E38_one_counter_per_family) { // E-38
    const Tensor t = vec({1, 2, 3, 4});
    const Tensor view = t.view({2, 2}), alias = t.detach(), raw = t.data(), copy = t.clone();
    BOOST_TEST(t._version() == 0);
    view.add_(1.0);
    {
        NoGradGuard guard;
        alias.mul_(2.0);
    }
    for (const Tensor& member : {t, view, alias}) BOOST_TEST(member._version() == 2);
    BOOST_TEST(raw._version() == 0);
    BOOST_TEST(copy._version() == 0);
    raw.zero_();
    BOOST_TEST(raw._version() == 1);
    BOOST_TEST(t._version() == 2); // though its values changed
    REEL_TEST_VALUES(t, 0, 0, 0, 0);
    t.fill_(1);
    t.copy_(copy);
    t.index_put_({0}, 5.0);
    BOOST_TEST(t._version() == 5);
}

BOOST_AUTO_TEST_CASE(E39_a_saved_tensor_at_another_version) { // E-39
    const Tensor x = leaf({2, 3});
    const Tensor b = x * 1.0, y = (b * b).sum();
    b += 1.0;
    BOOST_CHECK_EXCEPTION(y.backward(), Error,
                          says("modified by an in-place operation", "CPUDoubleType [2]", "output 0 of AddBackward0",
                               "is at version 1; expected version 0", "DetectAnomalyGuard"));
    const Tensor c = x * 1.0, z = (c + 1.0).sum();
    c += 1.0;
    BOOST_CHECK_NO_THROW(z.backward()); // nothing was saved
    const Tensor e = exp(x);
    e.mul_(2.0);
    BOOST_CHECK_EXCEPTION(e.sum().backward(), Error, says("output 0 of ExpBackward0", "version 1"));
}

BOOST_AUTO_TEST_CASE(E39_leaves_are_named_without_a_node) { // E-39
    const Tensor x = leaf({2}), w = vec({3}), y = x * w;
    w.add_(1.0);
    BOOST_CHECK_EXCEPTION(y.backward(), Error, [](const Error& e) {
        return says("CPUDoubleType [1]", "version 1")(e) &&
               std::string(e.what()).find("which is output") == std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(E40_a_node_that_saves_its_output_makes_no_cycle) { // E-40
    const Tensor x = leaf({1});
    Tensor y = exp(x);
    const auto node = y.grad_fn();
    const Storage* storage = y.storage().get();
    BOOST_TEST(node->use_count() == 2u); // the tensor and this handle
    BOOST_TEST(storage->use_count() == 2u);
    y.reset();
    BOOST_TEST(node->use_count() == 1u);
    // Restored with its history: second derivatives go through it.
    const Tensor z = exp(x), g = autograd::grad({z}, {x}, {}, true, true)[0];
    BOOST_TEST(item(autograd::grad({g}, {x})[0]) == std::exp(1.0), boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(E41_detach) { // E-41
    const Tensor x = leaf({1, 2}), y = x * 2.0;
    const Tensor d = y.detach();
    BOOST_TEST(d.is_alias_of(y));
    BOOST_TEST(!d.requires_grad());
    BOOST_TEST(d.is_leaf());
    BOOST_TEST(!d.is_view());
    d.add_(1.0);
    BOOST_TEST(y._version() == 1);
    const Tensor view = y.slice(0, 0, 1);
    BOOST_CHECK_EXCEPTION(view.detach_(), Error, says("view", "use detach()"));
    const Tensor z = x * 3.0;
    z.detach_();
    BOOST_TEST(!z.requires_grad());
    BOOST_TEST(z.is_leaf());
    const Tensor p = x * 3.0;
    p.retain_grad();
    const Tensor q = p * 2.0;
    p.detach_();
    BOOST_TEST(!p.retains_grad());
    q.sum().backward();
    BOOST_TEST(!p.grad().defined()); // T-14: nor does the old graph fill it any more
}

BOOST_AUTO_TEST_CASE(E41_a_saved_tensor_that_was_detached_in_place) { // E-41
    const Tensor x = leaf({2}), a = x * 3.0, y = a * a;
    a.detach_();
    BOOST_CHECK_EXCEPTION(y.backward(), Error, says("detached in place"));
    const Tensor e = exp(x), z = e * 1.0;
    e.detach_(); // the node's own saved output is not affected
    BOOST_CHECK_NO_THROW(z.backward());
    BOOST_TEST(item(x.grad()) == std::exp(2.0), boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(E9_set_data_stays_in_the_family) { // E-9, E-38
    const Tensor x = vec({1, 2}), alias = x.detach(), other = vec({5, 6});
    x.add_(1.0);
    x.set_data(other);
    x.add_(1.0);
    BOOST_TEST(x._version() == 2);
    BOOST_TEST(alias._version() == 2); // counts along, though it shows the old memory
    alias.mul_(2.0);
    BOOST_TEST(x._version() == 3);
    BOOST_TEST(other._version() == 0); // whose memory it is counts for itself
    REEL_TEST_VALUES(other, 6, 7);
    REEL_TEST_VALUES(alias, 4, 6);
    x.set_data(vec({0})); // once more
    x.zero_();
    BOOST_TEST(alias._version() == 4);
    const Tensor a = vec({1}), b = vec({2}); // equal counts do not join two families
    a.set_data(b);
    a.zero_();
    BOOST_TEST(b._version() == 0);
}
BOOST_AUTO_TEST_CASE(the_old_memory_goes_when_data_is_replaced) {
    double memory[] = {1, 2};
    bool freed = false;
    const Tensor x = from_blob(
        memory, {2}, [&](void*) { freed = true; }, TensorOptions(kDouble));
    x.set_data(zeros({2}, kDouble));
    BOOST_TEST(freed);
}
BOOST_AUTO_TEST_CASE(new_random_tensors_are_unmodified) {
    BOOST_TEST(rand({3})._version() == 0);
    BOOST_TEST(randn({3})._version() == 0);
    BOOST_TEST(randn({20})._version() == 0);
    BOOST_TEST(randint(0, 5, {3})._version() == 0);
    BOOST_TEST(normal(0, 1, {3})._version() == 0);
    BOOST_TEST(randn({3}).normal_()._version() == 1);
}
BOOST_AUTO_TEST_CASE(unsafe_pieces_count_alone) {
    for (const bool chunked : {false, true}) {
        const Tensor x = leaf({1, 2, 3, 4}), y = x * 1.0;
        const std::vector<Tensor> v = chunked ? y.unsafe_chunk(2) : y.unsafe_split(2);
        const Tensor z = v[1] * v[1];
        v[0].mul_(2.0);
        BOOST_TEST(v[1]._version() == 0);
        z.sum().backward();
        REEL_TEST_VALUES(x.grad(), 0, 0, 6, 8);
    }
}

BOOST_AUTO_TEST_SUITE_END()
