// Kernels by device, and host pointers.
#include <reel/autograd/kernel.hpp>

#include <type_traits>
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
    } catch (const Error& e) {
        if (typeid(e) == typeid(E)) return e.msg();
    }
    return "no such error was thrown";
}

double doubled_sum(const Tensor& t, double factor) { return factor * sum(t).item<double>(); }
void set_to(double value, const Tensor& out, const Tensor&) { fill_(out, value); }

constinit Kernel<double(const Tensor&, double), reel::kernels::Answers> weighed{"weighed", &doubled_sum};
constinit Kernel<void(double, const Tensor&, const Tensor&), reel::kernels::Writes<1>> filled{"filled", &set_to};
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
    filled(1, m, on_meta({2}));
    nowhere(m);
    BOOST_TEST(m.is_meta());
    BOOST_TEST(message<Error>([&] { filled(1, m, ones({2})); }) ==
               "filled: operands live on meta and cpu; move one of them with to()");
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

constinit Kernel<void(const char*, const Tensor&)> shared{"shared"};
constinit Kernel<void(const Tensor&, const Tensor&)> moved{"moved"};

template <class K> constexpr bool needs_words = !std::is_constructible_v<K, const char*, typename K::Function*>;
static_assert(needs_words<Kernel<void(const Tensor&)>>, "what the CPU's function does is said in the declaration");
static_assert(!needs_words<Kernel<void(const Tensor&), reel::kernels::Writes<0>>>);
static_assert(reel::kernels::Writes<1, 2>::written == 0b110 && reel::kernels::Draws<0>::written == 0b1);
static_assert(reel::kernels::Answers::written == 0 && reel::kernels::MayDecline::written == 0);
static_assert(std::is_same_v<decltype(filled)::does, reel::kernels::Writes<1>>);

BOOST_AUTO_TEST_CASE(speak_of_the_op_that_calls) {
    const Tensor x = ones({1});
    BOOST_TEST(message<NotImplementedError>([&] { shared("spin", x); }) ==
               "spin: no kernel for device cpu and dtype float32; available: none");
    BOOST_TEST(message<NotImplementedError>([&] { shared.require("turn", x); }) ==
               "turn: no kernel for device cpu and dtype float32; available: none");
    shared.set(kCPU, [](const char*, const Tensor& t) { t.fill_(2); });
    shared.require("turn", x);
    shared("spin", x);
    BOOST_TEST(x.item<float>() == 2);
}

BOOST_AUTO_TEST_CASE(may_be_asked_of_one_device_for_operands_of_two) {
    static int calls = 0;
    moved.set(kMeta, [](const Tensor&, const Tensor&) { ++calls; });
    const Tensor here = ones({2}), there = on_meta({2});
    moved.on(there, here, there);
    moved.on(there, there, here);
    BOOST_TEST(calls == 2);
    BOOST_TEST(message<NotImplementedError>([&] { moved.on(here, there, here); }) ==
               "moved: no kernel for device cpu and dtype float32; available: meta");
    moved.set(kMeta, nullptr);
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
