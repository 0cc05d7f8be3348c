#include <reel/distributed/sync_batch_norm.hpp>

#include "distributed/data_parallel_nets.hpp"
#include "distributed/on_ranks.hpp"

#include <boost/test/unit_test.hpp>

#include <reel/autograd/tensor_factory.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/distributed/session.hpp>

using namespace reel;
using namespace reel::testing;
using distributed::convert_sync_batchnorm;
using distributed::SyncBatchNorm;
using distributed::SyncBatchNormImpl;

namespace {
Tensor normal(std::uint64_t seed, std::vector<std::int64_t> sizes) {
    Generator generator = reel::detail::createCPUGenerator(seed);
    return reel::randn(sizes, generator, kDouble) * 2 + 30; // means far from zero
}
/// What a normalisation of three channels makes of `x`, its parameters and buffers, and (weighted) gradients.
std::vector<Tensor> all_of(nn::Module& norm, const Tensor& x, const Tensor& weights) {
    const Tensor in = x.clone().requires_grad_();
    const Tensor y = norm.call_values({Value(in)}).toTensor();
    (y * y * weights).sum().backward();
    return {y.detach(), in.grad()};
}
template <class Norm> Norm with_values(Norm norm) {
    const NoGradGuard no_grad;
    norm->to(kDouble);
    norm->weight.copy_(tensor({0.5, -1.5, 2.0}, kDouble));
    norm->bias.copy_(tensor({0.1, 0.2, 0.3}, kDouble));
    return norm;
}
bool near(const Tensor& a, const Tensor& b) { return a.sizes().equals(b.sizes()) && allclose(a, b, 1e-10, 1e-12); }
/// A module with a typed member.
struct NetImpl : nn::Module {
    NetImpl() {
        conv = register_module("conv", nn::Conv2d(1, 3, 3));
        norm = register_module("norm", nn::BatchNorm2d(3));
    }
    Tensor forward(const Tensor& x) { return norm(conv(x)); }
    nn::Conv2d conv{nullptr};
    nn::BatchNorm2d norm{nullptr};
};
REEL_MODULE(Net);
} // namespace

BOOST_AUTO_TEST_SUITE(sync_batch_norm)

// D-30
BOOST_AUTO_TEST_CASE(training_is_that_of_one_process_with_the_joint_batch) {
    for (const bool momentum : {true, false}) {
        nn::BatchNormOptions options(3);
        if (!momentum) options.momentum(std::nullopt);
        const std::vector<std::int64_t> rows{4, 1, 2}; // parts of different sizes
        const Tensor x = normal(1, {7, 3, 5}), weights = normal(2, {7, 3, 5});
        const auto found = on_ranks(3, [&](std::int64_t rank) {
            SyncBatchNorm norm = with_values(SyncBatchNorm(options));
            const std::int64_t begin = rank == 0 ? 0 : rank == 1 ? 4 : 5, count = rows[std::size_t(rank)];
            std::vector<Tensor> all;
            for (int pass = 0; pass < 2; ++pass)
                all = all_of(*norm, x.narrow(0, begin, count), weights.narrow(0, begin, count));
            for (const Tensor& t : {norm->weight.grad(), norm->bias.grad(), norm->running_mean, norm->running_var,
                                    norm->num_batches_tracked})
                all.push_back(t.clone());
            return all;
        });
        nn::BatchNorm1d joint = with_values(nn::BatchNorm1d(options));
        std::vector<Tensor> want;
        for (int pass = 0; pass < 2; ++pass) want = all_of(*joint, x, weights);
        for (std::size_t i = 0; i < 2; ++i)
            BOOST_TEST(near(cat({found[0][i], found[1][i], found[2][i]}), want[i]), i << " momentum " << momentum);
        BOOST_TEST(near(found[0][2] + found[1][2] + found[2][2], joint->weight.grad()));
        BOOST_TEST(near(found[0][3] + found[1][3] + found[2][3], joint->bias.grad()));
        for (const auto& of_rank : found) {
            BOOST_TEST(near(of_rank[4], joint->running_mean));
            BOOST_TEST(near(of_rank[5], joint->running_var));
            BOOST_TEST(equal(of_rank[6], joint->num_batches_tracked));
            BOOST_TEST(equal(of_rank[4], found[0][4])); // the same bits on all ranks
            BOOST_TEST(equal(of_rank[5], found[0][5]));
        }
    }
}

BOOST_AUTO_TEST_CASE(second_derivatives_are_those_of_the_joint_batch) {
    const Tensor x = normal(3, {6, 2}) - 30, seed = normal(4, {6, 2}) - 30, second = normal(5, {6, 2}) - 30;
    const auto gradient_of_gradient = [](auto& norm, const Tensor& in, const Tensor& a, const Tensor& b) {
        const Tensor leaf = in.clone().requires_grad_();
        const Tensor y = norm.forward(leaf);
        const Tensor first = autograd::grad({y}, {leaf}, {a}, true, true)[0];
        return autograd::grad({first}, {leaf}, {b})[0];
    };
    const auto found = on_ranks(2, [&](std::int64_t rank) {
        SyncBatchNorm norm(2);
        norm->to(kDouble);
        const auto mine = [&](const Tensor& t) { return t.narrow(0, 3 * rank, 3); };
        return gradient_of_gradient(*norm, mine(x), mine(seed), mine(second));
    });
    nn::BatchNorm1d joint(2);
    joint->to(kDouble);
    BOOST_TEST(allclose(cat({found[0], found[1]}), gradient_of_gradient(*joint, x, seed, second), 1e-8, 1e-10));
}

