// Kernels by device, and host pointers.
#include <reel/autograd/kernel.hpp>

#include <typeinfo>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/error.hpp>
#include <reel/autograd/host_data.hpp>
#include <reel/autograd/ops.hpp>

using namespace reel;

namespace {
/// The message of the E, and no other, that `f` throws.
template <class E, class F> std::string message(F f) {
    try {
        f();
    } catch (const E& e) {
        if (typeid(e) == typeid(E)) return e.msg();
    } catch (const Error&) {
    }
    return "no such error was thrown";
}

double doubled_sum(const Tensor& t, double factor) { return factor * sum(t).item<double>(); }
void set_to(double value, const Tensor& out, const Tensor&) { fill_(out, value); }

constinit Kernel<double(const Tensor&, double)> weighed{"weighed", &doubled_sum};
constinit Kernel<void(double, const Tensor&, const Tensor&)> filled{"filled", &set_to};
constinit Kernel<void(const Tensor&)> nowhere{"nowhere"};

Tensor on_meta(IntArrayRef sizes, ScalarType t = kFloat) { return empty(sizes, TensorOptions(t).device(kMeta)); }
} // namespace

BOOST_AUTO_TEST_SUITE(kernels)

BOOST_AUTO_TEST_CASE(run_where_the_first_tensor_lives) {
    const Tensor x = ones({3}, kDouble);
    BOOST_TEST(weighed(x, 2) == 6);
    filled(5, x, Tensor());
    BOOST_TEST(weighed(x, 1) == 15);
    BOOST_TEST(weighed.name() == "weighed");
    BOOST_TEST(weighed.has(kCPU));
    BOOST_TEST(!weighed.has(kCUDA));
}

BOOST_AUTO_TEST_CASE(say_what_there_is) {
    const Tensor m = on_meta({2}, kHalf);
    BOOST_TEST(message<NotImplementedError>([&] { weighed(m, 1); }) ==
               "weighed: no kernel for device meta and dtype float16; available: cpu");
    BOOST_TEST(message<NotImplementedError>([&] { nowhere(ones({1})); }) ==
               "nowhere: no kernel for device cpu and dtype float32; available: none");
    weighed.set(kCUDA, &doubled_sum);
    BOOST_TEST(message<NotImplementedError>([&] { weighed(m, 1); }) ==
               "weighed: no kernel for device meta and dtype float16; available: cpu, cuda");
    weighed.set(kCUDA, nullptr);
    BOOST_TEST(!weighed.has(kCUDA));
}

BOOST_AUTO_TEST_CASE(have_nothing_to_fill_on_meta) {
    const Tensor m = on_meta({2});
    filled(1, m, ones({2}));
    nowhere(m);
    BOOST_TEST(m.is_meta());
}

BOOST_AUTO_TEST_CASE(take_operands_of_one_device) {
    filled.set(kMeta, &set_to);
    weighed.set(kMeta, [](const Tensor& t, double) { return double(t.numel()); });
    BOOST_TEST(weighed(on_meta({4}), 1) == 4);
    weighed.set(kMeta, nullptr);
    filled.set(kMeta, nullptr);
    static constinit Kernel<double(const Tensor&, const Tensor&)> both{"both"};
    both.set(kMeta, [](const Tensor& a, const Tensor&) { return double(a.numel()); });
    BOOST_TEST(both(on_meta({4}), Tensor()) == 4);
    BOOST_TEST(message<Error>([&] { both(on_meta({4}), ones({4})); }) ==
               "both: operands live on meta and cpu; move one of them with to()");
}

BOOST_AUTO_TEST_CASE(host_pointers_are_the_hosts) {
    const Tensor x = arange(4).to(kFloat), m = on_meta({2});
    BOOST_TEST(host_data<float>(x, "op")[3] == 3);
    BOOST_TEST(host_data(x, "op") == x.data_ptr());
    BOOST_TEST(host_data_or_null<float>(Tensor(), "op") == nullptr);
    BOOST_TEST(message<NotImplementedError>([&] { host_data(m, "spin"); }) ==
               "spin: no kernel for device meta and dtype float32; available: cpu");
    BOOST_TEST(message<TypeError>([&] { host_data<double>(x, "spin"); }) ==
               "data_ptr: the tensor holds Float elements, not Double");
    BOOST_CHECK_THROW(host_data(Tensor(), "spin"), Error);
}

BOOST_AUTO_TEST_SUITE_END()
