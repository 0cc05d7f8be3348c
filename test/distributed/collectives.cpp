// Every collective, for numbers of ranks, dtypes, layouts and reductions, against loops over the ranks' values.
#include <reel/distributed/collectives.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>

#include "distributed/on_ranks.hpp"
#include "message.hpp"

using namespace reel;
using namespace reel::testing;
namespace dist = reel::distributed;
using dist::ReduceOp;

namespace {
constexpr ScalarType all_dtypes[] = {kByte,  kChar,     kShort,        kInt,           kLong, kHalf,
                                     kFloat, kBFloat16, kComplexFloat, kComplexDouble, kBool, kDouble};
const std::vector<std::int64_t> worlds = {1, 2, 3, 5};

/// Small numbers, others on each rank and at each place, exact in every dtype.
Tensor values(std::int64_t rank, IntArrayRef sizes, ScalarType dtype) {
    std::int64_t n = 1;
    for (const std::int64_t s : sizes) n *= s;
    const Tensor t = (arange(n, TensorOptions(kLong)) * 3 + rank * 5).remainder(4) + 1;
    if (dtype == kBool) return t.remainder(2).to(kBool).reshape(sizes);
    if (isComplexType(dtype)) {
        const Tensor z = t.to(kDouble);
        return complex(z, z.flip({0}) - 2).to(dtype).reshape(sizes);
    }
    return t.reshape(sizes).to(dtype);
}

/// The same values in other memory.
std::vector<Tensor> layouts(const Tensor& t) {
    std::vector<Tensor> all{t.clone()};
    if (t.dim() < 2) return all;
    all.push_back(t.t().contiguous().t());
    const Tensor wide = zeros({t.size(0), 2 * t.size(1)}, t.options());
    all.push_back(wide.slice(1, 0, std::nullopt, 2).copy_(t));
    const Tensor longer = zeros({t.numel() + 3}, t.options());
    all.push_back(longer.slice(0, 3).view(t.sizes()).copy_(t));
    return all;
}

void expect_equal(const Tensor& got, const Tensor& expected, const std::string& what) {
    if (got.scalar_type() != expected.scalar_type() || !got.sizes().equals(expected.sizes()) || !equal(got, expected))
        throw std::runtime_error(str(what, ": got ", got, ", expected ", expected));
}

Tensor reduced(const std::vector<Tensor>& of_ranks, ReduceOp op) {
    const bool is_bool = of_ranks[0].scalar_type() == kBool;
    Tensor result = of_ranks[0].clone();
    for (std::size_t r = 1; r < of_ranks.size(); ++r) {
        const Tensor& next = of_ranks[r];
        switch (op) {
        case dist::kSum:
        case dist::kAvg:
            result = is_bool ? logical_or(result, next) : result + next;
            break;
        case dist::kProduct:
            result = is_bool ? logical_and(result, next) : result * next;
            break;
        case dist::kMin:
            result = is_bool ? logical_and(result, next) : minimum(result, next);
            break;
        case dist::kMax:
            result = is_bool ? logical_or(result, next) : maximum(result, next);
            break;
        case dist::kBand:
            result = bitwise_and(result, next);
            break;
        case dist::kBor:
            result = bitwise_or(result, next);
            break;
        case dist::kBxor:
            result = bitwise_xor(result, next);
            break;
        }
    }
    return op == dist::kAvg ? result / double(of_ranks.size()) : result;
}

std::vector<ReduceOp> ops_for(ScalarType dtype) {
    std::vector<ReduceOp> ops{dist::kSum, dist::kProduct};
    if (!isComplexType(dtype)) ops.insert(ops.end(), {dist::kMin, dist::kMax});
    if (isIntegralType(dtype, true)) ops.insert(ops.end(), {dist::kBand, dist::kBor, dist::kBxor});
    else ops.push_back(dist::kAvg);
    return ops;
}

std::vector<Tensor> of_all(std::int64_t n, IntArrayRef sizes, ScalarType dtype) {
    std::vector<Tensor> all;
    for (std::int64_t r = 0; r < n; ++r) all.push_back(values(r, sizes, dtype));
    return all;
}

/// `call(rank, n, dtype)` on all worlds and dtypes; an error names them.
template <class F> void everywhere(F call) {
    for (const std::int64_t n : worlds)
        dist::spawn(n, [&](std::int64_t rank) {
            for (const ScalarType dtype : all_dtypes) call(rank, n, dtype);
        });
}
std::vector<Tensor> empties(std::int64_t n, const Tensor& like) {
    std::vector<Tensor> list;
    for (std::int64_t i = 0; i < n; ++i)
        list.push_back(i % 2 ? zeros_like(like) : zeros_like(like).t().contiguous().t());
    return list;
}
} // namespace

