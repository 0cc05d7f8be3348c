// A second device with two kernels: every op works there or says that there is no kernel, and none reads its memory on
// the host. Pointers of the device are addresses that no host code can read: a slip ends the program.
#include <regex>
#include <typeinfo>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/device_hooks.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/kernels/copy.hpp>
#include <reel/autograd/kernels/where.hpp>
#include <reel/autograd/memory.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/pointwise/arithmetic.hpp>
#include <reel/autograd/pointwise/device.hpp>
#include <reel/autograd/tensor_factory.hpp>

#include "findings.hpp"
#include "tensor/raw.hpp"

using namespace properties;

namespace {

constexpr std::uintptr_t apart = std::uintptr_t(1) << 62; // no address of the host lies so high

/// The tensor's memory as the device itself sees it.
Tensor inside(const Tensor& t) {
    if (t.is_cpu()) return t;
    char* const p = static_cast<char*>(t.data_ptr()) - apart;
    return from_blob(p, t.sizes(), t.strides(), TensorOptions(t.scalar_type()));
}
std::ptrdiff_t blocks_in_use = 0;

void* toy_alloc(std::size_t nbytes, DeviceIndex) {
    ++blocks_in_use;
    return static_cast<char*>(cpu_alloc(nbytes)) + apart;
}
void toy_free(void* p, std::size_t nbytes, DeviceIndex) {
    --blocks_in_use;
    cpu_free(static_cast<char*>(p) - apart, nbytes);
}
void toy_copy(const Tensor& dst, const Tensor& src) { cpu::copy(inside(dst), inside(src)); }
void toy_fill(const Tensor& dst, const Scalar& value) { cpu::fill(inside(dst), value); }
bool toy_add(const void*, const Tensor* const* t, int) {
    detail::copy_raw(inside(*t[0]), add(inside(*t[1]), inside(*t[2])));
    return true;
}
void toy_where(const Tensor& out, const Tensor& condition, const Tensor& input, const Tensor& other) {
    cpu::where(inside(out), inside(condition), inside(input), inside(other));
}

/// Plugs the device in where cuda's would be, and out again.
struct ToyDevice {
    ToyDevice() {
        DeviceHooks& hooks = device_hooks(kCUDA);
        hooks.alloc = &toy_alloc;
        hooks.free = &toy_free;
        hooks.device_count = [] { return 1; };
        hooks.current_device = [] { return DeviceIndex(0); };
        pointwise::device_loop<pointwise::add_op>[int(kCUDA)] = &toy_add;
        kernels::copy.set(kCUDA, &toy_copy);
        kernels::fill.set(kCUDA, &toy_fill);
        kernels::where.set(kCUDA, &toy_where);
    }
    ~ToyDevice() {
        pointwise::device_loop<pointwise::add_op>[int(kCUDA)] = nullptr;
        kernels::copy.set(kCUDA, nullptr);
        kernels::fill.set(kCUDA, nullptr);
        kernels::where.set(kCUDA, nullptr);
        device_hooks(kCUDA) = DeviceHooks();
    }
};

const Device there(kCUDA, 0);

/// The one error of a missing kernel.
bool says_no_kernel(const Error& e) {
    static const std::regex text("no kernel for device cuda:0 and dtype [a-z0-9]+; available: (cpu|cpu, cuda)($|;)");
    return typeid(e) == typeid(NotImplementedError) && std::regex_search(e.msg(), text);
}
/// Called by name, an op says its own.
bool names_its_op(const Sample& s, const Error& e) {
    return s.call || e.msg().find(s.op.substr(s.op.rfind('.') + 1)) != std::string::npos;
}

struct Counts {
    int worked = 0, refused = 0, backward = 0;
};

bool same(const Tensor& here, const Tensor& on_device) {
    const Tensor back = on_device.detach().cpu();
    return here.sizes().equals(back.sizes()) && here.scalar_type() == back.scalar_type() &&
           allclose(here.detach(), back, 0, 0, true);
}

/// Tries one call with all operands on the device.
void attempt(const Sample& s, Findings& findings, Counts& counts) {
    const std::vector<bool> wanted = differentiable_operands(s);
    const variable_list operands = leaves(s.operands(), std::vector<bool>(wanted.size()));
    variable_list here, leaves_there, moved;
    here = s.run_on(leaves(operands, wanted));
    for (std::size_t i = 0; i < operands.size(); ++i) {
        leaves_there.push_back(operands[i].to(there));
        if (wanted[i]) leaves_there.back().requires_grad_();
    }
    bool forward = true;
    try {
        moved = s.run_on(leaves_there);
        forward = false;
        ++counts.worked;
        const bool filled = s.op.find("empty") == std::string::npos;
        for (std::size_t i = 0; filled && i < here.size() && i < moved.size(); ++i)
            if (!same(here[i], moved[i])) findings.add(s, "toy device", str("output ", i, " has other values there"));
        for (const Tensor& y : moved) {
            if (!y.requires_grad() || !isDifferentiableType(y.scalar_type())) continue;
            autograd::backward({y}, {zeros_like(y)}, true);
            ++counts.backward;
        }
    } catch (const Error& e) {
        counts.refused += forward;
        if (!says_no_kernel(e) || (forward && !names_its_op(s, e))) findings.add_refusal(s, "toy device", e.msg());
    } catch (const std::exception& e) {
        findings.add(s, "toy device", e.what());
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(toy_device)

BOOST_AUTO_TEST_CASE(has_two_kernels) {
    const ToyDevice device;
    const Tensor x = arange(4, TensorOptions(kFloat)).to(there), y = ones({4}).to(there);
    BOOST_TEST(x.device().str() == "cuda:0");
    const Tensor sum = x + y;
    BOOST_TEST(sum.cpu().equal(tensor({1.f, 2.f, 3.f, 4.f})));
    const Tensor mask = tensor({true, false, true, false}).to(there);
    BOOST_TEST(where(mask, x, y).cpu().equal(tensor({0.f, 1.f, 2.f, 1.f})));
    BOOST_CHECK_EXCEPTION(x * y, NotImplementedError, [](const Error& e) {
        return e.msg() == "mul: no kernel for device cuda:0 and dtype float32; available: cpu";
    });
    BOOST_CHECK_EXCEPTION(mm(x.view({2, 2}), y.view({2, 2})), NotImplementedError, [](const Error& e) {
        return e.msg() == "mm: no kernel for device cuda:0 and dtype float32; available: cpu";
    });
}

BOOST_AUTO_TEST_CASE(every_op_works_or_says_that_there_is_no_kernel) {
    Findings findings;
    Counts counts;
    {
        const ToyDevice device;
        for (const Sample& s : samples())
            if (!s.operands().empty()) attempt(s, findings, counts);
        BOOST_TEST(blocks_in_use == 0);
    }
    findings.judge({"toy device", "host operand"});
    BOOST_TEST(counts.worked > 300);
    BOOST_TEST(counts.refused > 700);
    BOOST_TEST(counts.backward > 30);
    BOOST_TEST_MESSAGE(counts.worked << " worked, " << counts.refused << " refused, " << counts.backward
                                     << " went backward");
}

BOOST_AUTO_TEST_SUITE_END()
