// Walking over modules: named things, apply, modes, look-up by path.
#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

using namespace reel;
using namespace reel::testing;
using nn::Module;
using nn::ModulePtr;

BOOST_AUTO_TEST_SUITE(traversal)

namespace {
using names = std::vector<std::string>;
struct Plain : Module {};
template <class Items> names names_of(const Items& items) {
    names r;
    for (const auto& item : items) r.push_back(item.first);
    return r;
}
/// z, l2, a, l1 = batch norm, shared = l2, tied = z: the example of M-8.
std::shared_ptr<Plain> example() {
    auto m = std::make_shared<Plain>();
    const Tensor z = m->register_parameter("z", ones({1}));
    const ModulePtr l2 = nn::Linear(1, 1).ptr();
    m->add_module("l2", l2);
    m->register_parameter("a", ones({1}));
    m->add_module("l1", nn::BatchNorm1d(1).ptr());
    m->add_module("shared", l2);
    m->register_parameter("tied", z);
    return m;
}
} // namespace

BOOST_AUTO_TEST_CASE(M_7_modules_in_pre_order_under_their_first_path) {
    const auto m = std::make_shared<Plain>();
    const auto inner = std::make_shared<Plain>();
    inner->add_module("x", std::make_shared<nn::ReLUImpl>());
    m->add_module("a", inner);
    m->add_module("b", std::make_shared<nn::TanhImpl>());
    m->add_module("again", inner);
    BOOST_TEST(m->named_modules().keys() == (names{"", "a", "a.x", "b"}));
    BOOST_TEST(m->named_modules("net").keys() == (names{"net", "net.a", "net.a.x", "net.b"}));
    BOOST_TEST(m->named_modules("net", false).keys() == (names{"net.a", "net.a.x", "net.b"}));
    BOOST_TEST(names_of(m->module_items("", false)) == (names{"", "a", "a.x", "b", "again", "again.x"}));
    BOOST_TEST(m->modules().size() == 4u);
    Plain on_the_stack;
    BOOST_TEST(has(message_of([&] { on_the_stack.modules(); }), {"Plain", "on the stack", "include_self = false"}));
    BOOST_TEST(on_the_stack.modules(false).empty());
}

BOOST_AUTO_TEST_CASE(M_8_own_tensors_come_before_those_of_children) {
    const auto m = example();
    BOOST_TEST(m->named_parameters().keys() == (names{"z", "a", "l2.weight", "l2.bias", "l1.weight", "l1.bias"}));
    BOOST_TEST(
        names_of(m->parameter_items("", true, false)) ==
        (names{"z", "a", "tied", "l2.weight", "l2.bias", "l1.weight", "l1.bias", "shared.weight", "shared.bias"}));
    BOOST_TEST(m->named_parameters("p", false).keys() == (names{"p.z", "p.a"}));
    BOOST_TEST(m->named_buffers("p").keys() ==
               (names{"p.l1.running_mean", "p.l1.running_var", "p.l1.num_batches_tracked"}));
    BOOST_TEST(m->buffers(false).empty());
}

BOOST_AUTO_TEST_CASE(M_9_identity_decides_not_value) {
    Plain m;
    m.register_parameter("a", ones({2}));
    m.register_parameter("b", ones({2}));
    m.register_parameter("none", Tensor(), false);
    BOOST_TEST(m.parameters().size() == 2u);
}

BOOST_AUTO_TEST_CASE(M_10_children_are_direct_and_unique) {
    const auto m = example();
    m->add_module("none", nullptr);
    BOOST_TEST(m->named_children().keys() == (names{"l2", "l1"}));
    BOOST_TEST(m->children().size() == 2u);
}

BOOST_AUTO_TEST_CASE(M_11_apply_visits_children_first_and_once_per_parent) {
    const auto shared = std::make_shared<nn::ReLUImpl>();
    nn::Sequential s{nn::Sequential(shared, shared), nn::Sequential(shared, nn::Tanh())};
    std::string log, paths;
    s->apply([&](Module& m) { log += m.repr_name() + " "; });
    BOOST_TEST(log == "ReLU Sequential ReLU Tanh Sequential Sequential ");
    s->apply([&](const std::string& name, Module&) { paths += name + " "; }, "net");
    BOOST_TEST(paths == "net.0.0 net.0 net.1.0 net.1.1 net.1 net ");
    std::size_t n = 0;
    s->apply([&](const ModulePtr& m) { n += bool(m); });
    s->apply([&](const std::string&, const ModulePtr& m) { n += bool(m); });
    BOOST_TEST(n == 12u);
}

