// In-place forms on views: the base sees what the op gives, and nothing else of it changes.
#include <boost/test/unit_test.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>

#include "comparison.hpp"
#include "declared_words.hpp"
#include "findings.hpp"

using namespace properties;

namespace {

/// A base with room around the view of it that takes the shape of `t`.
struct View {
    const char* name;
    Tensor base, view;
};
Tensor room(const Tensor& t, std::vector<std::int64_t> sizes) { return ones(sizes, t.options()); }
std::vector<View> views_of(const Tensor& t) {
    std::vector<View> out;
    const auto add = [&](const char* name, const Tensor& base, const Tensor& view) {
        out.push_back({name, base, view});
    };
    std::vector<std::int64_t> sizes = t.sizes().vec(), thrice = sizes;
    thrice.insert(thrice.begin(), 3);
    const Tensor stacked = room(t, thrice), flat = room(t, {t.numel() + 4});
    add("selected", stacked, stacked.select(0, 1));
    add("behind others", flat, flat.narrow(0, 2, t.numel()).view(sizes));
    if (t.dim() > 0) {
        std::vector<std::int64_t> twice = sizes;
        twice.back() *= 2;
        const Tensor wide = room(t, twice);
        add("every second", wide, wide.slice(-1, 1, {}, 2));
    }
    if (t.dim() > 1) {
        const Tensor turned = room(t, t.transpose(0, -1).sizes().vec());
        add("transposed", turned, turned.transpose(0, -1));
    }
    for (const View& v : out) v.view.copy_(t);
    return out;
}

void compare(const Sample& s, View v, const Tensor& expected, Findings& findings) {
    const auto fault = [&](const std::string& what) { findings.add(s, "in-place view", str(v.name, ": ", what)); };
    // What the base must hold afterwards.
    const Tensor after = v.base.clone();
    after.as_strided(v.view.sizes(), v.view.strides(), v.view.storage_offset()).copy_(expected);
    Args args = s.args;
    args[0] = v.view;
    const std::uint32_t version = v.base._version();
    manual_seed(0);
    const Outcome got = outcome_of([&] {
        const Value r = s.op.ends_with('_') ? ops::registry().at(s.op).call(args, s.kwargs)
                                            : ops::registry().at(s.op).call_inplace(args, s.kwargs);
        return variable_list{r.toTensor()};
    });
    if (got.refused()) return fault("refused: " + got.error);
    if (!got.tensors[0].is_same(v.view)) fault("it returned another tensor than it was given");
    if (v.base._version() <= version) fault("the base's version did not rise");
    if (v.base._version() != v.view._version()) fault("base and view have different versions");
    if (const std::string what = difference_between(v.base, after); !what.empty())
        fault("the base does not hold what the op gives: " + what);
}

} // namespace

BOOST_AUTO_TEST_SUITE(in_place_views)

BOOST_AUTO_TEST_CASE(show_in_the_base) {
    const NoGradGuard guard;
    Findings findings;
    int compared = 0;
    for (const Sample& s : samples()) {
        const ops::Op& op = ops::registry().at(s.op);
        if (s.call || s.is_random() || !op.has_inplace() || s.args.empty() || !s.args[0].isTensor()) continue;
        // A view in place turns the tensor into another view and writes nothing.
        if (const BoundCall call = bound_call(s); call.schema && declared_views().contains(call.schema->text)) continue;
        const Tensor first = s.args[0].toTensor();
        const variable_list result = s.run();
        if (result.size() != 1 || !result[0].sizes().equals(first.sizes()) ||
            !can_cast(result[0].scalar_type(), first.scalar_type()))
            continue;
        for (const View& v : views_of(first)) {
            compare(s, v, result[0].to(first.scalar_type()), findings);
            ++compared;
        }
    }
    findings.judge({"in-place view"});
    BOOST_TEST(compared > 800);
    BOOST_TEST_MESSAGE(compared << " writes compared");
}

BOOST_AUTO_TEST_SUITE_END()
