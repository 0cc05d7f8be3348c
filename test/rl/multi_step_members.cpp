// MultiStep is a module: every inherited member of its page, calls with hooks, copies.
#include <reel/rl/postprocs/multi_step.hpp>

#include <sstream>

#include <reel/nn.hpp>

#include <message.hpp>

#include "rl/testing.hpp"

using namespace reel;
using namespace reel::testing;
using autograd::variable_list;
using nn::Module;
using rl::MultiStep;
using rl::MultiStepImpl;
using rl::MultiStepOptions;
using rl::TensorDict;

BOOST_AUTO_TEST_SUITE(multi_step_members)

namespace {

TensorDict steps() {
    TensorDict td({4});
    td.set({"next", "reward"}, arange(1, 5).to(kFloat).unsqueeze(-1));
    td.set({"next", "done"}, zeros({4, 1}, kBool));
    return td;
}
std::vector<double> rewards(const TensorDict& td) { return numbers(td[{"next", "reward"}]); }
const std::vector<double> expected{2, 3.5, 5, 4}; ///< of `steps()` with gamma = 0.5 and n_steps = 1
template <class List> std::vector<std::string> names(const List& items) {
    std::vector<std::string> out;
    for (const auto& item : items) out.push_back(item.key());
    return out;
}
using Names = std::vector<std::string>;

} // namespace

BOOST_AUTO_TEST_CASE(MS_1_its_name_and_text) {
    const MultiStep m(0.5, 1);
    std::ostringstream text;
    text << m;
    BOOST_TEST(text.str() == "MultiStep()");
    BOOST_TEST(m->repr() == "MultiStep()");
    BOOST_TEST(m->extra_repr() == "");
    BOOST_TEST(rewards(m(steps())) == expected);
    BOOST_TEST(rewards(m->forward(steps())) == expected);
}

BOOST_AUTO_TEST_CASE(MS_4_one_buffer) {
    const MultiStep m(0.5, 3);
    BOOST_TEST(names(m->state_dict()) == Names{"gammas"});
    BOOST_CHECK(m->gammas.sizes() == IntArrayRef({1, 1, 4}));
    BOOST_CHECK(m->gammas.scalar_type() == kFloat);
    BOOST_TEST(numbers(m->gammas) == std::vector<double>({1, .5, .25, .125}));
    BOOST_CHECK(
        (MultiStep(MultiStepOptions(0.5, 3).counts_current_step(true))->gammas.sizes() == IntArrayRef({1, 1, 4})));
    m->to(kDouble);
    BOOST_CHECK(m->gammas.scalar_type() == kDouble);
    // forward does not read it
    m->gammas.zero_();
    BOOST_TEST(rewards(m(steps())) == rewards(MultiStep(0.5, 3)(steps())));
}

BOOST_AUTO_TEST_CASE(MS_1_conversions) {
    const MultiStep m(0.5, 1);
    const std::pair<void (*)(Module&), ScalarType> conversions[] = {{[](Module& x) { x.double_(); }, kDouble},
                                                                    {[](Module& x) { x.float_(); }, kFloat},
                                                                    {[](Module& x) { x.half(); }, kHalf},
                                                                    {[](Module& x) { x.bfloat16(); }, kBFloat16},
                                                                    {[](Module& x) { x.type(kDouble); }, kDouble},
                                                                    {[](Module& x) { x.to(kFloat); }, kFloat},
                                                                    {[](Module& x) { x.to(ones({}, kHalf)); }, kHalf}};
    for (const auto& [convert, dtype] : conversions) {
        convert(*m);
        BOOST_CHECK(m->gammas.scalar_type() == dtype);
        BOOST_TEST(rewards(m(steps())) == expected);
    }
    m->cpu();
    m->to(Device(kCPU));
    m->to_empty(Device(kCPU));
    m->share_memory();
    BOOST_TEST(rewards(m(steps())) == expected);
    for (void (*move)(Module&) :
         {+[](Module& x) { x.xpu(); }, +[](Module& x) { x.ipu(); }, +[](Module& x) { x.mtia(); }})
        BOOST_CHECK_THROW(move(*m), Error); // there is no such backend here
}

BOOST_AUTO_TEST_CASE(MS_1_state) {
    const MultiStep m(0.5, 1), other(0.25, 1);
    BOOST_TEST(other->load_state_dict(m->state_dict()).missing_keys.empty());
    BOOST_TEST(numbers(other->gammas) == numbers(m->gammas));
    nn::StateDict state = m->state_dict("post.");
    BOOST_TEST(names(state) == Names{"post.gammas"});
    BOOST_CHECK_THROW(m->load_state_dict(state), Error);
    BOOST_TEST(m->load_state_dict(state, false).unexpected_keys == Names{"post.gammas"});
    BOOST_TEST(!m->has_extra_state());
    BOOST_CHECK_THROW(m->get_extra_state(), Error);
    BOOST_CHECK_THROW(m->set_extra_state(Value(1)), Error);
    int fired = 0;
    m->register_state_dict_pre_hook([&](Module&, const std::string&, bool) { ++fired; });
    m->register_state_dict_post_hook([&](Module&, nn::StateDict&, const std::string&, ValueDict&) {
        ++fired;
        return Value();
    });
    m->register_load_state_dict_post_hook([&](Module&, nn::IncompatibleKeys&) {
        ++fired;
        return Value();
    });
    m->register_load_state_dict_pre_hook(
        [&](Module&, nn::StateDict&, const std::string&, const ValueDict&, bool, nn::LoadLists&) { ++fired; });
    m->load_state_dict(m->state_dict());
    BOOST_TEST(fired == 4);
}

