// Every op of the registry has a sample call, and every sample call goes through.
#include <algorithm>
#include <set>
#include <string>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>

#include "sample.hpp"

using namespace properties;

BOOST_AUTO_TEST_SUITE(coverage)

BOOST_AUTO_TEST_CASE(every_op_has_a_sample) {
    std::set<std::string> covered; // by the schemas' own names: an alias has those of its op
    for (const Sample& s : samples())
        for (const ops::Schema& schema : ops::registry().at(s.op).schemas) covered.insert(schema.name);
    for (const std::string& name : ops::registry().names()) {
        const auto& schemas = ops::registry().at(name).schemas;
        BOOST_TEST(std::any_of(schemas.begin(), schemas.end(), [&](const auto& s) { return covered.contains(s.name); }),
                   name << " has no sample: add samples(call(...)) to its block");
    }
}

BOOST_AUTO_TEST_CASE(a_sample_of_a_block_is_a_call_of_its_schema) {
    int checked = 0;
    for (const Sample& s : samples()) {
        if (s.schemas.empty() || s.call) continue;
        const ops::Schema* const taken = bound_call(s).schema;
        BOOST_TEST_REQUIRE(taken, s.name() << " fits no schema of the op");
        BOOST_TEST((std::find(s.schemas.begin(), s.schemas.end(), taken->text) != s.schemas.end()),
                   s.name() << " takes " << taken->text);
        ++checked;
    }
    BOOST_TEST(checked > 150);
}

BOOST_AUTO_TEST_CASE(a_tensor_is_taken_as_one_before_it_is_taken_as_a_number) {
    const auto differ = [](const ops::Schema& number, const ops::Schema& tensor) {
        std::vector<std::string> apart;
        if (number.arguments.size() != tensor.arguments.size()) return apart;
        for (std::size_t i = 0; i < number.arguments.size(); ++i)
            if (number.arguments[i].type != tensor.arguments[i].type)
                apart.push_back(number.arguments[i].type + " or " + tensor.arguments[i].type);
        return apart;
    };
    int pairs = 0;
    for (const std::string& name : ops::registry().names()) {
        const auto& schemas = ops::registry().at(name).schemas; // the first that fits is called
        for (std::size_t i = 0; i < schemas.size(); ++i)
            for (std::size_t j = i + 1; j < schemas.size(); ++j) {
                const std::vector<std::string> apart = differ(schemas[i], schemas[j]);
                pairs += apart == std::vector<std::string>{"Tensor or Scalar"};
                BOOST_TEST((apart != std::vector<std::string>{"Scalar or Tensor"}),
                           schemas[i].text << " stands before " << schemas[j].text);
            }
    }
    BOOST_TEST(pairs > 20);
}

BOOST_AUTO_TEST_CASE(a_rule_has_finite_values_over_its_domain) {
    const NoGradGuard guard;
    int rules = 0;
    for (const Sample& s : samples()) {
        if (!s.over_domain) continue;
        ++rules;
        for (const Tensor& result : s.run())
            BOOST_TEST(isfinite(result).all().item<bool>(),
                       s.name() << " has values that are not finite: say domain(low, high, ...) in the block");
    }
    BOOST_TEST(rules > 100);
}

BOOST_AUTO_TEST_CASE(every_sample_goes_through) {
    BOOST_TEST(samples().size() > 1000u);
    for (const Sample& s : samples()) {
        try {
            std::vector<bool> none(s.operands().size());
            s.run_on(leaves(s.operands(), none));
        } catch (const std::exception& e) {
            BOOST_ERROR(s.name() << ": " << e.what());
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
