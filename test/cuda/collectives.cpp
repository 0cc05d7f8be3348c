// Collectives whose operands go from device to device, one device a rank, against the same calls over messages.
#include <reel/distributed/collectives.hpp>

#include <algorithm>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <reel/autograd/ops.hpp>
#include <reel/cuda.hpp>
#include <reel/distributed/data_parallel.hpp>
#include <reel/distributed/detail/device_carrier.hpp>
#include <reel/distributed/session.hpp>

#include "cuda/on_device.hpp"
#include "distributed/training.hpp"

using namespace reel;
using namespace reel::testing;
namespace dist = reel::distributed;
using dist::ReduceOp;
using Tensors = std::vector<Tensor>;

namespace {

std::int64_t ranks() { return std::min(3, cuda::device_count()); }
dist::Options over_devices() {
    dist::Options options;
    options.timeout = std::chrono::seconds(60);
    options.devices = dist::Backend::kNCCL;
    return options;
}

/// Skipped, with the reason, without a device or without NCCL.
boost::test_tools::assertion_result nccl(boost::unit_test::test_unit_id id) {
    if (auto there = needs::device(id); !there) return there;
    static const std::string missing = [] {
        try {
            dist::spawn(
                1, [](std::int64_t) { dist::all_reduce(there::put(ones({1}))); }, over_devices());
        } catch (const Error& e) {
            if (e.msg().find("no NCCL can be used") != std::string::npos) return e.msg();
        }
        return std::string();
    }();
    boost::test_tools::assertion_result answer(missing.empty());
    answer.message() << missing;
    return answer;
}

constexpr ScalarType all_dtypes[] = {kByte,  kChar,     kShort,        kInt,           kLong, kHalf,
                                     kFloat, kBFloat16, kComplexFloat, kComplexDouble, kBool, kDouble};

/// Small numbers, others on each rank and at each place, exact in every dtype.
Tensor values(std::int64_t rank, ScalarType dtype, IntArrayRef sizes = {5, 3}) {
    std::int64_t n = 1;
    for (const std::int64_t s : sizes) n *= s;
    const Tensor t = (arange(n, TensorOptions(kLong)) * 3 + rank * 5).remainder(4) + 1;
    if (dtype == kBool) return t.remainder(2).to(kBool).reshape(sizes);
    if (!isComplexType(dtype)) return t.reshape(sizes).to(dtype);
    const Tensor z = t.to(kDouble);
    return complex(z, z.flip({0}) - 2).to(dtype).reshape(sizes);
}
std::vector<ReduceOp> ops_for(ScalarType dtype) {
    std::vector<ReduceOp> ops{dist::kSum, dist::kProduct};
    if (!isComplexType(dtype)) ops.insert(ops.end(), {dist::kMin, dist::kMax});
    if (isIntegralType(dtype, true)) ops.insert(ops.end(), {dist::kBand, dist::kBor, dist::kBxor});
    else ops.push_back(dist::kAvg);
    return ops;
}

Tensor zeros_as(const Tensor& t) { return zeros(t.sizes(), t.options()); }
/// In memory that is not dense.
Tensor spread(const Tensor& t) {
    const Tensor wide = zeros({t.size(0), 2 * t.size(1)}, t.options());
    return wide.slice(1, 0, std::nullopt, 2).copy_(t);
}

void expect(const Tensors& got, const Tensors& want, const std::string& what) {
    for (std::size_t i = 0; i < want.size(); ++i) {
        const Tensor here = got[i].to(kCPU);
        const bool exact = what.find("avg") == std::string::npos;
        const bool same = exact ? equal(here, want[i]) : allclose(here, want[i], 1e-2, 1e-2);
        if (!got[i].is_cuda() || here.scalar_type() != want[i].scalar_type() || !same)
            throw std::runtime_error(str(what, ": got ", here, ", expected ", want[i]));
    }
}

/// `call(own, put)` over messages, and with what `put` takes to this rank's device: the same tensors come back.
template <class F> void the_same(const std::string& what, std::int64_t rank, ScalarType dtype, F call) {
    const Device device(kCUDA, DeviceIndex(rank));
    const Tensors want = call([](const Tensor& t) { return t.clone(); });
    const std::string name = str(what, " of ", dtype_name(dtype));
    expect(call([&](const Tensor& t) { return t.to(device); }), want, name);
    expect(call([&](const Tensor& t) { return t.dim() < 2 ? t.to(device) : spread(t.to(device)); }), want, name);
}
template <class F> void on_all(F call) {
    dist::spawn(
        ranks(),
        [&](std::int64_t rank) {
            for (const ScalarType dtype : all_dtypes) call(rank, dtype);
        },
        over_devices());
}

using dist::detail::DeviceCall;
using dist::detail::DeviceCarrier;
using dist::detail::OpenDevices;

/// Stands in NCCL's place for a scope, with calls that do as the test says.
class InItsPlace {
public:
    using Run = std::function<void(std::int64_t member, const DeviceCarrier::Check& check)>;
    explicit InItsPlace(Run run) : before_(dist::detail::registered_devices(dist::Backend::kNCCL)) {
        dist::detail::register_devices(dist::Backend::kNCCL, [run](Device, std::int64_t member, std::int64_t) {
            return std::make_unique<Carrier>(run, member);
        });
    }
    ~InItsPlace() { dist::detail::register_devices(dist::Backend::kNCCL, before_); }
    InItsPlace(const InItsPlace&) = delete;

private:
    struct Carrier final : DeviceCarrier {
        Carrier(Run run, std::int64_t member) : run_(std::move(run)), member_(member) {}
        bool reduces(ScalarType, ReduceOp) const override { return true; }
        std::shared_ptr<void> mark() override { return nullptr; }
        bool connected() const override { return true; }
        std::string introduction() override { return {}; }
        void connect(const std::string&, const Check&) override {}
        void run(const DeviceCall&, const Check& check) override { run_(member_, check); }
        void give_up() noexcept override {}
        Run run_;
        std::int64_t member_;
    };
    OpenDevices before_;
};
void never_done(std::int64_t, const DeviceCarrier::Check& check) {
    for (;; std::this_thread::sleep_for(std::chrono::milliseconds(1))) check();
}

/// What the call throws on each of two ranks.
std::vector<std::string> errors_of_two(const std::function<void(std::int64_t, Device)>& call, dist::Options options) {
    std::mutex mutex;
    std::vector<std::string> errors;
    dist::spawn(
        2,
        [&](std::int64_t rank) {
            try {
                call(rank, Device(kCUDA, DeviceIndex(std::min<std::int64_t>(rank, ranks() - 1))));
            } catch (const Error& e) {
                const std::lock_guard lock(mutex);
                errors.push_back(e.msg());
            }
        },
        options);
    return errors;
}

} // namespace