BOOST_AUTO_TEST_SUITE(collectives, *boost::unit_test::label("threads"))

// D-2, D-3, D-4
BOOST_AUTO_TEST_CASE(all_reduce_and_reduce_in_any_dtype_layout_and_op) {
    everywhere([](std::int64_t rank, std::int64_t n, ScalarType dtype) {
        for (const std::vector<std::int64_t>& sizes : std::vector<std::vector<std::int64_t>>{{3, 4}, {}, {0, 3}, {7}})
            for (const ReduceOp op : ops_for(dtype)) {
                const std::vector<Tensor> all = of_all(n, sizes, dtype);
                const Tensor expected = reduced(all, op);
                const std::string what = str(dist::name_of(op), " of ", dtype_name(dtype), " on ", n);
                for (const Tensor& t : layouts(all[std::size_t(rank)])) {
                    const auto strides = t.strides().vec();
                    dist::all_reduce(t, op);
                    expect_equal(t, expected, "all_reduce " + what);
                    if (t.strides().vec() != strides) throw std::runtime_error("strides changed");
                }
                for (const Tensor& t : layouts(all[std::size_t(rank)])) {
                    dist::reduce(t, n - 1, op);
                    expect_equal(t, rank == n - 1 ? expected : all[std::size_t(rank)], "reduce " + what);
                }
            }
    });
}

BOOST_AUTO_TEST_CASE(broadcast_gather_and_scatter_in_any_dtype_and_layout) {
    everywhere([](std::int64_t rank, std::int64_t n, ScalarType dtype) {
        const std::vector<Tensor> all = of_all(n, {2, 3}, dtype);
        const std::int64_t root = n / 2;
        for (const Tensor& t : layouts(all[std::size_t(rank)])) {
            const std::vector<Tensor> gathered = empties(n, t);
            dist::all_gather(gathered, t);
            for (std::int64_t r = 0; r < n; ++r)
                expect_equal(gathered[std::size_t(r)], all[std::size_t(r)], "all_gather");
            const Tensor joined = zeros({2 * n, 3}, t.options()), stacked = zeros({n, 2, 3}, t.options());
            dist::all_gather_into(joined, t);
            expect_equal(joined, cat(all, 0), "all_gather_into");
            dist::all_gather_into(stacked, t);
            expect_equal(stacked, stack(all, 0), "all_gather_into");
            const std::vector<Tensor> at_root = rank == root ? empties(n, t) : std::vector<Tensor>{};
            dist::gather(t, at_root, root);
            for (std::size_t r = 0; r < at_root.size(); ++r) expect_equal(at_root[r], all[r], "gather");
            dist::broadcast(t, root);
            expect_equal(t, all[std::size_t(root)], "broadcast");
        }
        for (const Tensor& out : layouts(zeros({2, 3}, TensorOptions(dtype)))) {
            dist::scatter(out, rank == root ? all : std::vector<Tensor>{}, root);
            expect_equal(out, all[std::size_t(rank)], "scatter");
        }
    });
}

