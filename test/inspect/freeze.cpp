// A frozen module stays as it is, and whoever tried to change it is on the list.
#include <reel/inspect/freeze.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd.hpp>
#include <reel/autograd/tape_view.hpp>
#include <reel/nn.hpp>
#include <reel/optim.hpp>

using namespace reel;
using namespace reel::inspect;

namespace {

struct NetImpl : nn::Module {
    NetImpl() {
        body = register_module("body", nn::Sequential(nn::Linear(3, 4), nn::BatchNorm1d(4), nn::Dropout(0.5)));
        head = register_module("head", nn::Linear(4, 2));
    }
    Tensor forward(const Tensor& x) { return head(body(x)); }
    nn::Sequential body{nullptr};
    nn::Linear head{nullptr};
};
REEL_MODULE(Net);

Tensor input() { return arange(24).to(kFloat).reshape({8, 3}) / 5 - 0.4; }
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
bool tried(const FreezeReport& r, const std::string& tensor, const std::string& what) {
    for (const WriteAttempt& a : r.attempts)
        if (a.tensor == tensor && contains(a.what, what)) return true;
    return false;
}

} // namespace

BOOST_AUTO_TEST_SUITE(freeze_)

BOOST_AUTO_TEST_CASE(training_around_it_changes_no_byte) {
    manual_seed(0);
    Net net;
    optim::AdamW adam(net->parameters(), optim::AdamWOptions(0.1).weight_decay(0.1));
    const FreezeGuard guard = freeze(*net->body);
    const Tensor head = net->head->weight.detach().clone();
    for (int i = 0; i < 3; ++i) {
        net->train();
        BOOST_TEST(net->head->is_training());
        BOOST_TEST(!net->body->is_training());
        adam.zero_grad();
        net(input()).square().sum().backward();
        adam.step();
    }
    const FreezeReport r = guard.verify();
    BOOST_TEST(r.intact(), r.text());
    BOOST_TEST(r.tensors == 7u); // two of Linear, two and three of BatchNorm
    BOOST_TEST((net->head->weight - head).abs().max().item<float>() > 0.0f);
    BOOST_TEST(tried(r, "(mode)", "train(true)"), r.text());
    BOOST_TEST(contains(r.text(), ", 3 times"), r.text());
    BOOST_TEST(!net->body->parameters()[0].mutable_grad().defined());
}

BOOST_AUTO_TEST_CASE(running_statistics_stay_even_in_training_mode) {
    Net net;
    const FreezeGuard guard = freeze(*net->body, {.mode = false});
    BOOST_TEST(net->body->is_training());
    net(input());
    const FreezeReport r = guard.verify();
    BOOST_TEST(r.intact(), r.text());
    BOOST_TEST(tried(r, "1.running_mean", "batch_norm"), r.text());
    BOOST_TEST(tried(r, "1.running_var", "batch_norm"), r.text());
    BOOST_TEST(tried(r, "1.num_batches_tracked", "batch_norm"), r.text());
}

BOOST_AUTO_TEST_CASE(a_write_is_refused_before_it_happens) {
    Net net;
    const FreezeGuard guard = freeze(*net->body);
    const Tensor w = net->body->parameters()[0];
    {
        NoGradGuard no_grad;
        BOOST_CHECK_THROW(w.add_(1), PinnedError);
        BOOST_CHECK_THROW(w[0].zero_(), PinnedError); // a view of it
        BOOST_CHECK_THROW(w.copy_(w * 2), PinnedError);
    }
    BOOST_CHECK_THROW(w.set_data(w.detach() * 2), PinnedError);
    BOOST_CHECK_THROW(net->load_state_dict(Net()->state_dict()), Error);
    const FreezeReport r = guard.verify();
    BOOST_TEST(r.intact(), r.text());
    BOOST_TEST(tried(r, "0.weight", "add_"));
    BOOST_TEST(tried(r, "0.weight", "set_data"));
    BOOST_TEST(!r.attempts.at(0).place.empty());
    BOOST_TEST(!r.attempts.at(0).happened);
}