BOOST_AUTO_TEST_CASE(apply_and_as_on_const_modules) {
    nn::Sequential net{nn::Linear(2, 3), nn::ReLU()};
    const nn::Module& seen = *net;
    std::vector<std::string> order;
    seen.apply([&](const nn::Module& m) { order.push_back(m.repr_name()); });
    BOOST_TEST(order == (std::vector<std::string>{"Linear", "ReLU", "Sequential"}));
    order.clear();
    seen.apply([&](const std::string& name, const nn::Module&) { order.push_back(name); }, "net");
    BOOST_TEST(order == (std::vector<std::string>{"net.0", "net.1", "net"}));
    const nn::Module& first = *net->ptr(0);
    BOOST_TEST((first.as<nn::Linear>() && first.as<nn::LinearImpl>()->weight.defined()));
    BOOST_TEST(!first.as<nn::ReLU>());
}
BOOST_AUTO_TEST_CASE(M_12_modes_reach_the_whole_tree) {
    nn::Sequential s{nn::Dropout(), nn::Sequential(nn::Dropout())};
    s->eval();
    for (const ModulePtr& m : s->modules()) BOOST_TEST(!m->is_training());
    s->ptr(1)->train();
    BOOST_TEST(!s->is_training());
    BOOST_TEST(s->ptr(1)->children()[0]->is_training());
    s->train(false);
    BOOST_TEST(!s->ptr(1)->is_training());
}

BOOST_AUTO_TEST_CASE(M_13_requires_grad_leaves_buffers_and_modes_alone) {
    nn::BatchNorm1d m(2);
    m->requires_grad_(false);
    for (const Tensor& p : m->parameters()) BOOST_TEST(!p.requires_grad());
    m->requires_grad_();
    for (const Tensor& p : m->parameters()) BOOST_TEST(p.requires_grad());
    for (const Tensor& b : m->buffers()) BOOST_TEST(!b.requires_grad());
    BOOST_TEST(m->is_training());
}

BOOST_AUTO_TEST_CASE(M_14_M_15_clearing_gradients) {
    Scale m, frozen;
    m->register_buffer("b", leaf(1));
    (m(leaf(2)) * Tensor(m->own_buffers()["b"])).backward();
    const Tensor held = m->w.grad();
    m->zero_grad();
    BOOST_TEST(!m->w.grad().defined());
    BOOST_TEST(number(held) == 2);                         // what the user holds stays as it is
    BOOST_TEST(number(m->own_buffers()["b"].grad()) == 6); // buffers keep theirs
    m(leaf(2)).backward();
    const Tensor same = m->w.grad();
    m->requires_grad_(false); // frozen parameters too
    m->zero_grad(false);
    BOOST_TEST(m->w.grad().is_same(same));
    BOOST_TEST(number(same) == 0);
    frozen->zero_grad(false); // never created
    BOOST_TEST(!frozen->w.grad().defined());
    m->requires_grad_();
    (m(leaf(2)) * m->w).backward({}, std::nullopt, true);
    BOOST_TEST(bool(m->w.grad().grad_fn()));
    m->zero_grad(false);
    BOOST_TEST(!m->w.grad().grad_fn());
    BOOST_TEST(!m->w.grad().requires_grad());
}

BOOST_AUTO_TEST_CASE(M_24_looking_up_submodules) {
    nn::Sequential s{nn::Linear(1, 1), nn::Sequential(nn::ReLU())};
    BOOST_TEST((s->get_submodule("") == ModulePtr(s.ptr())));
    BOOST_TEST((s->get_submodule("1.0")->repr() == "ReLU()"));
    std::string text = message_of<AttributeError>([&] { s->get_submodule("1.7.x"); });
    BOOST_TEST(has(text, {"Sequential", "'7'", "1.7.x"}), text);
    text = message_of<AttributeError>([&] { s->get_submodule("0.weight"); });
    BOOST_TEST(has(text, {"'weight'", "Linear", "not a module"}), text);
    s->add_module("none", nullptr);
    text = message_of<AttributeError>([&] { s->get_submodule("none"); });
    BOOST_TEST(has(text, {"'none'", "Sequential", "not a module"}), text);
    text = message_of<AttributeError>([&] { s->get_submodule("1."); }); // empty atoms are missing
    BOOST_TEST(has(text, {"no attribute ''"}), text);
}