BOOST_AUTO_TEST_CASE(reduce_scatter_and_all_to_all_in_any_dtype) {
    everywhere([](std::int64_t rank, std::int64_t n, ScalarType dtype) {
        // part k of rank r is values(r * n + k)
        const auto part = [&](std::int64_t r, std::int64_t k) { return values(r * n + k, {2, 3}, dtype); };
        std::vector<Tensor> own, mine;
        for (std::int64_t k = 0; k < n; ++k) {
            own.push_back(layouts(part(rank, k))[std::size_t(k % 4)]);
            mine.push_back(part(k, rank));
        }
        for (const ReduceOp op : ops_for(dtype)) {
            const Tensor out = zeros({2, 3}, TensorOptions(dtype)), joined = zeros_like(out);
            dist::reduce_scatter(out, own, op);
            expect_equal(out, reduced(mine, op), "reduce_scatter");
            dist::reduce_scatter_tensor(joined, cat(own, 0), op);
            expect_equal(joined, reduced(mine, op), "reduce_scatter_tensor");
        }
        const std::vector<Tensor> received = empties(n, own[0]);
        dist::all_to_all(received, own);
        for (std::size_t k = 0; k < mine.size(); ++k) expect_equal(received[k], mine[k], "all_to_all");
    });
}

// D-5
BOOST_AUTO_TEST_CASE(parts_of_all_to_all_may_differ_in_size) {
    dist::spawn(3, [](std::int64_t rank) {
        std::vector<Tensor> in, out;
        for (std::int64_t k = 0; k < 3; ++k) {
            in.push_back(full({rank + 1, k}, double(10 * rank + k)));
            out.push_back(zeros({k + 1, rank}));
        }
        dist::all_to_all(out, in);
        for (std::int64_t k = 0; k < 3; ++k)
            expect_equal(out[std::size_t(k)], full({k + 1, rank}, double(10 * k + rank)), "part");
    });
}

// D-9
BOOST_AUTO_TEST_CASE(sums_are_in_the_order_of_the_ranks_whatever_the_length) {
    // 1e16 + 1 - 1e16 tells orders apart; long ones go another way than short ones
    for (const std::int64_t length : {3, 4096, 100003}) {
        const auto sums = on_ranks(5, [&](std::int64_t rank) {
            const double mine[] = {1e16, 1, -1e16, 1.5, -0.25};
            const Tensor t = full({length}, mine[rank], kDouble);
            dist::all_reduce(t);
            return t;
        });
        const double expected = (((1e16 + 1) - 1e16) + 1.5) - 0.25;
        for (const Tensor& t : sums) BOOST_TEST(equal(t, full({length}, expected, kDouble)));
    }
}

BOOST_AUTO_TEST_CASE(what_is_long_goes_in_pieces_and_comes_out_whole) {
    // more than a piece of each rank's share, and no multiple of anything
    dist::spawn(3, [](std::int64_t rank) {
        const std::int64_t n = 600011;
        const auto of = [&](std::int64_t r) { return (arange(n, TensorOptions(kDouble)) + r * 7).remainder(1013); };
        const Tensor sum = of(rank), at_root = sum.clone(), sent = sum.clone(),
                     all = zeros({3, n}, TensorOptions(kDouble));
        dist::all_reduce(sum);
        expect_equal(sum, of(0) + of(1) + of(2), "all_reduce");
        dist::reduce(at_root, 1, dist::kMax);
        expect_equal(at_root, rank == 1 ? maximum(maximum(of(0), of(1)), of(2)) : of(rank), "reduce");
        dist::all_gather_into(all, of(rank));
        expect_equal(all, stack(std::vector<Tensor>{of(0), of(1), of(2)}), "all_gather_into");
        const Tensor part = zeros({n}, TensorOptions(kDouble));
        dist::reduce_scatter_tensor(part, all * double(rank + 1));
        expect_equal(part, of(rank) * 6, "reduce_scatter_tensor");
        dist::broadcast(sent, 2);
        expect_equal(sent, of(2), "broadcast");
        const std::vector<Tensor> parts{zeros_like(part), zeros_like(part), zeros_like(part)};
        dist::all_to_all(parts, {of(rank), of(rank + 1), of(rank + 2)});
        for (std::int64_t k = 0; k < 3; ++k) expect_equal(parts[std::size_t(k)], of(k + rank), "all_to_all");
        const Tensor from = zeros({n}, TensorOptions(kDouble));
        const dist::Work received = dist::recv_async(from, (rank + 2) % 3);
        dist::send(of(rank), (rank + 1) % 3);
        received.wait();
        expect_equal(from, of((rank + 2) % 3), "send and recv");
    });
}

