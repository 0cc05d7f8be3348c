// What hooks and other users of gradients see under data parallelism.
#include <reel/distributed/data_parallel.hpp>

#include "distributed/data_parallel_nets.hpp"
#include "distributed/on_ranks.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <thread>

#include <reel/autograd/tensor_factory.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/checkpoint.hpp>
#include <reel/distributed/comm_hooks.hpp>
#include <reel/nn/utils/clip_grad.hpp>

using namespace reel;
using namespace reel::testing;
using distributed::DistributedDataParallel;
using distributed::GradBucket;
using distributed::ProcessGroup;

BOOST_AUTO_TEST_SUITE(data_parallel_hooks)

// D-24
BOOST_AUTO_TEST_CASE(what_a_tensor_hook_returns_is_reduced) {
    const auto found = on_ranks(2, [](std::int64_t rank) {
        Scale net;
        DistributedDataParallel ddp(net);
        double seen = 0;
        net->w.register_hook([&](const Tensor& g) {
            seen = number(g);
            return g * 2;
        });
        ddp(full({}, double(rank + 1))).backward();
        return str(seen, ' ', number(net->w.grad()));
    });
    BOOST_TEST(found[0] == "1 3");
    BOOST_TEST(found[1] == "2 3");
}

// D-24
BOOST_AUTO_TEST_CASE(hooks_after_accumulation_see_the_local_gradient_and_may_change_it) {
    for (const bool view : {false, true}) {
        const auto found = on_ranks(2, [&](std::int64_t rank) {
            Scale net;
            DistributedDataParallel ddp(net, {.gradient_as_bucket_view = view});
            std::string text;
            net->w.register_post_accumulate_grad_hook([&](const Tensor& w) {
                text += str(number(w.grad()), ' ');
                const NoGradGuard no_grad;
                w.grad().mul_(10);
            });
            ddp->register_reduced_hook(
                [&](const std::string& name, const Tensor& w) { text += str(name, ' ', number(w.grad()), ' '); });
            for (int pass = 0; pass < 2; ++pass) {
                net->zero_grad();
                ddp(full({}, double(rank + 1))).backward();
            }
            return text;
        });
        BOOST_TEST(found[0] == "1 w 15 1 w 15 ");
        BOOST_TEST(found[1] == "2 w 15 2 w 15 ");
    }
}

// D-24
BOOST_AUTO_TEST_CASE(full_backward_hooks_see_local_gradients) {
    const auto found = on_ranks(2, [](std::int64_t rank) {
        Scale net;
        DistributedDataParallel ddp(net);
        std::string order;
        ddp->register_forward_pre_hook([&](nn::Module&, const Args&) { order += "pre "; });
        ddp->register_full_backward_hook(
            [&](nn::Module&, const std::vector<Tensor>&, const std::vector<Tensor>&) { order += "wrapper "; });
        net->register_forward_hook([&](nn::Module&, const Args&, const Value&) { order += "forward "; });
        net->register_full_backward_hook(
            [&](nn::Module&, const std::vector<Tensor>& in, const std::vector<Tensor>& out) {
                order += str("layer ", number(in[0]), ' ', number(out[0]), ' ');
            });
        net->w.register_hook([&](const Tensor& g) { order += str("tensor ", number(g), ' '); });
        (ddp(leaf(1)) * double(rank + 1)).backward();
        return order + str(number(net->w.grad()));
    });
    BOOST_TEST(found[0] == "pre forward tensor 1 layer 3 1 wrapper 1.5");
    BOOST_TEST(found[1] == "pre forward tensor 2 layer 6 2 wrapper 1.5");
}

BOOST_AUTO_TEST_CASE(reduced_hooks_are_removed_by_their_handles) {
    const auto calls = on_ranks(2, [](std::int64_t) {
        Scale net;
        DistributedDataParallel ddp(net);
        int count = 0;
        RemovableHandle handle = ddp->register_reduced_hook([&](const std::string&, const Tensor&) { ++count; });
        ddp(ones({})).backward();
        handle.remove();
        ddp(ones({})).backward();
        {
            const auto alone = ddp->no_sync();
            ddp(ones({})).backward();
        }
        return count;
    });
    BOOST_TEST(calls[0] == 1);
}

// D-28
BOOST_AUTO_TEST_CASE(clipping_sees_the_mean) {
    const auto norms = on_ranks(2, [](std::int64_t rank) {
        Scale net;
        DistributedDataParallel ddp(net);
        ddp(full({}, rank == 0 ? 3.0 : 5.0)).backward();
        return nn::utils::clip_grad_norm_(ddp->parameters(), 1.0);
    });
    BOOST_TEST(norms[0] == 4.0);
    BOOST_TEST(norms[1] == 4.0);
}