BOOST_AUTO_TEST_CASE(logged_writes_and_raw_pointers_show_in_the_bytes) {
    Net net;
    const FreezeGuard guard = freeze(*net->body, {.on_write = OnWrite::Log});
    {
        NoGradGuard no_grad;
        net->body->parameters()[0].add_(1);
    }
    net->body->parameters()[1].data_ptr<float>()[2] += 1; // nobody sees this
    const FreezeReport r = guard.verify();
    BOOST_REQUIRE(r.differences.size() == 2u);
    BOOST_TEST(r.differences[0].tensor == "0.weight");
    BOOST_TEST(contains(r.differences[0].text, "12 of 12 elements differ"), r.text());
    BOOST_TEST(contains(r.differences[1].text, "1 of 4 elements differ, the first is number 2"), r.text());
    BOOST_TEST(r.attempts.size() == 1u);
    BOOST_TEST(r.attempts[0].happened);
    BOOST_TEST(contains(r.json(), "\"intact\":false"));
}

BOOST_AUTO_TEST_CASE(a_long_training_makes_no_long_list) {
    Net net;
    const FreezeGuard guard = freeze(*net->body);
    for (int i = 0; i < 1000; ++i) net->train();
    const std::vector<WriteAttempt>& attempts = guard.attempts();
    BOOST_REQUIRE(attempts.size() == 4u); // the body and its three children
    BOOST_TEST(attempts[0].times == 1000u);
    BOOST_TEST(contains(guard.verify().json(), "\"times\":1000"));
    BOOST_TEST(contains(guard.verify().text(), "4000 attempts to change something"), guard.verify().text());
}

BOOST_AUTO_TEST_CASE(requires_grad_passes_over_it) {
    Net net;
    const FreezeGuard guard = freeze(*net->body);
    net->requires_grad_(true);
    BOOST_TEST(!net->body->parameters()[0].requires_grad());
    BOOST_TEST(net->head->weight.requires_grad());
    BOOST_TEST(tried(guard.verify(), "0.weight", "requires_grad_"));
    // an alias is not the parameter
    BOOST_TEST(net->body->parameters()[0].detach().requires_grad_().requires_grad());
}

BOOST_AUTO_TEST_CASE(an_optimizer_steps_over_it) {
    Net net;
    optim::SGD sgd(net->parameters(), 0.1);
    const FreezeGuard guard = freeze(*net->body);
    const Tensor w = net->body->parameters()[0];
    w.mutable_grad() = ones_like(w); // somebody insists
    sgd.step();
    const FreezeReport r = guard.verify();
    BOOST_TEST(r.intact(), r.text());
    BOOST_TEST(tried(r, "0.weight", "SGD"), r.text());
}

BOOST_AUTO_TEST_CASE(membership_of_optimizers) {
    Net net;
    optim::SGD sgd(net->head->parameters(), 0.1);
    const FreezeGuard guard = freeze(*net->body, {.optimizers = {&sgd}});
    BOOST_TEST(guard.verify().intact());
    sgd.add_param_group(net->body->parameters());
    const FreezeReport r = guard.verify();
    BOOST_REQUIRE(r.differences.size() == 4u);
    BOOST_TEST(contains(r.differences[0].text, "0.weight in group 1 of optimizer 0 is new"), r.text());
}

BOOST_AUTO_TEST_CASE(the_end_gives_everything_back) {
    Net net;
    net(input()).sum().backward();
    const Tensor w = net->body->parameters()[0], grad = w.mutable_grad();
    net->body->children()[1]->eval();
    {
        FreezeGuard guard = freeze(*net->body);
        BOOST_TEST(!w.requires_grad());
        BOOST_TEST(!w.mutable_grad().defined());
        FreezeGuard moved = std::move(guard);
        BOOST_CHECK_THROW(guard.verify(), Error);
        BOOST_TEST(moved.verify().intact());
    }
    BOOST_TEST(w.requires_grad());
    BOOST_TEST(w.mutable_grad().is_same(grad));
    BOOST_TEST(net->body->children()[0]->is_training());
    BOOST_TEST(!net->body->children()[1]->is_training());
    NoGradGuard no_grad;
    BOOST_CHECK_NO_THROW(w.add_(1));
}