BOOST_AUTO_TEST_CASE(M_25_looking_up_tensors) {
    nn::Sequential s{nn::Linear(nn::LinearOptions(1, 1).bias(false)), nn::BatchNorm1d(1)};
    BOOST_TEST(s->get_parameter("0.weight").is_same(s->ptr(0)->parameters()[0]));
    BOOST_TEST(s->get_buffer("1.running_mean").defined());
    const auto fails = [&](const char* path, bool buffer, std::initializer_list<const char*> parts) {
        const std::string text = message_of<AttributeError>([&] {
            if (buffer) s->get_buffer(path);
            else s->get_parameter(path);
        });
        BOOST_TEST(has(text, parts), text);
    };
    fails("0.nothing", false, {"Linear", "'nothing'"});
    fails("0.bias", false, {"'bias'", "Linear", "not a parameter", "none"});
    fails("1.running_mean", false, {"'running_mean'", "BatchNorm1d", "not a parameter"});
    fails("1.weight", true, {"'weight'", "BatchNorm1d", "not a buffer"});
    fails("9.weight", true, {"Sequential", "'9'"});
    s->register_buffer("none", Tensor());
    BOOST_TEST(!s->get_buffer("none").defined()); // found
}

BOOST_AUTO_TEST_CASE(M_26_setting_submodules) {
    nn::Sequential s{nn::ReLU(), nn::Sequential(nn::Linear(1, 1))};
    s->set_submodule("1.0", nn::Tanh().ptr());
    BOOST_TEST(s->get_submodule("1.0")->repr() == "Tanh()");
    s->set_submodule("0", nn::Sigmoid().ptr(), true); // keeps its place
    BOOST_TEST(s->named_children().keys() == (names{"0", "1"}));
    s->set_submodule("1.fresh", nn::ReLU().ptr());
    BOOST_TEST(s->get_submodule("1.fresh")->repr() == "ReLU()");
    BOOST_TEST(has(message_of<AttributeError>([&] { s->set_submodule("1.other", nn::ReLU().ptr(), true); }),
                   {"Sequential", "'other'", "strict"}));
    BOOST_TEST(has(message_of<ValueError>([&] { s->set_submodule("", nn::ReLU().ptr()); }), "path is empty"));
    BOOST_TEST(has(message_of<ValueError>([&] { s->set_submodule("0", nullptr); }), "expected a module"));
    nn::Sequential holder{nn::Linear(1, 1)};
    BOOST_TEST(has(message_of<AttributeError>([&] { holder->set_submodule("0.weight", nn::ReLU().ptr()); }),
                   {"'weight'", "Linear", "not a module"}));
    BOOST_TEST(has(message_of<AttributeError>([&] { holder->set_submodule("7.x", nn::ReLU().ptr()); }), "'7'"));
    BOOST_TEST(has(message_of<AttributeError>([&] { holder->set_submodule("0.forward", nn::ReLU().ptr()); }),
                   "'forward' of Linear is not a module")); // M-26: nor is anything else that is no module
    BOOST_TEST(has(message_of<KeyError>([&] { holder->set_submodule("0.", nn::ReLU().ptr()); }), "empty"));
}

BOOST_AUTO_TEST_CASE(M_51_what_is_handed_out_is_a_snapshot) {
    nn::Sequential s{nn::ReLU(), nn::Tanh()};
    for (const auto& item : s->named_children()) s->add_module(item.key() + "x", *item);
    BOOST_TEST(s->own_children().size() == 4u);
    int visited = 0;
    s->apply([&](Module& m) {
        ++visited;
        if (m.children().empty()) s->add_module("late" + std::to_string(visited), nn::ReLU().ptr());
    });
    BOOST_TEST(visited == 3);
    const auto kept = s->named_parameters();
    s->register_parameter("w", ones({}));
    BOOST_TEST(kept.is_empty());
}

BOOST_AUTO_TEST_SUITE_END()
