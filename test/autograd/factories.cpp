// Factories: memory formats, what `_like` keeps, integers drawn at random.
#include "tape_helpers.hpp"

#include <boost/test/unit_test.hpp>

#include <reel/autograd/like_factories.hpp>
#include <reel/autograd/tensor_factory.hpp>

using namespace reel;
using namespace tape_test;

BOOST_AUTO_TEST_SUITE(factories)

BOOST_AUTO_TEST_CASE(options_are_a_device_by_name_or_by_kind_and_number) {
    const std::string name = "meta";
    BOOST_TEST((zeros({2}, name).device() == Device(kMeta)));
    BOOST_TEST((zeros({2}).to(name).device() == Device(kMeta)));
    const std::int64_t number = 3;
    BOOST_TEST((TensorOptions(kCUDA, number).device() == Device(kCUDA, 3)));
    BOOST_TEST((TensorOptions({kCUDA, 1}).device() == Device(kCUDA, 1)));
    BOOST_TEST((TensorOptions(Device(kCUDA, 1)).device() == Device(kCUDA, 1)));
    BOOST_TEST((zeros({2}, {kMeta, 0}).device() == Device(kMeta, 0)));
    BOOST_TEST(zeros({2}).to({kCPU, 0}).device().is_cpu());
    BOOST_CHECK_EXCEPTION(TensorOptions(std::string("gpu")), Error, says("gpu"));
    BOOST_TEST((TypeMeta::Make<float>() == zeros({2}, kFloat).dtype()));
    BOOST_TEST((zeros({2}, kFloat).dtype().Match<float>() && !zeros({2}, kFloat).dtype().Match<double>()));
    BOOST_TEST((scalarTypeToTypeMeta(kHalf) == zeros({2}, kHalf).dtype()));
    BOOST_TEST((typeMetaToScalarType(zeros({2}, kHalf).dtype()) == kHalf));
}
BOOST_AUTO_TEST_CASE(memory_formats) {
    const auto last = TensorOptions().memory_format(MemoryFormat::ChannelsLast);
    BOOST_TEST(zeros({2, 3, 4, 5}, last).strides() == (std::vector<std::int64_t>{60, 1, 15, 3}));
    BOOST_TEST(empty({2, 3, 4, 5}, last).is_contiguous(MemoryFormat::ChannelsLast));
    BOOST_CHECK_EXCEPTION(zeros({2, 3}, last), Error, says("channels_last needs a 4-D tensor"));
    BOOST_CHECK_EXCEPTION(empty({2, 3}, TensorOptions().memory_format(MemoryFormat::Preserve)), ValueError,
                          says("no tensor whose layout could be preserved"));
    const Tensor t = zeros({3, 2}).t();
    BOOST_TEST(ones_like(t).strides() == t.strides());
    const MemoryFormat rows = MemoryFormat::Contiguous;
    for (const Tensor& r : {empty_like(t, {}, rows), zeros_like(t, {}, rows), ones_like(t, {}, rows),
                            full_like(t, 3, {}, rows), rand_like(t, {}, rows), randn_like(t, {}, rows),
                            randint_like(t, 4, TensorOptions(), rows), randint_like(t, 1, 4, TensorOptions(), rows)})
        BOOST_TEST(r.is_contiguous());
    BOOST_CHECK_EXCEPTION(ones_like(t, TensorOptions().memory_format(rows), rows), ValueError,
                          says("both in the options and as an argument"));
}

BOOST_AUTO_TEST_CASE(random_like_factories_keep_layout_and_options) {
    const Tensor t = zeros({2, 3}).t();
    for (const Tensor& r : {rand_like(t, TensorOptions(kDouble).requires_grad(true)),
                            randn_like(t, TensorOptions(kDouble).requires_grad(true))}) {
        BOOST_TEST(r.strides() == t.strides());
        BOOST_TEST((r.scalar_type() == kDouble));
        BOOST_TEST(r.requires_grad());
        BOOST_TEST(r.is_leaf());
    }
    BOOST_TEST((randint_like(t, 5, kLong).scalar_type() == kLong));
}