// D-9
BOOST_AUTO_TEST_CASE(lower_precisions_are_summed_in_float32_and_rounded_once) {
    const auto sums = on_ranks(3, [](std::int64_t rank) {
        const Tensor t = full({1}, rank == 0 ? 2048.0 : 1.0, kHalf); // 2048 + 1 is 2048 in float16
        dist::all_reduce(t);
        return t.to(kDouble).item<double>();
    });
    for (const double s : sums) BOOST_TEST(s == 2050);
}

// D-8
BOOST_AUTO_TEST_CASE(a_nan_on_any_rank_is_the_minimum_and_the_maximum) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (std::int64_t who = 0; who < 3; ++who) {
        const auto found = on_ranks(3, [&](std::int64_t rank) {
            const Tensor low = full({2}, rank == who ? nan : 1.0), high = low.clone();
            dist::all_reduce(low, dist::kMin);
            dist::all_reduce(high, dist::kMax);
            return bool(isnan(low).all().item<bool>()) && bool(isnan(high).all().item<bool>());
        });
        for (const bool f : found) BOOST_TEST(f);
    }
}

// D-2
BOOST_AUTO_TEST_CASE(nothing_is_recorded_and_what_the_tape_saved_is_known_to_have_changed) {
    const auto errors = errors_on_ranks(2, [](std::int64_t rank) {
        const Tensor w = full({1}, double(rank + 1)).requires_grad_(), y = w * w;
        dist::all_reduce(w);
        expect_equal(w.detach(), full({1}, 3.0), "leaf");
        if (!w.is_leaf() || !w.requires_grad() || w.grad_fn()) throw std::runtime_error("recorded");
        const Tensor h = w * 2;
        dist::broadcast(h, 0);
        if (!h.grad_fn()) throw std::runtime_error("history lost");
        y.sum().backward(); // through a w that is another now
    });
    for (const std::string& e : errors) BOOST_TEST(has(e, "modified"));
}

BOOST_AUTO_TEST_CASE(messages_are_matched_by_tag_and_in_order_within_one) {
    dist::spawn(3, [](std::int64_t rank) {
        if (rank == 0)
            for (const std::int64_t i : {0, 1, 2, 3}) dist::send(full({2}, double(i)), 2, i % 2);
        if (rank != 2) return;
        for (const std::int64_t i : {1, 3, 0, 2}) {
            const Tensor t = zeros({2});
            dist::recv(t, 0, i % 2);
            expect_equal(t, full({2}, double(i)), "message");
        }
    });
}

BOOST_AUTO_TEST_CASE(receives_may_be_posted_before_anything_is_sent) {
    dist::spawn(3, [](std::int64_t rank) {
        const Tensor from = zeros({5}).slice(0, 0, std::nullopt, 2);
        const dist::Work received = dist::recv_async(from, (rank + 2) % 3);
        const dist::Work sent = dist::send_async(full({3}, double(rank)), (rank + 1) % 3);
        received.wait();
        sent.wait();
        expect_equal(from, full({3}, double((rank + 2) % 3)), "ring");
    });
}

// D-1
BOOST_AUTO_TEST_CASE(groups_are_apart_from_each_other) {
    dist::spawn(4, [](std::int64_t rank) {
        const auto even = dist::new_group({2, 0}), odd = dist::new_group({1, 3});
        const auto& own = rank % 2 ? odd : even;
        const Tensor t = full({1}, double(rank));
        if (rank == 3) dist::all_reduce(full({1}, 0.0), dist::kSum, even); // no member: nothing happens
        dist::all_reduce(t, dist::kSum, own);
        expect_equal(t, full({1}, rank % 2 ? 4.0 : 2.0), "sum in the group");
        const std::vector<Tensor> parts{zeros({1}), zeros({1})};
        dist::all_gather(parts, full({1}, double(rank)), own); // by place, 2 before 0
        expect_equal(parts[0], full({1}, rank % 2 ? 1.0 : 2.0), "place");
        dist::broadcast(t, rank % 2 ? 3 : 0, own); // by rank of the world
        dist::barrier();
    });
}