// D-30
BOOST_AUTO_TEST_CASE(evaluation_and_options_are_those_of_batch_norm) {
    const auto found = on_ranks(2, [](std::int64_t rank) {
        SyncBatchNorm norm = with_values(SyncBatchNorm(3));
        norm(normal(6, {4, 3}));
        norm->eval();
        nn::BatchNorm1d plain(3);
        plain->to(kDouble);
        plain->load_state_dict(norm->state_dict());
        plain->eval();
        const Tensor x = normal(7, {rank + 1, 3}); // other sizes on each rank: nothing is exchanged
        std::string text = str(equal(norm(x), plain(x)), ' ');
        SyncBatchNorm without(nn::BatchNormOptions(3).affine(false).track_running_stats(false));
        text += str(without->parameters().size(), without->buffers().size(), ' ');
        text += str(without(normal(8, {4, 3, 2, 2})).sizes(), ' ', *norm);
        return text;
    });
    BOOST_TEST(found[1] == "1 00 [4, 3, 2, 2] SyncBatchNorm(3, eps=1e-05, momentum=0.1, affine=True, bias=True, "
                           "track_running_stats=True)");
}

BOOST_AUTO_TEST_CASE(low_precision_has_moments_in_float) {
    const auto found = on_ranks(2, [](std::int64_t rank) {
        SyncBatchNorm norm(2);
        const Tensor x = normal(9, {64, 2}).to(kBFloat16);
        const Tensor y = norm(x.narrow(0, 32 * rank, 32));
        nn::BatchNorm1d plain(2);
        const Tensor want = plain(x.to(kFloat)).narrow(0, 32 * rank, 32);
        return str(dtype_name(y.scalar_type()), ' ', allclose(y.to(kFloat), want, 1e-2, 1e-2), ' ',
                   allclose(norm->running_var, plain->running_var, 1e-4, 1e-4));
    });
    BOOST_TEST(found[0] == "bfloat16 1 1");
}

// D-30
BOOST_AUTO_TEST_CASE(conversion_keeps_what_a_batch_norm_is_and_typed_members_follow) {
    const auto found = on_ranks(2, [](std::int64_t rank) {
        Net net;
        net->to(kDouble);
        net->norm->weight.requires_grad_(false);
        const Tensor weight = net->norm->weight;
        net->norm->options.eps(0.25);
        convert_sync_batchnorm(nn::ModulePtr(net.ptr()));
        const nn::ModulePtr sync = net->get_submodule("norm");
        std::string text = str(distributed::is_sync_batch_norm(*sync), net->norm->weight.is_same(weight),
                               sync->own_parameters()["weight"].is_same(weight), weight.requires_grad(),
                               net->norm.ptr() == sync, ' ', net->norm->options.eps(), ' ');
        net(normal(std::uint64_t(rank), {3, 1, 5, 5})); // through the typed member
        text += str(number(net->norm->running_mean.sum()), ' ', net->state_dict().size());
        const nn::ModulePtr again = convert_sync_batchnorm(nn::ModulePtr(net.ptr()));
        text += str(' ', again->get_submodule("norm") == sync);
        const nn::ModulePtr copy = sync->clone();
        return text + str(' ', distributed::is_sync_batch_norm(*copy));
    });
    BOOST_TEST(found[0].starts_with("11101 0.25 "), found[0]);
    BOOST_TEST(found[0].ends_with(" 7 1 1"), found[0]);
    BOOST_TEST(found[0].substr(0, 30) != found[1].substr(0, 9)); // and the running mean is a joint one:
    BOOST_TEST(found[0] == found[1]);
}

BOOST_AUTO_TEST_CASE(a_batch_norm_itself_is_replaced) {
    const auto found = on_ranks(2, [](std::int64_t) {
        const nn::ModulePtr sync = convert_sync_batchnorm(nn::ModulePtr(nn::BatchNorm3d(2).ptr()));
        return str(distributed::is_sync_batch_norm(*sync), sync->repr_name());
    });
    BOOST_TEST(found[0] == "1SyncBatchNorm");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_normalised_is_refused) {
    const auto errors = errors_on_ranks(1, [](std::int64_t) { SyncBatchNorm(3)->forward(ones({3})); });
    BOOST_TEST(errors[0] ==
               "ValueError: SyncBatchNorm: expected input of at least 2 dimensions, got 1D input of shape [3]");
    BOOST_TEST(has(errors_on_ranks(1,
                                   [](std::int64_t) {
                                       SyncBatchNorm(3)->forward(ones({2, 4}));
                                   })[0],
                   "expected input with num_features = 3 channels in dimension 1, got shape [2, 4]"));
    BOOST_TEST(has(errors_on_ranks(1,
                                   [](std::int64_t) {
                                       SyncBatchNorm(3)->forward(ones({1, 3}));
                                   })[0],
                   "expected more than one value per channel in training, got input of shape [1, 3] on rank 0 of 1"));
    BOOST_TEST(errors_on_ranks(
                   1, [](std::int64_t) { convert_sync_batchnorm(nn::ModulePtr(nn::LazyBatchNorm1d().ptr())); })[0] ==
               "Error: convert_sync_batchnorm: LazyBatchNorm1d has no parameters yet; call the module once "
               "before converting it");
    const auto together = errors_on_ranks(2, [](std::int64_t) { SyncBatchNorm(3)->forward(rand({1, 3})); });
    BOOST_TEST(together[0].empty()); // two values, of two ranks
}

BOOST_AUTO_TEST_SUITE_END()
