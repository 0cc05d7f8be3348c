// dtype and device of whole modules.
#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

using namespace reel;
using namespace reel::testing;
using nn::Module;

BOOST_AUTO_TEST_SUITE(conversions)

namespace {
struct Mixed : Module {
    Mixed() {
        w = register_parameter("w", ones({2}));
        c = register_parameter("c", ones({2}, kComplexFloat));
        register_buffer("s", ones({2}));
        register_buffer("n", ones({2}, kLong));
    }
    ScalarType of(const char* name) const {
        return has_parameter(name) ? own_parameters()[name].scalar_type() : own_buffers()[name].scalar_type();
    }
    Tensor w, c;
};
} // namespace

BOOST_AUTO_TEST_CASE(M_16_children_parameters_buffers_and_grad_mode) {
    nn::BatchNorm1d inner(1);
    nn::Sequential s{inner};
    s->register_parameter("w", ones({7}));
    s->register_buffer("b", ones({5}));
    std::string log;
    s->convert([&](const Tensor& t) {
        log += std::to_string(t.numel()) + (GradMode::is_enabled() ? "+ " : " ");
        return t;
    });
    // the child's weight, bias and three buffers; then its own; grad mode is off for parameters only
    BOOST_TEST(log == "1 1 1+ 1+ 1+ 7 5+ ");
    log.clear();
    s->convert([&](const Tensor& t) { return log += "x", t; }, false);
    BOOST_TEST(log == "xx");
}

BOOST_AUTO_TEST_CASE(M_17_parameters_stay_the_same_objects) {
    Scale m;
    const Tensor before = m->w;
    int fired = 0;
    before.register_hook([&](const Tensor&) { ++fired; });
    const auto version = before._version();
    m->double_();
    BOOST_TEST(m->parameters()[0].is_same(before));
    BOOST_TEST(before.dtype() == kDouble);
    BOOST_TEST(before.requires_grad());
    BOOST_TEST(before._version() == version); // M-23
    m(full({}, 2.0, kDouble)).backward();
    BOOST_TEST(fired == 1);
    m->to(Device(kMeta)); // another family: a new parameter in the table
    BOOST_TEST(!m->own_parameters()["w"].is_same(before));
    BOOST_TEST(m->own_parameters()["w"].device().is_meta());
    BOOST_TEST(m->own_parameters()["w"].requires_grad());
    BOOST_TEST(nn::Parameter::is(m->own_parameters()["w"]));
}

BOOST_AUTO_TEST_CASE(M_18_gradients_and_buffers_follow) {
    Scale m;
    m->register_buffer("b", ones({}));
    m(leaf(2)).backward();
    const Tensor grad = m->w.grad(), buffer = m->own_buffers()["b"];
    m->double_();
    BOOST_TEST(m->w.grad().is_same(grad));
    BOOST_TEST(grad.dtype() == kDouble);
    BOOST_TEST(number(grad) == 2);
    BOOST_TEST(m->own_buffers()["b"].is_same(buffer)); // unlike the reference
    BOOST_TEST(buffer.dtype() == kDouble);
    const Tensor kept = m->own_buffers()["b"];
    m->double_(); // nothing to do: the same object
    BOOST_TEST(m->own_buffers()["b"].is_same(kept));
}

BOOST_AUTO_TEST_CASE(M_19_float_double_half_bfloat16_touch_floating_tensors_only) {
    Mixed m;
    const std::pair<void (Module::*)(), ScalarType> all[] = {
        {&Module::half, kHalf}, {&Module::bfloat16, kBFloat16}, {&Module::double_, kDouble}, {&Module::float_, kFloat}};
    for (const auto& [method, dtype] : all) {
        (m.*method)();
        BOOST_TEST(m.of("w") == dtype);
        BOOST_TEST(m.of("s") == dtype);
        BOOST_TEST(m.of("c") == kComplexFloat);
        BOOST_TEST(m.of("n") == kLong);
    }
}

BOOST_AUTO_TEST_CASE(M_20_to_a_dtype) {
    Mixed m;
    for (const ScalarType bad : {kLong, kBool}) {
        const std::string text = message_of<TypeError>([&] { m.to(bad); });
        BOOST_TEST(has(text, {"Mixed", "floating or complex", dtype_name(bad)}), text);
    }
    m.to(kDouble);
    BOOST_TEST(m.of("w") == kDouble);
    BOOST_TEST(m.of("c") == kDouble); // complex tensors become real
    BOOST_TEST(m.of("n") == kLong);
    WarningLog log;
    m.to(kComplexDouble);
    BOOST_TEST(m.of("w") == kComplexDouble);
    BOOST_TEST(m.of("n") == kLong);
    BOOST_TEST(log.any("complex"));
    m.to(Device(kCPU), kFloat);
    BOOST_TEST(m.of("w") == kFloat);
}

BOOST_AUTO_TEST_CASE(M_21_type_converts_everything) {
    Mixed m;
    m.type(kDouble);
    for (const char* name : {"w", "c", "s", "n"}) BOOST_TEST(m.of(name) == kDouble);
    const std::string text = message_of([&] { m.type(kLong); });
    BOOST_TEST(has(text, "int64"), text);
    m.requires_grad_(false);
    m.type(kLong);
    BOOST_TEST(m.of("w") == kLong);
}

BOOST_AUTO_TEST_CASE(M_22_empty_and_data_less_modules) {
    nn::Linear m(2, 3);
    m->to(Device(kMeta));
    BOOST_TEST(m->parameters()[0].sizes() == IntArrayRef({3, 2}));
    const std::string text = message_of<NotImplementedError>([&] { m->to(Device(kCPU)); });
    BOOST_TEST(has(text, "to_empty"), text);
    m->to_empty(Device(kCPU));
    BOOST_TEST(m->parameters()[0].device().is_cpu());
    BOOST_TEST(m->parameters()[0].sizes() == IntArrayRef({3, 2}));
    BOOST_TEST(m->parameters()[0].requires_grad());
    nn::init::ones_(m->own_parameters()["weight"]);
}

BOOST_AUTO_TEST_CASE(M_23_cpu_keeps_everything) {
    Scale m;
    const Tensor before = m->w;
    m->cpu();
    BOOST_TEST(m->parameters()[0].is_same(before));
    BOOST_TEST(number(before) == 3);
}

BOOST_AUTO_TEST_SUITE_END()