struct Refused {
    std::function<void(std::int64_t)> call;
    const char* says;
};
/// What each of three ranks is told; the group goes on after every call.
std::vector<std::vector<std::string>> errors_on_ranks(const std::vector<Refused>& all) {
    return on_ranks(3, [&](std::int64_t rank) {
        std::vector<std::string> errors;
        for (const Refused& r : all) {
            std::string error = "nothing";
            try {
                r.call(rank);
            } catch (const ValueError& e) {
                error = e.msg();
            }
            errors.push_back(error);
            const Tensor sum = ones({1}); // and everything works as before
            dist::all_reduce(sum);
            if (sum.item<double>() != 3) throw std::runtime_error("the group was spoilt");
        }
        return errors;
    });
}
// D-1, D-4, D-5, D-41
BOOST_AUTO_TEST_CASE(what_cannot_be_is_refused_on_every_rank_and_the_group_goes_on) {
    const Tensor t = ones({2}), ints = ones({2}, kLong), z = ones({2}, kComplexFloat);
    const std::vector<Refused> all = {
        {[&](std::int64_t) { dist::all_reduce(ints, dist::kAvg); },
         "avg of int64: an average of integers is no integer"},
        {[&](std::int64_t) { dist::all_reduce(z, dist::kMax); }, "max of complex64: complex numbers have no order"},
        {[&](std::int64_t) { dist::all_reduce(t, dist::kBxor); },
         "bxor of float32: bitwise reductions are for integers"},
        {[&](std::int64_t) { dist::broadcast(t, 7); },
         "broadcast: root 7 is no member of group 'default', whose ranks (of the world) are 0, 1, 2"},
        {[&](std::int64_t) { dist::all_reduce(Tensor()); }, "all_reduce: tensor is undefined"},
        {[&](std::int64_t) { dist::all_reduce(ones({1}).expand({3})); }, "share memory (stride 0 in dimension 0)"},
        {[&](std::int64_t) { dist::all_reduce(ones({3}).to(kDouble).to_sparse()); }, "tensor is sparse"},
        {[&](std::int64_t) {
             dist::all_gather({t, t}, t);
         },
         "outputs has 2 tensors; expected one for each of the group's 3 ranks"},
        {[&](std::int64_t) {
             dist::all_gather({t, ones({3}), t}, t);
         },
         "outputs[1] has shape [3]; expected the tensor's [2]"},
        {[&](std::int64_t) {
             dist::all_gather({t, t, ints}, t);
         },
         "outputs[2] is int64; expected the tensor's float32"},
        {[&](std::int64_t) { dist::all_gather_into(ones({5}), t); }, "output has shape [5]; expected [6] or [3, 2]"},
        {[&](std::int64_t) { dist::reduce_scatter_tensor(t, ones({4})); },
         "input has shape [4]; expected [6] or [3, 2]"},
        {[&](std::int64_t) { dist::send(t, 9); }, "send: peer 9 is no member"},
        {[&](std::int64_t r) { dist::recv(t, r); }, "is this rank itself"},
        {[&](std::int64_t r) { dist::send(t, (r + 1) % 3, -4); }, "tag -4 is negative"},
        // only one rank can see it: the others hear of it
        {[&](std::int64_t) { dist::scatter(t, {}, 1); },
         "inputs has 0 tensors; expected one for each of the group's 3 ranks"},
        {[&](std::int64_t r) { dist::gather(t, r == 0 ? std::vector<Tensor>{t} : std::vector<Tensor>{}, 0); },
         "outputs has 1 tensors"},
        {[&](std::int64_t r) { dist::all_reduce(r == 2 ? Tensor() : t.clone()); }, "all_reduce: tensor is undefined"},
    };
    for (const auto& errors : errors_on_ranks(all))
        for (std::size_t i = 0; i < all.size(); ++i)
            BOOST_TEST(has(errors[i], all[i].says), errors[i] << " / " << all[i].says);
}

BOOST_AUTO_TEST_SUITE_END()