BOOST_AUTO_TEST_CASE(checkpointed_parts_are_reduced_as_others) {
    for (const bool reentrant : {false, true}) {
        const auto gradients = on_ranks(2, [&](std::int64_t rank) {
            nn::Sequential net = small_net();
            const auto checkpointed = nn::Sequential(net[0], net[1]);
            struct Parts : nn::Module {
                Parts(nn::Sequential a, nn::Sequential b, bool r) : reentrant(r) {
                    first = register_module("first", a);
                    rest = register_module("rest", b);
                }
                Value forward_values(const Args& args, const Kwargs&) override {
                    const autograd::CheckpointOptions o{.use_reentrant = reentrant};
                    return Value(rest(autograd::checkpoint(
                        o, [this](const Tensor& x) { return first(x); }, args.at(0).toTensor())));
                }
                nn::Sequential first{nullptr}, rest{nullptr};
                bool reentrant;
            };
            const auto parts = std::make_shared<Parts>(checkpointed, nn::Sequential(net[2], net[3], net[4]), reentrant);
            DistributedDataParallel ddp(nn::ModulePtr(parts), {.bucket_cap_mb = 0.0004});
            const Batch b = batch_of(0, rank);
            nn::functional::mse_loss(ddp(b.input.clone().requires_grad_()), b.target).backward();
            std::vector<Tensor> g;
            for (const Tensor& p : net->parameters()) g.push_back(p.grad());
            return g;
        });
        for (const auto& g : gradients) BOOST_TEST(same_bits(g, mean_gradients(0, 2)), "reentrant " << reentrant);
    }
}

// D-29
BOOST_AUTO_TEST_CASE(an_error_in_one_backward_reaches_all_ranks) {
    const auto errors = errors_on_ranks(2, [](std::int64_t rank) {
        nn::Sequential net = small_net();
        DistributedDataParallel ddp(net);
        if (rank == 1)
            net->get_parameter("2.weight").register_hook([](const Tensor&) { throw ValueError("not this one"); });
        const Batch b = batch_of(0, rank);
        nn::functional::mse_loss(ddp(b.input), b.target).backward();
    });
    BOOST_TEST(has(errors[1], "ValueError: not this one"));
    BOOST_TEST(has(errors[0], "DistError"));
    BOOST_TEST(has(errors[0], "rank 1 of 2: backward ended early"));
}

// D-17
BOOST_AUTO_TEST_CASE(gradients_stay_in_the_buckets_when_asked) {
    const auto found = on_ranks(2, [](std::int64_t rank) {
        nn::Sequential net = small_net();
        DistributedDataParallel ddp(net, {.bucket_cap_mb = 0.0004, .gradient_as_bucket_view = true});
        std::vector<Tensor> all;
        std::string text;
        for (std::int64_t step = 0; step < 4; ++step) {
            net->zero_grad(step % 2 == 0); // dropped, or zeroed in place
            const Batch b = batch_of(step, rank);
            nn::functional::mse_loss(ddp(b.input), b.target).backward();
            for (const Tensor& p : net->parameters()) {
                all.push_back(p.grad().clone());
                if (step > 0) text += str(p.grad().is_view());
            }
        }
        try {
            net->get_parameter("0.weight").grad().detach_();
        } catch (const Error& e) {
            text += e.msg();
        }
        return std::pair(all, text);
    });
    std::vector<Tensor> want;
    for (std::int64_t step = 0; step < 4; ++step)
        for (const Tensor& g : mean_gradients(step, 2)) want.push_back(g);
    for (const auto& [all, text] : found) {
        BOOST_TEST(same_bits(all, want));
        BOOST_TEST(text == "111111111111111111detach_: a view cannot be detached in place; use detach()");
    }
}

BOOST_AUTO_TEST_CASE(gradients_accumulate_in_buckets_as_elsewhere) {
    for (const bool view : {false, true}) {
        const auto found = on_ranks(2, [&](std::int64_t rank) {
            Scale net;
            DistributedDataParallel ddp(net, {.gradient_as_bucket_view = view});
            const Tensor x = full({}, double(rank + 1));
            ddp(x).backward();
            ddp(x * 2).backward(); // 1.5 + (2 + 4) / 2
            {
                const auto alone = ddp->no_sync();
                ddp(x).backward();
            }
            ddp(x).backward(); // + 2 (1 + 2) / 2
            return number(net->w.grad());
        });
        BOOST_TEST(found[0] == 7.5);
        BOOST_TEST(found[1] == 7.5);
    }
}

BOOST_AUTO_TEST_CASE(the_module_may_change_its_dtype_between_passes) {
    const auto found = on_ranks(2, [](std::int64_t rank) {
        Scale net;
        DistributedDataParallel ddp(net);
        ddp(full({}, double(rank + 1))).backward();
        ddp->to(kDouble);
        ddp->zero_grad();
        ddp(full({}, double(rank + 1), kDouble)).backward();
        return str(number(net->w.grad()), ' ', dtype_name(net->w.grad().scalar_type()));
    });
    BOOST_TEST(found[1] == "1.5 float64");
}