// What PyTorch 2.15 draws after torch.manual_seed(1).
BOOST_AUTO_TEST_CASE(random_integers_are_those_of_pytorch) {
    manual_seed(1);
    BOOST_TEST(empty({4}).random_().equal(tensor({12710843., 4685804., 6762196., 12325722.}, kFloat)));
    const std::vector<std::int64_t> wide{2109959069025161, 5577051506714156677, 2707168392203228096};
    BOOST_TEST(empty({3}, kLong).random_().equal(tensor(wide)));
    BOOST_TEST(empty({3}, kInt).random_().equal(tensor({396591248, 1703301249, 799981516}, kInt)));
    BOOST_TEST(empty({3}, kByte).random_().equal(tensor({71, 237, 252}, kByte)));
    BOOST_TEST(empty({3}, kBool).random_().equal(tensor({false, true, false})));
    BOOST_TEST(empty({3}, kDouble)
                   .random_()
                   .equal(tensor({2204608513461817., 5261599873599761., 2473713062049625.}, kDouble)));
    BOOST_TEST(empty({3}, kHalf).random_().to(kFloat).equal(tensor({510., 2020., 725.}, kFloat)));
    BOOST_TEST(empty({3}, kBFloat16).random_().to(kFloat).equal(tensor({186., 124., 105.}, kFloat)));
    BOOST_TEST(empty({3}).random_(5).equal(tensor({1., 2., 3.}, kFloat)));
}

// Also in memory order, wherever the elements lie.
BOOST_AUTO_TEST_CASE(random_numbers_fill_memory_in_order) {
    const auto transposed = [] {
        manual_seed(1);
        return empty({2, 3}).t();
    };
    BOOST_TEST(transposed().random_(0, 100).equal(tensor({{45., 68.}, {39., 63.}, {24., 13.}}, kFloat)));
    Tensor x = transposed();
    BOOST_TEST(x.uniform_()[2][1].item<float>() == 0.7998586297035217f);
    BOOST_TEST(x[1][0].item<float>() == 0.2793108820915222f);
    x = transposed();
    BOOST_TEST(x.normal_()[1][0].item<float>() == 0.266924113035202f);
    manual_seed(1);
    BOOST_TEST(rand_like(zeros({2, 3}).t())[2][1].item<float>() == 0.7998586297035217f);
}

BOOST_AUTO_TEST_CASE(random_ranges_must_fit_the_dtype) {
    BOOST_CHECK_EXCEPTION(empty({3}, kChar).random_(300), ValueError,
                          says("random_: the range from 0 to 299 does not fit int8", "-128 to 127"));
    BOOST_CHECK_EXCEPTION(empty({3}).random_(5, 5), Error, says("expected low < high, got 5 and 5"));
    // Beyond what a floating dtype tells apart PyTorch warns, and draws.
    const WarningUtils::WarnAlways always;
    const Warnings warnings;
    BOOST_TEST(empty({3}, kHalf).random_(3000).lt(3001).all().item<bool>());
    BOOST_TEST(warnings.mention("float16 tells integers apart from -2048 to 2048"));
}

BOOST_AUTO_TEST_CASE(generators_of_their_own) {
    Generator g = make_generator<CPUGeneratorImpl>(1);
    BOOST_TEST(empty({4}).random_(g).equal(tensor({12710843., 4685804., 6762196., 12325722.}, kFloat)));
    g.set_current_seed(1);
    const Tensor again = empty({4}).random_(g);
    BOOST_TEST(again[0].item<float>() == 12710843.f);
}

BOOST_AUTO_TEST_CASE(complex_elements_do_not_become_real) {
    BOOST_CHECK_EXCEPTION(tensor(std::complex<double>(1, 2), kFloat), TypeError,
                          says("tensor: complex elements cannot become float32"));
    BOOST_CHECK_EXCEPTION(tensor(std::vector<std::complex<float>>{{1, 2}}, kLong), TypeError, says("int64"));
    BOOST_TEST(tensor(std::complex<double>(1, 2), kComplexFloat).scalar_type() == kComplexFloat);
}
BOOST_AUTO_TEST_CASE(conversions_take_options_that_ask_for_no_gradient) {
    const Tensor x = leaf({1, 2});
    BOOST_TEST(x.to(TensorOptions(kFloat).requires_grad(false)).requires_grad()); // a recorded conversion
    BOOST_CHECK_EXCEPTION(x.to(TensorOptions().requires_grad(true)), Error, says("requires_grad cannot be set"));
}

BOOST_AUTO_TEST_SUITE_END()
