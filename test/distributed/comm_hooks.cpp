#include <reel/distributed/comm_hooks.hpp>

#include "distributed/data_parallel_nets.hpp"
#include "distributed/on_ranks.hpp"

#include <boost/test/unit_test.hpp>

#include <reel/distributed/collectives.hpp>
#include <reel/distributed/data_parallel.hpp>

using namespace reel;
using namespace reel::testing;
using distributed::BucketFuture;
using distributed::DistributedDataParallel;
using distributed::GradBucket;
using distributed::ProcessGroup;
namespace hooks = distributed::comm_hooks;

namespace {
/// The gradients of `passes` passes of `small_net`, reduced by the hook that `add` registers.
template <class Add>
std::vector<std::vector<Tensor>> reduced_by(std::int64_t n, std::int64_t passes, ScalarType dtype, Add add) {
    return on_ranks(n, [&](std::int64_t rank) {
        nn::Sequential net = small_net();
        net->to(dtype);
        DistributedDataParallel ddp(net, {.bucket_cap_mb = 0.0004});
        add(*ddp);
        std::vector<Tensor> all;
        for (std::int64_t step = 0; step < passes; ++step) {
            net->zero_grad();
            const Batch b = batch_of(step, rank);
            nn::functional::mse_loss(ddp(b.input.to(dtype)), b.target.to(dtype)).backward();
            for (const Tensor& p : net->parameters()) all.push_back(p.grad().clone());
        }
        return all;
    });
}
/// Of one rank, in float32.
std::vector<Tensor> local_gradients(std::int64_t step, std::int64_t rank) {
    nn::Sequential net = small_net();
    net->to(kFloat);
    const Batch b = batch_of(step, rank);
    nn::functional::mse_loss(net(b.input.to(kFloat)), b.target.to(kFloat)).backward();
    std::vector<Tensor> g;
    for (const Tensor& p : net->parameters()) g.push_back(p.grad());
    return g;
}
/// One matrix as the only parameter, whose gradient is the input.
struct MatrixImpl : nn::Module {
    explicit MatrixImpl(std::int64_t rows, std::int64_t columns) {
        w = register_parameter("w", zeros({rows, columns}, kDouble));
        b = register_parameter("b", zeros({columns}, kDouble));
    }
    Tensor forward(const Tensor& x) { return (w * x).sum() + (b * x[0]).sum(); }
    Tensor w, b;
};
REEL_MODULE(Matrix);
Tensor normal(std::uint64_t seed, std::vector<std::int64_t> sizes) {
    Generator generator = reel::detail::createCPUGenerator(seed);
    return reel::randn(sizes, generator, kDouble);
}
} // namespace

BOOST_AUTO_TEST_SUITE(comm_hooks)

// D-26
BOOST_AUTO_TEST_CASE(the_mean_by_hook_is_the_mean) {
    const auto found =
        reduced_by(3, 3, kDouble, [](auto& ddp) { ddp.register_comm_hook(ProcessGroup(), hooks::allreduce); });
    const auto plain = reduced_by(3, 3, kDouble, [](auto&) {});
    BOOST_TEST(same_bits(found[0], plain[0]));
    BOOST_TEST(same_bits(found[2], plain[0]));
}

// D-26
BOOST_AUTO_TEST_CASE(lower_precision_casts_divides_and_adds_there) {
    const auto check = [](ScalarType low, auto hook) {
        const auto found = reduced_by(2, 1, kFloat, [&](auto& ddp) { ddp.register_comm_hook(ProcessGroup(), hook); });
        const auto one = local_gradients(0, 0), two = local_gradients(0, 1);
        std::vector<Tensor> want;
        for (std::size_t i = 0; i < one.size(); ++i)
            want.push_back((one[i].to(low) / 2 + two[i].to(low) / 2).to(kFloat));
        BOOST_TEST(same_bits(found[0], want));
        BOOST_TEST(same_bits(found[1], want));
    };
    check(kBFloat16, hooks::bf16_compress);
    check(kHalf, hooks::fp16_compress);
}

// D-16, D-26
BOOST_AUTO_TEST_CASE(a_hook_gets_buckets_in_order_and_divides_itself) {
    const auto found = on_ranks(2, [](std::int64_t rank) {
        nn::Sequential net = small_net();
        DistributedDataParallel ddp(net, {.bucket_cap_mb = 0.0004});
        std::string seen;
        ddp->register_comm_hook(7, [&](int state, const GradBucket& bucket) {
            seen += str(state, ' ', bucket.index(), ' ', bucket.is_last(), ' ', bucket.gradients().size(), ' ',
                        bucket.gradients()[0].sizes().equals(bucket.parameters()[0].sizes()), "; ");
            return BucketFuture(distributed::all_reduce_async(bucket.buffer()), bucket.buffer())
                .then([](const Tensor& sum) { return sum * 2; }); // another tensor than the buffer
        });
        const Batch b = batch_of(0, rank);
        nn::functional::mse_loss(ddp(b.input), b.target).backward();
        const auto mean = mean_gradients(0, 2);
        double worst = 0;
        std::size_t i = 0;
        for (const Tensor& p : net->parameters())
            worst = std::max(worst, (p.grad() / 4 - mean[i++]).abs().max().item<double>());
        return seen + (worst < 1e-15 ? "exact" : str(worst));
    });
    BOOST_TEST(found[0] == "7 0 0 4 1; 7 1 1 2 1; exact");
}