BOOST_AUTO_TEST_CASE(guards_may_end_in_any_order) {
    Net net;
    const Tensor w = net->body->parameters()[0];
    FreezeGuard outer = freeze(*net), inner = freeze(*net->body);
    outer.release();
    BOOST_TEST(!w.requires_grad());
    BOOST_TEST(net->head->weight.requires_grad());
    BOOST_TEST(net->head->is_training());
    BOOST_TEST(!net->body->is_training());
    BOOST_TEST(inner.verify().intact());
    inner.release();
    BOOST_TEST(w.requires_grad());
    BOOST_TEST(net->body->is_training());
}

BOOST_AUTO_TEST_CASE(bad_options) {
    Net net;
    BOOST_CHECK_THROW((void)freeze(*net, {.params = false, .buffers = false, .mode = false}), ValueError);
    BOOST_CHECK_THROW((void)freeze(*net, {.optimizers = {nullptr}}), ValueError);
}

BOOST_AUTO_TEST_CASE(the_bytes_it_tells_are_the_bytes_the_tape_is_smaller_by) {
    for (const std::size_t frozen : {0, 1, 2}) {
        nn::Sequential net(nn::Linear(3, 4), nn::Linear(4, 5), nn::Linear(5, 2));
        const auto loss = [&] { return net(input()).sum(); };
        const Tensor before = loss();
        const std::size_t bytes = autograd::TapeView(before).saved_bytes();
        const FreezeGuard guard = freeze(*net->children()[frozen]);
        const PruneReport r = guard.prune_report(loss);
        const Tensor after = loss();
        BOOST_TEST(r.bytes_saved == bytes - autograd::TapeView(after).saved_bytes(), r.text());
        BOOST_TEST(r.bytes_saved > 0u, frozen);
    }
}

BOOST_AUTO_TEST_CASE(what_freezing_saves) {
    nn::Sequential net(nn::Linear(3, 4), nn::Tanh(), nn::Linear(4, 5), nn::Tanh(), nn::Linear(5, 2));
    const auto loss = [&] { return net(input()).sum(); };
    const PruneReport first = prune_report(loss(), *net->children()[0]);
    // Linear 0 and the first Tanh only lead to frozen leaves; the second Linear's input needs no gradient any more.
    BOOST_TEST(first.nodes_before - first.nodes_after == 2u, first.text());
    BOOST_TEST(first.accumulators == 2u);
    BOOST_TEST(first.grad_bytes == 4u * (12 + 4));
    // weight of 0: 2*8*3*4; bias: 32; tanh: 32; input of the second Linear: 2*8*4*5
    BOOST_TEST(first.flops_saved == 192. + 32 + 32 + 320, first.text());
    // A frozen layer in the middle keeps its node: gradients flow through.
    const PruneReport middle = prune_report(loss(), *net->children()[2]);
    BOOST_TEST(middle.nodes_before == middle.nodes_after);
    BOOST_TEST(middle.flops_saved == 320. + 40, middle.text());
    BOOST_CHECK_THROW((void)prune_report(ones({1}), *net), Error);
}

BOOST_AUTO_TEST_CASE(what_a_guard_saves) {
    Net net;
    const FreezeGuard guard = freeze(*net->body);
    const PruneReport r = guard.prune_report([&] { return net(input()).sum(); });
    BOOST_TEST(r.nodes_before > r.nodes_after);
    BOOST_TEST(r.accumulators == 4u);
    BOOST_TEST(r.bytes_saved > 0u);
    BOOST_TEST(contains(r.json(), "\"nodes_before\""));
    BOOST_TEST(contains(r.text(), "BatchNormBackward0 in 1"), r.text());
    BOOST_TEST(!net->body->parameters()[0].requires_grad());
    BOOST_TEST(guard.verify().intact());
}

