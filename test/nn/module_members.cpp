// Members of Module beside those that the rules number: layouts on demand, copies on a device, shared memory's end.
#include "nn/testing.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <sstream>

#include <boost/test/unit_test.hpp>

using namespace reel;
using namespace reel::testing;
using nn::Module;

BOOST_AUTO_TEST_SUITE(module_members)

namespace {
/// Does this process map the memory at `p`?
bool is_mapped(const void* p) {
    std::ifstream maps("/proc/self/maps");
    std::string line;
    while (std::getline(maps, line)) {
        std::istringstream in(line);
        std::uintptr_t begin = 0, end = 0;
        char dash = 0;
        in >> std::hex >> begin >> dash >> end;
        if (reinterpret_cast<std::uintptr_t>(p) >= begin && reinterpret_cast<std::uintptr_t>(p) < end) return true;
    }
    return false;
}
struct PairImpl : nn::Cloneable<PairImpl> {
    PairImpl() { reset(); }
    void reset() override {
        inner = register_module("inner", nn::BatchNorm1d(2));
        own = register_parameter("own", ones({2}));
        kept = register_buffer("kept", zeros({2}));
    }
    Tensor forward(const Tensor& x) { return inner(x) * own; }
    nn::BatchNorm1d inner{nullptr};
    Tensor own, kept;
};
REEL_MODULE(Pair);
} // namespace

BOOST_AUTO_TEST_CASE(M_19_bfloat16_and_back) {
    Pair m;
    m->bfloat16();
    for (const Tensor& p : m->parameters()) BOOST_TEST((p.scalar_type() == kBFloat16));
    const auto& buffers = m->inner->own_buffers();
    BOOST_TEST((buffers["running_mean"].scalar_type() == kBFloat16));
    BOOST_TEST((buffers["num_batches_tracked"].scalar_type() == kLong));
    m->half();
    BOOST_TEST((m->own.scalar_type() == kHalf));
    m->float_();
    BOOST_TEST((m->own.scalar_type() == kFloat));
    BOOST_TEST(equal(m->own.detach(), ones({2})));
}
BOOST_AUTO_TEST_CASE(M_22_to_empty_of_this_module_alone) {
    Pair m;
    m->to(Device(kMeta));
    m->to_empty(Device(kCPU), false);
    BOOST_TEST(m->own_parameters()["own"].device().is_cpu());
    BOOST_TEST(m->inner->own_parameters()["weight"].device().is_meta());
    m->to_empty(Device(kCPU));
    BOOST_TEST(m->inner->own_parameters()["weight"].device().is_cpu());
}
BOOST_AUTO_TEST_CASE(M_50_a_copy_on_another_device) {
    Pair m;
    const nn::ModulePtr copy = m->clone(Device(kMeta));
    for (const Tensor& p : copy->parameters()) BOOST_TEST(p.device().is_meta());
    for (const Tensor& b : copy->buffers()) BOOST_TEST(b.device().is_meta());
    for (const Tensor& p : m->parameters()) BOOST_TEST(p.device().is_cpu());
    BOOST_TEST(copy->named_parameters().keys() == m->named_parameters().keys());
}
BOOST_AUTO_TEST_CASE(M_8_buffers_with_a_prefix_and_with_duplicates) {
    Pair m;
    m->inner->register_buffer("again", m->kept);
    const auto once = m->buffer_items("net", true, true), all = m->buffer_items("net", true, false);
    BOOST_TEST(once.size() + 1 == all.size());
    BOOST_TEST(once.front().first == "net.kept");
    BOOST_TEST(all.back().first == "net.inner.again");
    BOOST_TEST(m->buffer_items("", false, true).size() == 1u);
    BOOST_TEST(m->named_buffers("net").contains("net.inner.running_mean"));
    BOOST_TEST(m->named_buffers("net", false).size() == 1u);
}
BOOST_AUTO_TEST_CASE(M_27_streams_print_as_repr) {
    const Pair m;
    std::ostringstream a, b;
    m->pretty_print(a);
    b << *m;
    BOOST_TEST(a.str() == m->repr());
    BOOST_TEST(b.str() == m->repr());
}
BOOST_AUTO_TEST_CASE(M_23_shared_memory_goes_with_its_last_user) {
    Pair m;
    m->own.mutable_grad() = zeros({2});
    m->share_memory();
    Tensor user = m->own;
    const void* place = user.data_ptr();
    const void* gradient = m->own.grad().data_ptr();
    const pid_t child = fork();
    if (child == 0) { // an op in place, on values and on the gradient
        NoGradGuard guard;
        m->own.add_(3);
        m->own.mutable_grad().add_(2);
        _exit(0);
    }
    int status = 0;
    BOOST_TEST_REQUIRE(waitpid(child, &status, 0) == child);
    BOOST_TEST(status == 0);
    BOOST_TEST(equal(user.detach(), full({2}, 4.)));
    BOOST_TEST(equal(user.grad(), full({2}, 2.)));
    BOOST_TEST(is_mapped(place));
    m = Pair();
    BOOST_TEST(is_mapped(place)); // `user` still has it
    BOOST_TEST(equal(user.detach(), full({2}, 4.)));
    user = Tensor();
    BOOST_TEST(!is_mapped(place));
    BOOST_TEST(!is_mapped(gradient));
}

BOOST_AUTO_TEST_SUITE_END()