// D-26
BOOST_AUTO_TEST_CASE(there_is_one_hook_and_it_comes_first) {
    const auto errors = errors_on_ranks(1, [](std::int64_t) {
        DistributedDataParallel ddp(small_net());
        ddp->register_comm_hook(ProcessGroup(), hooks::allreduce);
        ddp->register_comm_hook(ProcessGroup(), hooks::allreduce);
    });
    BOOST_TEST(errors[0] ==
               "Error: DistributedDataParallel: register_comm_hook: there is a hook already; one per wrapper");
    const auto late = errors_on_ranks(1, [](std::int64_t) {
        Scale net;
        DistributedDataParallel ddp(net);
        ddp(ones({})).backward();
        ddp->register_comm_hook(ProcessGroup(), hooks::allreduce);
    });
    BOOST_TEST(has(late[0], "gradients were reduced already; register the hook before the first backward"));
    BOOST_TEST(errors_on_ranks(1, [](std::int64_t) { hooks::PowerSGDState({}, {.rank = 0}); })[0] ==
               "ValueError: PowerSGD: rank is 0; expected at least 1");
    BOOST_TEST(has(errors_on_ranks(1, [](std::int64_t) { hooks::PowerSGDState({}, {.min_compression_rate = 0}); })[0],
                   "min_compression_rate is 0; expected a number above 0"));
}

// D-27
BOOST_AUTO_TEST_CASE(power_sgd_starts_with_plain_means) {
    const auto found = reduced_by(2, 3, kDouble, [](auto& ddp) {
        ddp.register_comm_hook(hooks::PowerSGDState({}, {.start_iter = 2}), hooks::power_sgd);
    });
    std::vector<Tensor> first(found[0].begin(), found[0].begin() + 12), want;
    for (std::int64_t step = 0; step < 2; ++step)
        for (const Tensor& g : mean_gradients(step, 2)) want.push_back(g);
    BOOST_TEST(same_bits(first, want));
    BOOST_TEST(same_bits(found[0], found[1])); // compressed ones are the same on all ranks, too
    BOOST_TEST(!equal(found[0][12], mean_gradients(2, 2)[0]));
}

// D-27
BOOST_AUTO_TEST_CASE(gradients_of_low_rank_come_through_power_sgd) {
    for (const std::int64_t rank_of_gradients : {1, 2, 3}) {
        const auto errors = on_ranks(3, [&](std::int64_t rank) {
            Matrix net(12, 20);
            DistributedDataParallel ddp(net);
            ddp->register_comm_hook(hooks::PowerSGDState({}, {.rank = 3, .start_iter = 0, .min_compression_rate = 1}),
                                    hooks::power_sgd);
            double worst = 0;
            for (std::uint64_t step = 0; step < 3; ++step) {
                // The ranks' columns lie in one space: then so do those of the mean.
                const Tensor left = normal(50 + step, {12, rank_of_gradients});
                const auto part = [&](std::int64_t r) {
                    return matmul(left, normal(100 * step + std::uint64_t(r), {rank_of_gradients, 20}));
                };
                ddp->zero_grad();
                ddp(part(rank)).backward();
                const Tensor mean = (part(0) + part(1) + part(2)) / 3;
                worst = std::max(worst, (net->w.grad() - mean).abs().max().item<double>());
                worst = std::max(worst, (net->b.grad() - mean[0]).abs().max().item<double>()); // vectors travel whole
            }
            return worst;
        });
        for (const double worst : errors) BOOST_TEST(worst < 1e-13, worst << " for rank " << rank_of_gradients);
    }
}

// D-27
BOOST_AUTO_TEST_CASE(error_feedback_brings_the_sum_over_steps_near_that_of_the_means) {
    const auto apart = [](bool feedback, std::int64_t steps) {
        return on_ranks(2, [&](std::int64_t rank) {
            Matrix net(16, 24);
            DistributedDataParallel ddp(net);
            ddp->register_comm_hook(
                hooks::PowerSGDState({}, {.rank = 2, .start_iter = 0, .use_error_feedback = feedback}),
                hooks::power_sgd);
            Tensor applied = zeros({16, 24}, kDouble), mean = applied.clone();
            for (std::int64_t step = 0; step < steps; ++step) {
                ddp->zero_grad();
                ddp(normal(std::uint64_t(rank), {16, 24})).backward(); // the same gradient again and again
                applied = applied + net->w.grad();
                mean = mean + (normal(0, {16, 24}) + normal(1, {16, 24})) / 2;
            }
            return ((applied - mean).norm() / mean.norm()).item<double>();
        })[0];
    };
    const double soon = apart(true, 10), late = apart(true, 80);
    BOOST_TEST(late < soon / 4, soon << ' ' << late);
    BOOST_TEST(late < 0.15, late);
    BOOST_TEST(apart(false, 80) > 0.5); // without, what is left out stays out
}

BOOST_AUTO_TEST_SUITE_END()
