// A second device, with two kernels and with all: every op works there or says that there is no kernel, and none reads
// its memory on the host. Pointers of the device are addresses that no host code can read: a slip ends the program.
#include <regex>
#include <typeinfo>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/detail/all_kernels.hpp>
#include <reel/autograd/device_hooks.hpp>
#include <reel/autograd/grad_mode.hpp>
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
/// What a kernel is given, as the device itself sees it.
template <class A> struct Inside {
    A value;
    A get() const { return static_cast<A>(value); }
};
template <> struct Inside<const Tensor&> {
    Tensor value;
    Inside(const Tensor& t) : value(t.defined() ? inside(t) : t) {}
    const Tensor& get() const { return value; }
};
template <> struct Inside<TensorList> {
    std::vector<Tensor> values;
    Inside(TensorList list) {
        for (const Tensor& t : list) values.push_back(inside(t));
    }
    TensorList get() const { return values; }
};
template <> struct Inside<const EmbeddingBags&> {
    EmbeddingBags bags;
    Inside(const EmbeddingBags& b) : bags(b) { bags.rows = inside(b.rows); }
    const EmbeddingBags& get() const { return bags; }
};
template <> struct Inside<const QuantileNeighbours&> {
    QuantileNeighbours found;
    Inside(const QuantileNeighbours& q) : found{inside(q.below), inside(q.above), inside(q.weight), inside(q.scale)} {}
    const QuantileNeighbours& get() const { return found; }
};
/// What a kernel returns, back on the device.
Tensor outside(const Tensor& t) { return t.defined() ? t.to(Device(kCUDA, 0)) : t; }
DistinctRows outside(const DistinctRows& r) { return {outside(r.first), outside(r.inverse), outside(r.counts)}; }
std::vector<Tensor> outside(std::vector<Tensor> all) {
    for (Tensor& t : all) t = outside(t);
    return all;
}
bool outside(bool b) { return b; }

/// The device's function: the CPU's, run where the memory can be read.
template <auto& kernel, class Signature> struct Toy;
template <auto& kernel, class R, class... A> struct Toy<kernel, R(A...)> {
    static R run(A... a) { return call(Inside<A>{a}...); }
    static R call(const Inside<A>&... a) {
        if constexpr (std::is_void_v<R>) kernel(a.get()...);
        else return outside(kernel(a.get()...));
    }
};

void toy_copy(const Tensor& dst, const Tensor& src, bool) { cpu::copy(inside(dst), inside(src), false); }
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
        detail::for_each_kernel([]<auto & kernel>(const char*) { kernel.set(kCUDA, nullptr); });
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

/// How many of the results go backward.
int go_backward(const variable_list& results) {
    int gone = 0;
    for (const Tensor& y : results) {
        if (!y.requires_grad() || !isDifferentiableType(y.scalar_type())) continue;
        autograd::backward({y}, {zeros_like(y)}, true);
        ++gone;
    }
    return gone;
}
std::string refusal_backward(const variable_list& results) {
    try {
        go_backward(results);
    } catch (const Error& e) {
        return e.msg();
    }
    return {};
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
        counts.backward += go_backward(moved);
    } catch (const Error& e) {
        if (!forward && refusal_backward(here) == e.msg()) return; // not for the device's sake
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

// Kernels are all that a device needs: with every one of them, but for the pointwise rules, ops give the CPU's values.
BOOST_AUTO_TEST_CASE(every_op_works_by_kernels_alone) {
    Findings findings;
    Counts counts;
    {
        const ToyDevice device;
        detail::for_each_kernel([]<auto & kernel>(const char* stem) {
            using Signature = typename std::remove_reference_t<decltype(kernel)>::Function;
            if (!kernel.has(kCPU)) return;                                           // the toy runs the CPU's functions
            if (std::string_view(stem) != "copy" && std::string_view(stem) != "rnn") // without that one it goes by ops
                kernel.set(kCUDA, &Toy<kernel, Signature>::run);
        });
        for (const Sample& s : samples())
            if (!s.operands().empty()) attempt(s, findings, counts);
        BOOST_TEST(blocks_in_use == 0);
    }
    findings.judge({"toy device", "host operand"});
    BOOST_TEST(counts.worked > 600);
    BOOST_TEST(counts.backward > 300);
    BOOST_TEST_MESSAGE(counts.worked << " worked, " << counts.refused << " refused, " << counts.backward
                                     << " went backward");
}

BOOST_AUTO_TEST_SUITE_END()