BOOST_AUTO_TEST_SUITE(nccl_collectives, *boost::unit_test::precondition(nccl))

BOOST_AUTO_TEST_CASE(reductions_are_those_over_messages) {
    on_all([](std::int64_t rank, ScalarType dtype) {
        const std::int64_t n = dist::world_size(), last = n - 1;
        for (const ReduceOp op : ops_for(dtype)) {
            const std::string name(dist::name_of(op));
            the_same("all_reduce " + name, rank, dtype, [&](auto put) {
                const Tensor t = put(values(rank, dtype));
                dist::all_reduce(t, op);
                return Tensors{t};
            });
            the_same("reduce " + name, rank, dtype, [&](auto put) {
                const Tensor t = put(values(rank, dtype));
                dist::reduce(t, last, op);
                return Tensors{t};
            });
            the_same("reduce_scatter " + name, rank, dtype, [&](auto put) {
                Tensors in;
                for (std::int64_t r = 0; r < n; ++r) in.push_back(put(values(rank + 2 * r, dtype)));
                const Tensor out = put(zeros_as(in[0]).to(kCPU));
                dist::reduce_scatter(out, in, op);
                return Tensors{out};
            });
            the_same("reduce_scatter_tensor " + name, rank, dtype, [&](auto put) {
                const Tensor out = put(zeros({5, 3}, TensorOptions(dtype)));
                dist::reduce_scatter_tensor(out, put(values(rank, dtype, {5 * n, 3})), op);
                return Tensors{out};
            });
        }
    });
}