BOOST_AUTO_TEST_CASE(flops_of_layers_that_are_one_node) {
    // Three steps of two rows: input 5, state 7.
    const auto item = [](const PruneReport& r, const std::string& node) {
        for (const PruneReport::Item& i : r.items)
            if (i.node.rfind(node, 0) == 0) return i;
        return PruneReport::Item{"none", "", false};
    };
    const Tensor x = ones({3, 2, 5});
    for (const bool input : {false, true})
        for (const double gates : {4., 3., 1.}) {
            const double g = gates * 7, ih = 2 * 6 * g * 5, hh = 2 * 6 * g * 7, bias = 6 * g,
                         through_time = 6 * (4 * g + 2 * g * 7);
            const Tensor in = input ? x.detach().requires_grad_() : x;
            nn::LSTM lstm(5, 7);
            nn::GRU gru(5, 7);
            nn::RNN rnn(5, 7);
            PruneReport r;
            if (gates == 4) r = prune_report(std::get<0>(lstm(in)).sum(), *lstm);
            else if (gates == 3) r = prune_report(std::get<0>(gru(in)).sum(), *gru);
            else r = prune_report(std::get<0>(rnn(in)).sum(), *rnn);
            const PruneReport::Item i = item(r, gates == 4 ? "Lstm" : gates == 3 ? "Gru" : "Rnn");
            BOOST_TEST(i.whole == !input, r.text());
            BOOST_TEST(i.flops == ih + hh + 2 * bias + (input ? 0 : through_time), r.text());
        }
    nn::ConvTranspose2d up(nn::ConvTranspose2dOptions(3, 5, 3).bias(false));
    const PruneReport r = prune_report(up(ones({2, 3, 8, 8})).sum(), *up);
    BOOST_TEST(item(r, "Conv").flops == 2. * (2 * 3 * 8 * 8) * (5 * 3 * 3), r.text());
}

BOOST_AUTO_TEST_CASE(an_optimizer_that_ends_before_the_guard) {
    Net net;
    auto sgd = std::make_unique<optim::SGD>(net->parameters(), 0.1);
    const FreezeGuard guard = freeze(*net->body, {.optimizers = {sgd.get()}});
    sgd.reset();
    BOOST_TEST(guard.verify().intact());
}

BOOST_AUTO_TEST_CASE(memory_that_was_pinned_is_not_taken_for_another_tensor) {
    nn::Linear net(3, 2);
    const FreezeGuard guard = freeze(*net, {.on_write = OnWrite::Log});
    net->weight.set_data(zeros({2, 3})); // goes through, and lets go of the old memory
    const std::size_t before = guard.attempts().size();
    for (int i = 0; i < 100; ++i) ones({2, 3}).add_(1);
    BOOST_TEST(guard.attempts().size() == before, guard.verify().text());
}

BOOST_AUTO_TEST_CASE(a_part_that_was_replaced) {
    nn::Sequential net(nn::Linear(3, 2));
    const FreezeGuard guard = freeze(*net);
    net->replace_module("0", nn::Linear(3, 2));
    BOOST_TEST(contains(guard.verify().text(), "0.weight: another tensor has taken its place"), guard.verify().text());
}

BOOST_AUTO_TEST_CASE(a_product_that_something_is_added_to_counts_once) {
    nn::Linear net(4, 4);
    const Tensor bias = ones({3, 4}).requires_grad_();
    const PruneReport r = prune_report(addmm(bias, ones({3, 4}), net->weight).sum(), *net);
    // product 2*3*4*4, the sum it goes into 12
    BOOST_TEST(r.flops_saved == 96. + 12, r.text());
}

BOOST_AUTO_TEST_CASE(what_only_moves_gradients_costs_nothing) {
    nn::Linear net(3, 4);
    const PruneReport r = prune_report(net(input()).view({2, 16}).transpose(0, 1).unsqueeze(0).sum(), *net);
    // weight 2*8*3*4, bias 32, sum 32
    BOOST_TEST(r.flops_saved == 192. + 32 + 32, r.text());
}

BOOST_AUTO_TEST_SUITE_END()