BOOST_AUTO_TEST_CASE(MS_1_traversal_and_look_up) {
    const MultiStep m(0.5, 1);
    BOOST_TEST(m->parameters().empty());
    BOOST_TEST(m->named_parameters().is_empty());
    BOOST_TEST(m->buffers().size() == 1u);
    BOOST_TEST(names(m->named_buffers()) == Names{"gammas"});
    BOOST_TEST(m->children().empty());
    BOOST_TEST(m->named_children().is_empty());
    BOOST_TEST(m->modules().size() == 1u);
    BOOST_TEST(names(m->named_modules("post")) == Names{"post"});
    BOOST_TEST(m->get_buffer("gammas").data_ptr() == m->gammas.data_ptr());
    BOOST_CHECK_THROW(m->get_parameter("gammas"), AttributeError);
    BOOST_CHECK_THROW(m->get_submodule("inner"), AttributeError);
    int seen = 0;
    m->apply([&](Module&) { ++seen; });
    BOOST_TEST(seen == 1);
}

BOOST_AUTO_TEST_CASE(MS_1_registration) {
    const MultiStep m(0.5, 1);
    m->register_buffer("extra", ones({2}));
    m->register_parameter("scale", ones({1}));
    m->add_module("inner", nn::Linear(2, 2).ptr());
    m->register_module("second", nn::Linear(2, 2));
    BOOST_TEST(names(m->state_dict()) ==
                   Names({"scale", "gammas", "extra", "inner.weight", "inner.bias", "second.weight", "second.bias"}),
               boost::test_tools::per_element());
    m->set_submodule("inner", nn::Identity().ptr());
    BOOST_TEST((m->get_submodule("inner")->repr() == "Identity()"));
    m->requires_grad_(false);
    for (const Tensor& p : m->parameters()) BOOST_TEST(!p.requires_grad());
    m->requires_grad_();
    for (const Tensor& p : m->parameters()) BOOST_TEST(p.requires_grad());
    m->get_parameter("scale").sum().backward();
    m->zero_grad();
    BOOST_TEST(!m->get_parameter("scale").grad().defined());
    m->eval();
    BOOST_TEST(!m->is_training());
    m->train();
    BOOST_TEST(m->is_training());
    BOOST_TEST(rewards(m(steps())) == expected);
}

BOOST_AUTO_TEST_CASE(MS_1_hooks_see_dictionaries) {
    const MultiStep m(0.5, 1);
    m->register_forward_pre_hook([](Module&, const Args& args) -> std::optional<Args> {
        TensorDict td = nn::from_value<TensorDict>(args[0]).clone(false);
        td.set({"next", "reward"}, td[{"next", "reward"}] * 10);
        return Args{nn::to_value(td)};
    });
    int seen = 0;
    RemovableHandle handle =
        m->register_forward_hook([&](Module&, const Args& args, const Value& out) -> std::optional<Value> {
            BOOST_TEST(nn::from_value<TensorDict>(args[0]).contains({"next", "reward"}));
            TensorDict td = nn::from_value<TensorDict>(out);
            td.set("seen", ones({4}));
            ++seen;
            return std::nullopt;
        });
    const TensorDict out = m(steps());
    BOOST_TEST(rewards(out) == std::vector<double>({20, 35, 50, 40}));
    BOOST_TEST(out.contains("seen"));
    BOOST_TEST((rewards(nn::call(*m, steps())) == rewards(out)));
    handle.remove();
    m(steps());
    BOOST_TEST(seen == 2);
    // through values, as containers call it
    const Value value = m->call_values({nn::to_value(steps())});
    BOOST_TEST((rewards(nn::from_value<TensorDict>(value)) == rewards(out)));
    // backward hooks see no tensors of their own in a dictionary; they do no harm
    m->register_full_backward_hook([](Module&, const variable_list&, const variable_list&) {});
    m->register_full_backward_pre_hook([](Module&, const variable_list&) {});
    const WarningUtils::WarningHandlerGuard quiet(nullptr);
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    const MultiStep legacy(0.5, 1);
    legacy->register_backward_hook([](Module&, const variable_list&, const variable_list&) {});
    BOOST_TEST((rewards(legacy(steps())) == expected));
    BOOST_TEST((rewards(m(steps())) == rewards(out)));
    BOOST_CHECK_THROW(m->call_values({Value(1)}), TypeError);
}

BOOST_AUTO_TEST_CASE(MS_5_copies_keep_the_fields) {
    MultiStep m(MultiStepOptions(0.5, 2).counts_current_step(true));
    m->reward_keys = {"cost"};
    m->mask_key = std::nullopt;
    const auto copy = std::dynamic_pointer_cast<MultiStepImpl>(m->clone());
    BOOST_TEST_REQUIRE(copy);
    BOOST_CHECK(copy->reward_keys == m->reward_keys);
    BOOST_CHECK(!copy->mask_key);
    BOOST_TEST(copy->options.counts_current_step());
    copy->gammas.zero_();
    BOOST_TEST(numbers(m->gammas)[0] == 1);
    // the defaults
    const MultiStep fresh(0.5, 2);
    BOOST_CHECK(fresh->done_key == rl::NestedKey("done"));
    BOOST_CHECK(fresh->done_keys == std::vector<rl::NestedKey>({"done", "truncated", "terminated"}));
    BOOST_CHECK(fresh->reward_keys == std::vector<rl::NestedKey>({"reward"}));
    BOOST_CHECK((*fresh->mask_key == rl::NestedKey{"collector", "mask"}));
}

BOOST_AUTO_TEST_SUITE_END()