BOOST_AUTO_TEST_CASE(what_only_moves_is_what_it_was) {
    on_all([](std::int64_t rank, ScalarType dtype) {
        const std::int64_t n = dist::world_size(), root = n - 1;
        const auto blank = [&] { return zeros({5, 3}, TensorOptions(dtype)); };
        const auto list = [&](auto put) {
            Tensors all;
            for (std::int64_t r = 0; r < n; ++r) all.push_back(put(blank()));
            return all;
        };
        the_same("broadcast", rank, dtype, [&](auto put) {
            const Tensor t = put(values(rank, dtype));
            dist::broadcast(t, root);
            return Tensors{t};
        });
        the_same("all_gather", rank, dtype, [&](auto put) {
            const Tensors out = list(put);
            dist::all_gather(out, put(values(rank, dtype)));
            return out;
        });
        the_same("all_gather_into", rank, dtype, [&](auto put) {
            const Tensor out = put(zeros({5 * n, 3}, TensorOptions(dtype)));
            dist::all_gather_into(out, put(values(rank, dtype)));
            return Tensors{out};
        });
        the_same("gather", rank, dtype, [&](auto put) {
            const Tensors out = rank == root ? list(put) : Tensors{};
            dist::gather(put(values(rank, dtype)), out, root);
            return out;
        });
        the_same("scatter", rank, dtype, [&](auto put) {
            const Tensor out = put(blank());
            Tensors in;
            for (std::int64_t r = 0; rank == root && r < n; ++r) in.push_back(put(values(r, dtype)));
            dist::scatter(out, in, root);
            return Tensors{out};
        });
        the_same("all_to_all", rank, dtype, [&](auto put) { // rank r sends s its r + s rows, none at first
            Tensors in, out;
            for (std::int64_t r = 0; r < n; ++r) {
                in.push_back(put(values(rank, dtype, {rank + r, 3})));
                out.push_back(put(zeros({rank + r, 3}, TensorOptions(dtype))));
            }
            dist::all_to_all(out, in);
            return out;
        });
    });
}

BOOST_AUTO_TEST_CASE(work_comes_back_with_results_on_the_callers_stream) {
    dist::spawn(
        ranks(),
        [](std::int64_t rank) {
            const Device device(kCUDA, DeviceIndex(rank));
            const cuda::StreamGuard own{cuda::Stream(device.index())};
            Tensors all;
            std::vector<dist::Work> works;
            for (int i = 0; i < 4; ++i) {
                all.push_back(full({100}, 1.0, TensorOptions(device)) * (i + 1));
                works.push_back(dist::all_reduce_async(all.back()));
            }
            for (std::size_t i = 0; i < 4; ++i) {
                works[i].wait();
                const Tensor twice = (all[i] * 2).to(kCPU), want = full({100}, 2.0 * double(i + 1) * double(ranks()));
                if (!equal(twice, want)) throw std::runtime_error(str("call ", i, " gives ", twice));
            }
            dist::barrier();
        },
        over_devices());
}

BOOST_AUTO_TEST_CASE(a_world_is_joined_by_its_name) {
    const dist::Session session(dist::Backend::kNCCL);
    BOOST_TEST((dist::default_group().backend() == dist::Backend::kNCCL));
    const Tensor t = there::put(full({3}, 2.0));
    dist::all_reduce(t, dist::kProduct);
    BOOST_TEST(there::distance(t, full({3}, 2.0)) == 0);
}

BOOST_AUTO_TEST_CASE(groups_have_ways_of_their_own) {
    dist::spawn(
        ranks(),
        [](std::int64_t rank) {
            const Device device(kCUDA, DeviceIndex(rank));
            std::vector<std::int64_t> members{dist::world_size() - 1, 0};
            if (members[0] == 0) members.pop_back();
            const auto group = dist::new_group(members);
            if (group.is_outside()) return;
            const Tensor t = full({2}, double(rank), TensorOptions(device));
            dist::broadcast(t, 0, group);
            if (!equal(t.to(kCPU), zeros({2}))) throw std::runtime_error("the root is a rank of the world");
        },
        over_devices());
}

BOOST_AUTO_TEST_CASE(what_the_tape_saved_is_no_longer_valid) {
    dist::spawn(
        1,
        [](std::int64_t) {
            const Tensor x = there::put(ones({3})).requires_grad_(), w = there::put(ones({3}));
            const Tensor y = (x * w).sum();
            dist::all_reduce(w);
            BOOST_CHECK_THROW(y.backward(), Error);
        },
        over_devices());
}

BOOST_AUTO_TEST_CASE(calls_that_do_not_fit_throw_and_nobody_waits) {
    if (ranks() < 2) return;
    std::vector<std::string> errors;
    const auto failing = [&](const std::function<void(std::int64_t, Device)>& call) {
        errors = errors_of_two(call, over_devices());
        return errors.size() == 2;
    };
    const auto all_have = [&](const char* part) {
        return std::all_of(errors.begin(), errors.end(),
                           [&](const std::string& e) { return e.find(part) != std::string::npos; });
    };
    BOOST_TEST(failing([](std::int64_t rank, Device d) { dist::all_reduce(zeros({rank + 2}, TensorOptions(d))); }));
    BOOST_TEST(all_have("all_reduce sum of float32 [3] between devices"), errors[0]);
    // one on the device, one on the host
    BOOST_TEST(failing([](std::int64_t rank, Device d) {
        dist::all_reduce(zeros({2}, TensorOptions(rank == 0 ? d : Device(kCPU))));
    }));
    BOOST_TEST(all_have("between devices"), errors[0]);
    BOOST_TEST(failing([](std::int64_t, Device) { dist::all_reduce(zeros({2}, TensorOptions(Device(kCUDA, 0)))); }));
    BOOST_TEST(all_have("each rank needs a device of its own"), errors[0]);
    // one rank, two devices
    BOOST_TEST(failing([](std::int64_t rank, Device d) {
        dist::all_reduce(zeros({2}, TensorOptions(d)));
        dist::all_reduce(zeros({2}, TensorOptions(Device(kCUDA, DeviceIndex(1 - rank)))));
    }));
    BOOST_TEST(all_have("one device a rank"), errors[0]);
}

