// Wrapped modules that differ, leave parameters unused, fail on one rank.
#include <reel/autograd/ops.hpp>
#include <reel/distributed/data_parallel.hpp>
#include <reel/nn.hpp>

#include "oracle/faults.hpp"

namespace replay {

using namespace reel;
namespace dist = reel::distributed;

namespace {
/// Two layers, of which a forward may leave one out, use one twice, or fail.
struct TwoImpl : nn::Module {
    explicit TwoImpl(std::int64_t out = 2) {
        first = register_module("first", nn::Linear(4, 4));
        second = register_module("second", nn::Linear(4, out));
        to(kDouble);
    }
    Tensor forward(const Tensor& x) {
        if (fails) throw ValueError("this rank's forward fails");
        Tensor h = first(x);
        if (twice) h = first(tanh(h));
        return with_second ? second(tanh(h)) : h;
    }
    nn::Linear first{nullptr}, second{nullptr};
    bool with_second = true, twice = false, fails = false;
};
REEL_MODULE(Two);
using Options = dist::DistributedDataParallelOptions;

Tensor input(std::int64_t rank, std::int64_t rows = 3) {
    return arange(rows * 4, TensorOptions(kDouble)).reshape({rows, 4}) / 7 - double(rank);
}

/// One step with a module as `change` makes it; then `fine`.
std::string step(const std::function<void(Two&)>& change, std::int64_t rank, Options options = {}) {
    Two net;
    change(net);
    dist::DistributedDataParallel ddp(net, std::move(options));
    ddp->forward(input(rank)).sum().backward();
    return "fine";
}

std::string grads_missing(const nn::Module& net) {
    std::string text;
    for (const Tensor& p : net.parameters())
        text += std::string(text.empty() ? "[" : ", ") + (p.grad().defined() ? "False" : "True");
    return text + "]";
}

void add_what_is_refused(std::map<std::string, Fault>& all) {
    all["parameter-count"] = {[](std::int64_t rank) {
        nn::Sequential net{nn::Linear(3, 3)};
        if (rank == 1) net->push_back(nn::Linear(3, 3));
        dist::DistributedDataParallel ddp(net);
        return std::string();
    }};
    all["parameter-shape"] = {[](std::int64_t rank) {
        dist::DistributedDataParallel ddp(Two(2 + rank));
        return std::string();
    }};
    all["parameter-dtype"] = {[](std::int64_t rank) {
        Two net;
        if (rank == 1) net->to(kFloat);
        dist::DistributedDataParallel ddp(net);
        return std::string();
    }};
    all["no-parameters-to-train"] = {[](std::int64_t rank) {
        return step(
            [](Two& net) {
                for (const Tensor& p : net->parameters()) p.set_requires_grad(false);
            },
            rank);
    }};
    all["no-parameters"] = {[](std::int64_t) {
        dist::DistributedDataParallel ddp(nn::Sequential{nn::Tanh()});
        return std::string();
    }};
    all["unused-parameter"] = {
        [](std::int64_t rank) { return step([](Two& net) { net->with_second = false; }, rank); }};
    all["unused-on-one-rank-only"] = {
        [](std::int64_t rank) { return step([&](Two& net) { net->with_second = rank == 0; }, rank); }};
    all["static-graph-that-changes"] = {[](std::int64_t rank) {
        Two net;
        dist::DistributedDataParallel ddp(net, Options{.static_graph = true});
        for (int t = 0; t < 4; ++t) {
            net->with_second = t < 2;
            ddp->forward(input(rank)).sum().backward();
        }
        return std::string("fine");
    }};
    all["error-in-one-forward"] = {
        [](std::int64_t rank) { return step([&](Two& net) { net->fails = rank == 1; }, rank); }};
    all["dies-in-backward"] = {[](std::int64_t rank) {
                                   Two net;
                                   dist::DistributedDataParallel ddp(net);
                                   const Tensor y = ddp->forward(input(rank));
                                   if (rank == 1) y.register_hook([](const Tensor&) { end_this_rank(); });
                                   y.sum().backward();
                                   return std::string("fine");
                               },
                               true};
}

void add_what_works(std::map<std::string, Fault>& all) {
    all["unused-parameter-found"] = {[](std::int64_t rank) {
        Two net;
        net->with_second = false;
        dist::DistributedDataParallel ddp(net, Options{.find_unused_parameters = true});
        ddp->forward(input(rank)).sum().backward();
        return grads_missing(*net);
    }};
    all["backward-of-a-part"] = {[](std::int64_t rank) {
        dist::DistributedDataParallel ddp{Two()};
        ddp->forward(input(rank)).select(1, 0).sum().backward();
        return std::string("fine");
    }};
    all["used-twice"] = {[](std::int64_t rank) { return step([](Two& net) { net->twice = true; }, rank); }};
    all["two-backwards-one-forward"] = {[](std::int64_t rank) {
        dist::DistributedDataParallel ddp{Two()};
        const Tensor loss = ddp->forward(input(rank)).sum();
        loss.backward({}, true);
        loss.backward();
        return std::string("fine");
    }};
    all["forward-under-no-grad"] = {[](std::int64_t rank) {
        dist::DistributedDataParallel ddp{Two()};
        {
            const NoGradGuard quiet;
            ddp->forward(input(rank));
        }
        ddp->forward(input(rank)).sum().backward();
        return std::string("fine");
    }};
    all["wrapped-twice"] = {[](std::int64_t rank) {
        dist::DistributedDataParallel inner{Two()}, outer(nn::ModulePtr(inner.ptr()));
        outer->forward(input(rank)).sum().backward();
        return std::string("fine");
    }};
    all["parameter-added-later"] = {[](std::int64_t rank) {
        Two net;
        dist::DistributedDataParallel ddp(net);
        const Tensor later = net->register_parameter("later", full({2}, 1.0, kDouble));
        (ddp->forward(input(rank)) * later).sum().backward();
        return std::string(later.grad().defined() ? "False" : "True");
    }};
    all["different-input-shapes"] = {[](std::int64_t rank) {
        dist::DistributedDataParallel ddp{Two()};
        ddp->forward(input(rank, 2 + 3 * rank)).sum().backward();
        return std::string("fine");
    }};
}
} // namespace

std::map<std::string, Fault> faults_of_data_parallel() {
    std::map<std::string, Fault> all;
    add_what_is_refused(all);
    add_what_works(all);
    return all;
}

} // namespace replay
