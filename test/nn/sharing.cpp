// Memory shared with forked processes, other backends, replicas for data parallelism.
#include "nn/testing.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

using namespace reel;
using namespace reel::testing;
using nn::Module;

BOOST_AUTO_TEST_SUITE(sharing)

BOOST_AUTO_TEST_CASE(M_23_what_a_forked_child_writes_is_seen_by_the_parent) {
    nn::BatchNorm1d m(2);
    const Tensor weight = m->weight, mean = m->running_mean;
    const auto version = weight._version();
    m->share_memory();
    BOOST_TEST(m->parameters()[0].is_same(weight)); // the same objects
    BOOST_TEST(m->running_mean.is_same(mean));
    BOOST_TEST(weight._version() == version);
    BOOST_TEST(equal(weight.detach(), ones({2})));
    const void* place = weight.data_ptr();
    m->share_memory(); // again: nothing to do
    BOOST_TEST(weight.data_ptr() == place);
    const pid_t child = fork();
    if (child == 0) {
        static_cast<float*>(weight.data_ptr())[0] = 5;
        static_cast<float*>(mean.data_ptr())[1] = 7;
        _exit(0);
    }
    int status = 0;
    BOOST_TEST_REQUIRE(waitpid(child, &status, 0) == child);
    BOOST_TEST(status == 0);
    BOOST_TEST(weight[0].item<double>() == 5);
    BOOST_TEST(mean[1].item<double>() == 7);
}

BOOST_AUTO_TEST_CASE(M_23_ties_and_views_stay_over_one_memory) {
    struct Plain : Module {};
    Plain m;
    const Tensor base = ones({4});
    m.register_buffer("all", base);
    m.register_buffer("part", base.slice(0, 2, 4));
    m.share_memory();
    m.own_buffers()["part"].fill_(3);
    BOOST_TEST(m.own_buffers()["all"][3].item<double>() == 3);
    BOOST_TEST(m.own_buffers()["all"][0].item<double>() == 1);
    m.to(Device(kMeta));
    BOOST_TEST(has(message_of([&] { m.share_memory(); }), {"Plain", "'all'", "meta", "cpu()"}));
}

BOOST_AUTO_TEST_CASE(M_23_backends_come_from_a_registry) {
    Scale m;
    const std::string text = message_of([&] { m->xpu(); });
    BOOST_TEST(has(text, {"Scale", "no backend 'xpu'", "cpu, cuda, meta"}), text);
    BOOST_TEST(has(message_of([&] { m->ipu(); }), "'ipu'"));
    Module* moved = nullptr;
    nn::register_backend("mtia", [&](Module& self) { moved = &self; });
    m->mtia();
    BOOST_TEST(moved == m.get());
    BOOST_TEST(nn::backends().back() == "mtia");
    BOOST_TEST(has(message_of([&] { m->xpu(); }), "cpu, cuda, meta, mtia"));
    nn::register_backend("mtia", [](Module&) {}); // the one above refers to this scope
    m->to_backend("meta");
    BOOST_TEST(m->parameters()[0].device().is_meta());
}

BOOST_AUTO_TEST_CASE(M_20_to_another_tensor_or_layout) {
    nn::Conv2d m(nn::Conv2dOptions(3, 4, 3));
    m->to(ones({}, kDouble));
    BOOST_TEST(m->weight.dtype() == kDouble);
    m->to(MemoryFormat::ChannelsLast);
    BOOST_TEST(m->weight.is_contiguous(MemoryFormat::ChannelsLast));
    BOOST_TEST(m->bias.is_contiguous());
    nn::Conv3d deep(nn::Conv3dOptions(1, 1, 2));
    BOOST_TEST(has(message_of([&] { deep->to(MemoryFormat::ChannelsLast); }), "hannels"));
}

BOOST_AUTO_TEST_CASE(M_8_duplicates_on_demand) {
    nn::Sequential s{Scale()};
    s->add_module("again", s->ptr(0));
    using names = std::vector<std::string>;
    BOOST_TEST(s->named_parameters("", true, false).keys() == (names{"0.w", "again.w"}));
    BOOST_TEST(s->named_modules("", true, false).keys() == (names{"", "0", "again"}));
    BOOST_TEST(s->named_modules("", true).keys() == (names{"", "0"}));
}

BOOST_AUTO_TEST_CASE(RP_1_RP_2_replicas_send_their_gradients_home) {
    Scale m;
    m->register_buffer("b", full({}, 4.0));
    const auto replicas = nn::replicate(*m, {Device(kCPU), Device(kCPU)});
    BOOST_TEST_REQUIRE(replicas.size() == 2u);
    auto& first = dynamic_cast<ScaleImpl&>(*replicas[0]);
    auto& second = dynamic_cast<ScaleImpl&>(*replicas[1]);
    BOOST_TEST(first.parameters().empty());
    BOOST_TEST(first.own_buffers().contains("b"));
    BOOST_TEST(!first.own_buffers()["b"].is_same(m->own_buffers()["b"]));
    BOOST_TEST(first.attribute("w").toTensor().is_same(first.w)); // an attribute, the member too
    BOOST_TEST(!first.w.is_leaf());
    (first(full({}, 2.0)) + second(full({}, 5.0))).backward();
    BOOST_TEST(number(m->w.grad()) == 7);
    WarningLog log;
    first.zero_grad();
    BOOST_TEST(log.any("no effect"));
    BOOST_TEST(number(m->w.grad()) == 7);
    BOOST_TEST(has(message_of<ValueError>([&] { nn::replicate(*m, {}); }), "no device"));
}

BOOST_AUTO_TEST_SUITE_END()