BOOST_AUTO_TEST_CASE(modules_of_several_dtypes_have_a_bucket_for_each) {
    const auto found = on_ranks(2, [](std::int64_t rank) {
        TwoHeads net;
        net->right->to(kDouble);
        DistributedDataParallel ddp(net);
        const auto [left, right] = ddp->forward<std::tuple<Tensor, Tensor>>(full({}, double(rank + 1)));
        (left + right).backward();
        return str(number(net->left->w.grad()), ' ', number(net->right->w.grad()), ' ', ddp->buckets().size());
    });
    BOOST_TEST(found[0] == "1.5 1.5 2");
}

BOOST_AUTO_TEST_CASE(results_that_cannot_be_looked_into_are_reduced_too) {
    struct Opaque {
        Tensor inside;
    };
    struct BoxesImpl : nn::Module {
        BoxesImpl() { w = register_parameter("w", full({}, 3.0)); }
        Value forward_values(const Args& args, const Kwargs&) override {
            return Value::box(Opaque{args.at(0).toTensor() * w});
        }
        Tensor w;
    };
    const auto found = on_ranks(2, [](std::int64_t rank) {
        const auto net = std::make_shared<BoxesImpl>();
        DistributedDataParallel ddp{nn::ModulePtr(net)};
        const auto pass = [&] {
            ddp->call_values({Value(full({}, double(rank + 1)))}).get<Opaque>().inside.backward();
            return number(net->w.grad());
        };
        const double first = pass();
        net->zero_grad();
        (net->w * double(rank + 1)).backward(); // beside the wrapper: local
        return str(first, ' ', number(net->w.grad()));
    });
    BOOST_TEST(found[0] == "1.5 1");
    BOOST_TEST(found[1] == "1.5 2");
}

BOOST_AUTO_TEST_CASE(sparse_gradients_are_refused_by_name) {
    const auto errors = errors_on_ranks(2, [](std::int64_t) {
        nn::Sequential net(nn::Embedding(nn::EmbeddingOptions(5, 2).sparse(true)));
        DistributedDataParallel ddp(net);
        ddp(reel::tensor({std::int64_t(1), std::int64_t(2)})).sum().backward();
    });
    BOOST_TEST(
        (has(errors[0], "parameter '0.weight' has a sparse gradient, and ranks can only average dense ones: make "
                        "the layer with sparse = false") ||
         has(errors[1], "parameter '0.weight' has a sparse gradient")));
}

// D-16
BOOST_AUTO_TEST_CASE(a_bucket_goes_out_while_backward_goes_on) {
    const auto found = on_ranks(2, [](std::int64_t rank) {
        nn::Sequential net = small_net();
        DistributedDataParallel ddp(net, {.bucket_cap_mb = 0.0004});
        std::string seen;
        ddp->register_comm_hook(ProcessGroup(), [&](const ProcessGroup& group, const GradBucket& bucket) {
            seen += str("bucket ", bucket.index(), "; ");
            return distributed::comm_hooks::allreduce(group, bucket);
        });
        // the first layer's gradients are the last to come, and its node begins when the bucket before has gone
        net->children()[0]->register_full_backward_pre_hook(
            [&](nn::Module&, const std::vector<Tensor>&) { seen += "first layer; "; });
        const Batch b = batch_of(0, rank);
        nn::functional::mse_loss(ddp(b.input), b.target).backward();
        return seen;
    });
    for (const std::string& seen : found) BOOST_TEST(seen == "bucket 0; first layer; bucket 1; ");
}

// D-16
BOOST_AUTO_TEST_CASE(what_communication_takes_is_told_apart_from_what_is_waited_for) {
    const auto found = on_ranks(2, [](std::int64_t rank) {
        nn::Sequential net = small_net();
        DistributedDataParallel ddp(net, {.bucket_cap_mb = 0.0004});
        const double none = ddp->last_reduction().backward_comm;
        // the bucket before this layer begins meanwhile
        net->children()[0]->register_full_backward_pre_hook([](nn::Module&, const std::vector<Tensor>&) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        });
        const Batch b = batch_of(0, rank);
        nn::functional::mse_loss(ddp(b.input), b.target).backward();
        return std::pair(none, ddp->last_reduction());
    });
    for (const auto& [none, times] : found) {
        BOOST_TEST(none == 0);
        BOOST_TEST(times.backward_compute_comm_overlap > 0);
        BOOST_TEST(times.backward_comm >= times.backward_compute_comm_overlap);
    }
}

BOOST_AUTO_TEST_SUITE_END()