BOOST_AUTO_TEST_CASE(a_transfer_that_does_not_end_is_given_up) {
    const InItsPlace stuck(never_done);
    dist::Options options = over_devices();
    options.timeout = std::chrono::milliseconds(200);
    const auto errors =
        errors_of_two([](std::int64_t, Device d) { dist::all_reduce(ones({2}, TensorOptions(d))); }, options);
    BOOST_REQUIRE(errors.size() == 2);
    BOOST_TEST((errors[0] + errors[1]).find("the devices were not done within 0.2 s") != std::string::npos, errors[0]);
    for (const std::string& e : errors)
        BOOST_TEST(e.find("all_reduce sum of float32 [2] between devices (call 1 of group 'default', rank ") == 0, e);
}

BOOST_AUTO_TEST_CASE(one_ranks_failure_is_told_to_those_that_wait) {
    const InItsPlace broken([](std::int64_t member, const DeviceCarrier::Check& check) {
        if (member == 1) throw std::runtime_error("the link is down");
        never_done(member, check);
    });
    const auto errors =
        errors_of_two([](std::int64_t, Device d) { dist::all_reduce(ones({2}, TensorOptions(d))); }, over_devices());
    BOOST_REQUIRE(errors.size() == 2);
    for (const std::string& e : errors) BOOST_TEST(e.find("the link is down") != std::string::npos, e);
    BOOST_TEST((errors[0] + errors[1]).find("rank 1 gave up") != std::string::npos, errors[0]);
}

BOOST_AUTO_TEST_CASE(a_rank_that_leaves_is_missed) {
    const InItsPlace gone([](std::int64_t member, const DeviceCarrier::Check& check) {
        if (member == 0) never_done(member, check);
    });
    const auto errors =
        errors_of_two([](std::int64_t, Device d) { dist::all_reduce(ones({2}, TensorOptions(d))); }, over_devices());
    BOOST_REQUIRE(errors.size() == 1);
    BOOST_TEST(errors[0].find("rank 1 has ended") != std::string::npos, errors[0]);
}

BOOST_AUTO_TEST_CASE(waiting_for_ranks_that_do_not_come_can_be_given_up) {
    const auto carrier = dist::detail::registered_devices(dist::Backend::kNCCL)(there::gpu, 0, 2);
    int asked = 0;
    BOOST_CHECK_THROW(carrier->connect(carrier->introduction(),
                                       [&] {
                                           if (++asked == 10) throw std::runtime_error("enough");
                                       }),
                      std::runtime_error);
    BOOST_TEST(asked == 10);
    BOOST_TEST(!carrier->connected());
}

BOOST_AUTO_TEST_CASE(training_on_devices_is_that_on_the_host) {
    std::vector<Tensors> ends(2);
    for (const bool on_device : {false, true})
        dist::spawn(
            ranks(),
            [&](std::int64_t rank) {
                const Device device = on_device ? Device(kCUDA, DeviceIndex(rank)) : Device(kCPU);
                nn::Sequential net = small_net();
                net->to(device);
                dist::DistributedDataParallel ddp(net, {.bucket_cap_mb = 0.0004});
                optim::SGD optimizer(ddp->parameters(), optim::SGDOptions(0.1).momentum(0.9));
                for (std::int64_t step = 0; step < 4; ++step) {
                    optimizer.zero_grad();
                    const Batch b = batch_of(step, rank);
                    nn::functional::mse_loss(ddp(b.input.to(device)), b.target.to(device)).backward();
                    optimizer.step();
                }
                if (rank != 0) return;
                for (const Tensor& p : net->parameters()) ends[on_device].push_back(p.detach().clone());
            },
            over_devices());
    BOOST_REQUIRE(!ends[0].empty());
    for (std::size_t i = 0; i < ends[0].size(); ++i) BOOST_TEST(there::distance(ends[1][i], ends[0][i]) < 1e-5, i);
}

BOOST_AUTO_TEST_SUITE_END()
