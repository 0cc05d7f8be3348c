// Results that show an operand's memory: the blocks say `view` of exactly those ops.
#include <boost/test/unit_test.hpp>

#include "declared_words.hpp"
#include "findings.hpp"
#include "sample.hpp"

using namespace properties;

namespace {

/// The operand whose memory `result` shows without being that operand; null for none.
const Tensor* shown_operand(const Tensor& result, const variable_list& operands) {
    for (const Tensor& t : operands)
        if (result.numel() > 0 && result.storage().get() == t.storage().get() && !result.is_same(t)) return &t;
    return nullptr;
}

} // namespace

BOOST_AUTO_TEST_SUITE(declared_views_of_ops)

BOOST_AUTO_TEST_CASE(what_shows_its_operand_is_declared_a_view_and_nothing_else) {
    std::set<std::string> tried, shown;
    Findings findings;
    for (const Sample& s : samples()) {
        const ops::Schema* const schema = bound_call(s).schema;
        if (!schema) continue;
        const variable_list operands = leaves(s.operands(), std::vector<bool>(s.operands().size()));
        const Sample fresh = s.with(operands);
        tried.insert(schema->text);
        for (const Tensor& result : fresh.run()) {
            const Tensor* const operand = shown_operand(result, operands);
            if (!operand) continue;
            shown.insert(schema->text);
            if (!declared_views().contains(schema->text))
                findings.add(s, "view", "shows its operand's memory, and the block does not say view");
            // Whoever writes into it writes into the operand, and both know.
            const std::uint32_t before = operand->_version();
            if (schema->name.starts_with("detach") || result.is_inference()) continue;
            if (!result.is_view()) findings.add(s, "view", "its result does not know that it is a view");
            result.impl()->bump_version();
            if (operand->_version() == before) findings.add(s, "view", "the operand's version does not follow");
        }
    }
    findings.judge({"view"});
    for (const std::string& text : declared_views())
        if (tried.contains(text))
            BOOST_TEST(shown.contains(text), text << " says view, and no sample shows its operand");
    BOOST_TEST(shown.size() > 40u);
}

BOOST_AUTO_TEST_SUITE_END()
