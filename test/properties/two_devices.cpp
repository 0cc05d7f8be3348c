// Operands on two devices: every op refuses them in the same words, which name both arguments and both devices, but for
// those that say in their block that an argument may live anywhere.
#include <algorithm>
#include <regex>
#include <set>
#include <typeinfo>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>

#include "declared_words.hpp"
#include "findings.hpp"

using namespace properties;

namespace {

Tensor on_meta(const Tensor& t) { return t.detach().to(Device(kMeta)); }

/// Which operands must live with the others: no numbers, and none whose argument's block says `any_device`.
std::vector<bool> tied_operands(const Sample& s, const variable_list& operands) {
    const BoundCall call = bound_call(s);
    std::vector<bool> tied;
    for (const Tensor& t : operands) {
        bool free = !call.schema || t.dim() == 0;
        for (std::size_t i = 0; call.schema && i < call.arguments.size(); ++i)
            free |= holds(call.arguments[i], t) &&
                    arguments_of_any_device().contains({call.schema->text, call.schema->arguments[i].name});
        tied.push_back(!free);
    }
    return tied;
}

/// A call by name with operand `moved` alone on meta.
void attempt(const Sample& s, const variable_list& operands, std::size_t moved, Findings& findings, int& refused) {
    static const std::regex text(
        R"(.*: operands live on (cpu|cuda:0|meta) \([a-z_A-Z0-9\[\]]+\) and (cpu|cuda:0|meta) \([a-z_A-Z0-9\[\]]+\); move one of them with to\(\).*)");
    variable_list apart = operands;
    apart[moved] = on_meta(operands[moved]);
    try {
        (void)s.run_on(apart);
        findings.add(s, "two devices", str("takes operand ", moved, " on another device than the others"));
    } catch (const Error& e) {
        ++refused;
        const bool named = e.msg().starts_with(s.op + ":") || e.msg().starts_with(s.op + "_:");
        if (typeid(e) != typeid(Error) || !std::regex_match(e.msg(), text) || !named)
            findings.add(s, "two devices", str("operand ", moved, ": ", e.msg()));
    } catch (const std::exception& e) {
        findings.add(s, "two devices", e.what());
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(two_devices)

BOOST_AUTO_TEST_CASE(are_refused_by_every_op_in_one_way) {
    const NoGradGuard guard;
    Findings findings;
    int refused = 0;
    std::set<std::string> ops;
    for (const Sample& s : samples()) {
        const variable_list operands = s.operands();
        if (s.call || s.is_random() || operands.size() < 2) continue;
        const std::vector<bool> tied = tied_operands(s, operands);
        if (std::count(tied.begin(), tied.end(), true) < 2) continue;
        for (std::size_t i = 0; i < operands.size(); ++i)
            if (tied[i]) attempt(s, operands, i, findings, refused);
        ops.insert(s.op);
    }
    findings.judge({});
    BOOST_TEST(refused > 500);
    BOOST_TEST(ops.size() > 100u);
    BOOST_TEST_MESSAGE(refused << " calls of " << ops.size() << " ops refused");
}

BOOST_AUTO_TEST_CASE(are_named_with_their_arguments) {
    const auto message = [](const char* op, const Args& args) -> std::string {
        try {
            (void)ops::registry().at(op).call(args);
        } catch (const Error& e) {
            return e.msg();
        }
        return "no error";
    };
    const Tensor here = zeros({2, 2}), there = on_meta(here);
    BOOST_TEST(message("add", {here, there}) ==
               "add: operands live on cpu (input) and meta (other); move one of them with to()");
    BOOST_TEST(message("mm", {there, here}) ==
               "mm: operands live on meta (input) and cpu (mat2); move one of them with to()");
    BOOST_TEST(message("cat", {Value::list({here, here, there})}) ==
               "cat: operands live on cpu (tensors[0]) and meta (tensors[2]); move one of them with to()");
    BOOST_TEST(message("mul", {there, zeros({})}) == "no error"); // a number lives everywhere
    BOOST_TEST(message("mul", {zeros({}), there}) == "no error");
    BOOST_TEST(message("mul", {here, on_meta(zeros({}))}) ==
               "mul: operands live on cpu (input) and meta (other); move one of them with to()");
    BOOST_TEST(message("to", {here, there}) == "no error");
}

// Calls from C++ reach the kernels' own question, which knows no arguments.
BOOST_AUTO_TEST_CASE(are_refused_by_typed_calls) {
    const Tensor here = ones({2, 2}), there = on_meta(here);
    const auto message = [](auto call) -> std::string {
        try {
            call();
        } catch (const Error& e) {
            return typeid(e) == typeid(Error) ? e.msg() : "an error of another kind: " + e.msg();
        }
        return "no error";
    };
    const std::string what = ": operands live on meta and cpu; move one of them with to()";
    BOOST_TEST(message([&] { add(here, there); }) == "add" + what);
    BOOST_TEST(message([&] { add(there, here); }) == "add" + what);
    BOOST_TEST(message([&] { atan2(there, here); }) == "atan2" + what);
    BOOST_TEST(message([&] { where(there > 0, there, here); }) == "where" + what);
    BOOST_TEST(message([&] { mm(there, here); }) == "mm" + what);
    BOOST_TEST(message([&] { mm(here, there); }) == "mm: operands live on cpu and meta; move one of them with to()");
    BOOST_TEST(message([&] { layer_norm(there, {2}, here.select(0, 0)); }) == "layer_norm" + what);
    BOOST_TEST(add(there, ones({})).is_meta());
    BOOST_TEST(add(ones({}), there).is_meta());
    BOOST_TEST(add(there, 1).is_meta());
}

BOOST_AUTO_TEST_SUITE_END()
