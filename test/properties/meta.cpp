// On the meta device an op says shape, dtype and strides of its result and touches no memory, or says that it cannot.
#include <boost/test/unit_test.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/storage.hpp>

#include "comparison.hpp"
#include "findings.hpp"

using namespace properties;

namespace {

variable_list on_meta(const variable_list& operands) {
    variable_list out;
    for (const Tensor& t : operands) out.push_back(t.detach().to(Device(kMeta)));
    return out;
}

/// The call without the device that it asks for.
Sample anywhere(Sample s) {
    s.kwargs.erase("device");
    return s;
}
/// What `got` on meta says otherwise than `expected` on the CPU.
std::string wrong(const Tensor& got, const Tensor& expected) {
    if (!got.is_meta()) return str("is on ", got.device().str());
    if (got.scalar_type() != expected.scalar_type())
        return str("is ", dtype_name(got.scalar_type()), ", not ", dtype_name(expected.scalar_type()));
    if (!got.sizes().equals(expected.sizes())) return str("has shape ", got.sizes(), ", not ", expected.sizes());
    if (!got.strides().equals(expected.strides()) && got.numel() > 1)
        return str("has strides ", got.strides(), ", not ", expected.strides());
    return {};
}

} // namespace

BOOST_AUTO_TEST_SUITE(meta_device)

BOOST_AUTO_TEST_CASE(says_what_the_cpu_would_give) {
    const NoGradGuard guard;
    Findings findings;
    int told = 0, unsupported = 0;
    for (const Sample& sample : samples()) {
        const Sample s = anywhere(sample);
        if (s.operands().empty()) continue;
        const variable_list expected = s.run_on(s.operands());
        const Outcome got = outcome_of([&] { return s.run_on(on_meta(s.operands())); });
        if (got.unsupported) {
            ++unsupported;
            if (got.error.find("meta") == std::string::npos)
                findings.add(s, "meta", "its NotImplementedError does not name the device: " + got.error);
            continue;
        }
        if (got.refused()) {
            findings.add_refusal(s, "meta", got.error);
            continue;
        }
        ++told;
        if (got.tensors.size() != expected.size())
            findings.add(s, "meta", str(got.tensors.size(), " tensors, not ", expected.size()));
        for (std::size_t i = 0; i < std::min(expected.size(), got.tensors.size()); ++i)
            if (const std::string what = wrong(got.tensors[i], expected[i]); !what.empty())
                findings.add(s, "meta", str("result ", i, " ", what));
    }
    findings.judge({"meta", "host operand"});
    BOOST_TEST(told > 800);
    BOOST_TEST_MESSAGE(told << " calls told, " << unsupported << " said that they cannot");
}

BOOST_AUTO_TEST_SUITE_END()
