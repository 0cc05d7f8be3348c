// Sparse tensors: as gradients of tables, in hooks, accumulation and arithmetic; what is refused.
#include <reel/autograd/sparse.hpp>

#include <sstream>

#include <boost/test/unit_test.hpp>

#include <reel/autograd.hpp>

#include "message.hpp"

using namespace reel;
using reel::testing::message;

namespace {
Tensor longs(std::vector<std::int64_t> v) { return tensor(v); }
bool same(const Tensor& a, const Tensor& b) { return a.sizes().equals(b.sizes()) && equal(a, b); }
/// Values 1 at row 0, 2 and 4 at row 2, of a [3, 2] table.
Tensor rows() { return sparse_coo_tensor(tensor({{0, 2, 2}}, kLong), tensor({{1., 1.}, {2., 2.}, {4., 4.}}), {3, 2}); }
Tensor rows_dense() { return tensor({{1., 1.}, {0., 0.}, {6., 6.}}); }
Tensor table() { return arange(10.).reshape({5, 2}).requires_grad_(); }
Tensor lookup(const Tensor& weight, std::vector<std::int64_t> at, std::optional<std::int64_t> padding = std::nullopt) {
    return functional_embedding(longs(std::move(at)), weight, padding, std::nullopt, 2., false, /*sparse=*/true);
}
} // namespace

BOOST_AUTO_TEST_SUITE(sparse)

BOOST_AUTO_TEST_CASE(parts_and_forms) {
    const Tensor t = rows();
    BOOST_TEST((t.is_sparse() && t.layout() == kSparse && !t.is_coalesced() && !t.has_storage()));
    BOOST_TEST((t._nnz() == 3 && t.sparse_dim() == 1 && t.dense_dim() == 1 && t.numel() == 6));
    BOOST_TEST(same(t.to_dense(), rows_dense()));
    const Tensor c = t.coalesce();
    BOOST_TEST((c.is_coalesced() && c.coalesce().is_same(c)));
    BOOST_TEST(same(c.indices(), tensor({{0, 2}}, kLong)));
    BOOST_TEST(same(c.values(), tensor({{1., 1.}, {6., 6.}})));
    BOOST_TEST(same(t._indices(), tensor({{0, 2, 2}}, kLong)));
    BOOST_TEST(message([&] { t.indices(); }) ==
               "indices: the sparse tensor is not coalesced; call coalesce() first, or _indices()");
    BOOST_TEST(message([&] { ones({2}).coalesce(); }) ==
               "coalesce: expected a sparse tensor, got a strided one of shape [2]; to_sparse() makes one");
    const Tensor x = tensor({{0., 3.}, {0., 0.}, {5., 0.}});
    BOOST_TEST(same(x.to_sparse().indices(), tensor({{0, 2}, {1, 0}}, kLong)));
    BOOST_TEST(same(x.to_sparse(1).values(), tensor({{0., 3.}, {5., 0.}})));
    BOOST_TEST(same(x.to_sparse().to_dense(), x));
    BOOST_TEST(message([&] { x.to_sparse(3); }) ==
               "to_sparse: sparse_dim is 3; expected 1 to 2, the number of dimensions of input");
    BOOST_TEST(same(t.to(kFloat).to_dense(), rows_dense().to(kFloat)));
    BOOST_TEST((sparse_coo_tensor({2, 3})._nnz() == 0 && same(sparse_coo_tensor({2, 3}).to_dense(), zeros({2, 3}))));
    const Tensor two = sparse_coo_tensor(tensor({{1, 0, 1}, {2, 1, 2}}, kLong), tensor({1., 2., 3.}));
    BOOST_TEST(same(two.to_dense(), tensor({{0., 2., 0.}, {0., 0., 4.}})));
    BOOST_TEST(same(two.coalesce().indices(), tensor({{0, 1}, {1, 2}}, kLong)));
}
BOOST_AUTO_TEST_CASE(parts_that_do_not_fit_are_refused) {
    const Tensor at = tensor({{0, 1}, {1, 5}}, kLong), v = tensor({1., 2.});
    BOOST_CHECK_THROW(sparse_coo_tensor(at, v, {2, 3}), IndexError);
    BOOST_TEST(message([&] {
                   sparse_coo_tensor(at, v, {2, 3});
               }) == "sparse_coo_tensor: index 5 is out of range for sparse dimension 1 of size 3");
    BOOST_TEST(message([&] {
                   sparse_coo_tensor(at, tensor({1., 2., 3.}), {2, 9});
               }).starts_with("sparse_coo_tensor: values have shape [3]; expected 2 of them"));
    BOOST_TEST(message([&] {
                   sparse_coo_tensor(at, v, {2, 9, 1});
               }).starts_with("sparse_coo_tensor: size [2, 9, 1] has 3 dimensions; expected 2 sparse ones"));
    BOOST_TEST(message([&] {
                   sparse_coo_tensor(at.to(kDouble), v, {2, 9});
               }) == "sparse_coo_tensor: indices are float64; expected integers");
}
BOOST_AUTO_TEST_CASE(arithmetic_keeps_it_sparse_where_it_can) {
    const Tensor t = rows(), d = rows_dense();
    for (const Tensor& scaled : {t * 2, 2 * t, t * tensor(2.), t / 0.5, -(t * -2), t + t, t - (t * -1)})
        BOOST_TEST((scaled.is_sparse() && same(scaled.to_dense(), d * 2)));
    const Tensor ones_like_it = ones({3, 2});
    for (const Tensor& sum : {ones_like_it + t, t + ones_like_it}) BOOST_TEST((!sum.is_sparse() && same(sum, d + 1)));
    BOOST_TEST(same(ones_like_it - t, 1 - d));
    BOOST_TEST(same(add(ones_like_it, t, 3), d * 3 + 1));
    BOOST_TEST(same((t * t).to_dense(), d * d));
    BOOST_TEST(same((t * (ones_like_it * 3)).to_dense(), d * 3));
    BOOST_TEST(t.sum().item<double>() == 14);
    BOOST_TEST(t.norm().item<double>() == d.norm().item<double>());
    const Tensor into = ones({3, 2});
    into.add_(t, 0.5).sub_(t);
    BOOST_TEST(same(into, d * -0.5 + 1));
    const Tensor own = t.clone(), alias = own.detach();
    own.mul_(3).add_(t);
    BOOST_TEST((own.is_sparse() && same(own.to_dense(), d * 4) && same(alias.to_dense(), d * 4)));
    BOOST_TEST(same(t.to_dense(), d));
    own.zero_();
    BOOST_TEST((own._nnz() == 0 && own._version() == 3));
    own.copy_(t);
    BOOST_TEST(same(own.to_dense(), d));
    BOOST_TEST(zeros_like(t).is_sparse());
    Tensor many = t.clone();
    for (int i = 0; i < 20; ++i) many = many + t;
    BOOST_TEST((many._nnz() <= 6 && same(many.to_dense(), d * 21))); // sums of many do not grow without end
    BOOST_TEST(
        message([&] { own.add_(ones_like_it); }) ==
        "add_: the result is strided and input sparse, so it cannot be written into it; use the out-of-place form");
    BOOST_TEST(message([&] { own.fill_(1); }) ==
               "fill_: a sparse tensor is filled with zeros alone, got 1; use .to_dense()");
    BOOST_TEST(
        message([&] { t + ones({2}); }).starts_with("add: operands have shapes [3, 2] and [2]; expected the same one"));
    BOOST_TEST(message([&] { t / ones_like_it; }).starts_with("div: a sparse tensor is divided by numbers alone"));
}
BOOST_AUTO_TEST_CASE(a_matrix_times_it_is_strided) {
    const Tensor v = tensor({3., 4., 5., 7.}), at = tensor({{0, 1, 1, 0}, {2, 0, 2, 2}}, kLong);
    const Tensor a = sparse_coo_tensor(at, v, {2, 3}).requires_grad_(),
                 b = arange(12.).reshape({3, 4}).requires_grad_();
    const Tensor dense = a.detach().to_dense().requires_grad_(), c = b.detach().clone().requires_grad_();
    const Tensor w = tensor({{1., -2., 3., 0.5}, {2., 1., -1., 4.}});
    BOOST_TEST(same(mm(a, b), mm(dense, c)));
    BOOST_TEST(same(matmul(a, b.select(1, 1)), matmul(dense, c.select(1, 1))));
    BOOST_TEST(same(matmul(w.t(), a), matmul(w.t(), dense)));
    BOOST_TEST(same(mm(ones({3, 2}).t(), rows()), mm(ones({3, 2}).t(), rows_dense())));
    BOOST_TEST(same(mm(rows(), w), mm(rows_dense(), w)));
    (mm(a, b) * w).sum().backward();
    (mm(dense, c) * w).sum().backward();
    BOOST_TEST(same(b.grad(), c.grad()));
    BOOST_TEST((a.grad().is_sparse() && same(a.grad().to_dense(), dense.grad() * (dense.detach() != 0))));
    BOOST_TEST(message([&] {
                   mm(a, sparse_coo_tensor({3, 2}));
               }) ==
               "mm: both operands are sparse, of shapes [2, 3] and [3, 2]; expected a strided one: use .to_dense() of "
               "either");
    BOOST_TEST(message([&] { mm(a, w); }) == "mm: inner dimensions differ: input is [2, 3], mat2 is [2, 4]");
}
BOOST_AUTO_TEST_CASE(everything_else_names_itself_and_the_way_out) {
    const Tensor t = rows(), x = ones({3, 2});
    const std::vector<std::pair<std::string, std::function<void()>>> calls = {
        {"exp", [&] { exp(t); }},
        {"abs", [&] { t.abs(); }},
        {"relu", [&] { relu(t); }},
        {"linear", [&] { linear(x, t); }},
        {"softmax", [&] { softmax(t, 0); }},
        {"transpose", [&] { t.transpose(0, 1); }},
        {"select", [&] { t[0]; }},
        {"view", [&] { t.view({6}); }},
        {"cat",
         [&] {
             cat({t, t});
         }},
        {"max", [&] { t.max(); }},
        {"sum", [&] { t.sum(0); }},
        {"eq", [&] { eq(t, x); }},
        {"where", [&] { where(x > 0, t, x); }},
        {"clamp", [&] { t.clamp(0, 1); }},
        {"index_select", [&] { t.index_select(0, longs({0})); }},
        {"addcmul", [&] { addcmul(x, t, t); }},
        {"sort", [&] { t.sort(); }},
    };
    for (const auto& [op, call] : calls) BOOST_TEST_CONTEXT(op) {
            BOOST_CHECK_THROW(call(), NotImplementedError);
            const std::string said = message(call);
            BOOST_TEST(said.find("a sparse tensor of shape [3, 2]") != std::string::npos, said);
            BOOST_TEST(said.find("use .to_dense()") != std::string::npos, said);
        }
    BOOST_TEST(message([&] { exp(t); }).starts_with("exp: a sparse tensor"));
    BOOST_CHECK_THROW(t.data_ptr(), NotImplementedError);
    BOOST_CHECK_THROW(zeros({2}, TensorOptions().layout(kSparse)), NotImplementedError);
}
BOOST_AUTO_TEST_CASE(prints_its_parts) {
    std::ostringstream out;
    out << rows().to(kFloat).requires_grad_();
    BOOST_TEST(out.str() == "tensor(indices=tensor([[0, 2, 2]]),\n"
                            "       values=tensor([[1., 1.],\n"
                            "                      [2., 2.],\n"
                            "                      [4., 4.]]),\n"
                            "       size=[3, 2], nnz=3, layout=reel.sparse_coo, requires_grad=True)");
}
BOOST_AUTO_TEST_CASE(gradients_go_through_its_parts) {
    const Tensor v = tensor({1., 2., 3.}).requires_grad_(), weights = tensor({5., 7.});
    const Tensor at = tensor({{0, 1, 0}}, kLong);
    (sparse_coo_tensor(at, v, {2}).to_dense() * weights).sum().backward();
    BOOST_TEST(same(v.grad(), tensor({5., 7., 5.})));
    v.clear_grad();
    ((sparse_coo_tensor(at, v, {2}) * 2).coalesce().values() * weights).sum().backward();
    BOOST_TEST(same(v.grad(), tensor({10., 14., 10.})));
    v.clear_grad();
    (sparse_coo_tensor(at, v, {2}) + ones({2})).square().sum().backward();
    BOOST_TEST(same(v.grad(), tensor({10., 6., 10.})));
    const Tensor x = tensor({0., 3.}).requires_grad_();
    x.to_sparse().sum().backward();
    BOOST_TEST(same(x.grad(), ones({2}))); // of zeros, too
    BOOST_TEST(
        same(autograd::grad({sparse_coo_tensor(at, v, {2}).norm()}, {v})[0], tensor({4., 2., 4.}) / std::sqrt(20.)));
}
BOOST_AUTO_TEST_CASE(tables_get_sparse_gradients_which_add_up) {
    const Tensor w = table();
    (lookup(w, {3, 1, 3}, 1) * 2).sum().backward();
    BOOST_TEST((w.grad().is_sparse() && same(w.grad()._indices(), tensor({{3, 3}}, kLong))));
    lookup(w, {0}).sum().backward();
    BOOST_TEST((w.grad().is_sparse() && w.grad()._nnz() == 3));
    BOOST_TEST(same(w.grad().to_dense().select(1, 0), tensor({1., 0., 0., 4., 0.})));
    w.sum().backward(); // dense from here on
    BOOST_TEST((!w.grad().is_sparse() && w.grad().sum().item<double>() == 20));
    lookup(w, {4}).sum().backward();
    BOOST_TEST((!w.grad().is_sparse() && w.grad().sum().item<double>() == 22));
    w.clear_grad();
    (lookup(w, {0, 2}).sum() + lookup(w, {2}).sum()).backward(); // both arrive in one pass
    BOOST_TEST((w.grad().is_sparse() && same(w.grad().coalesce().indices(), tensor({{0, 2}}, kLong))));
    w.clear_grad();
    (lookup(w, {0}).sum() + w.sum()).backward();
    BOOST_TEST((!w.grad().is_sparse() && w.grad().sum().item<double>() == 12));
    const Tensor g = autograd::grad({lookup(w, {1}).sum()}, {w})[0];
    BOOST_TEST((g.is_sparse() && g._nnz() == 1));
    const Tensor scaled = table();
    lookup(scaled * 3, {4, 4}).sum().backward();
    BOOST_TEST(same(scaled.grad().to_dense().select(1, 0), tensor({0., 0., 0., 0., 6.})));
    BOOST_TEST(message([&] { lookup(scaled.exp().t(), {0}).sum().backward(); }).find("use .to_dense()") !=
               std::string::npos);
    BOOST_TEST(message([&] { functional_embedding(longs({0}), w, std::nullopt, std::nullopt, 2., true, true); }) ==
               "embedding: scale_grad_by_freq is not supported with sparse gradients; use sparse=false");
}
BOOST_AUTO_TEST_CASE(second_derivatives_go_through_a_sparse_first_one) {
    const Tensor w = table();
    const Tensor g = autograd::grad({lookup(w, {3, 1}).pow(3).sum()}, {w}, {}, true, true)[0];
    BOOST_TEST((g.is_sparse() && g.requires_grad()));
    const Tensor second = autograd::grad({g.to_dense().sum()}, {w})[0].to_dense();
    const Tensor used = tensor({0., 1., 0., 1., 0.}).unsqueeze(1);
    BOOST_TEST(same(second, w.detach() * 6 * used));
}
BOOST_AUTO_TEST_CASE(hooks_and_anomaly_mode_take_them) {
    const Tensor w = table();
    int sparse = 0;
    w.register_hook([&](const Tensor& g) { return sparse += g.is_sparse(), g * 2; });
    w.register_post_accumulate_grad_hook([&](const Tensor& p) { sparse += p.grad().is_sparse(); });
    const autograd::DetectAnomalyGuard anomaly;
    lookup(w, {1}).sum().backward();
    BOOST_TEST(sparse == 2);
    BOOST_TEST(same(w.grad()._values(), full({1, 2}, 2.)));
    BOOST_TEST(message([&] { (lookup(w, {1}) * std::nan("")).sum().backward(); }).find("NaN") != std::string::npos);
    const Tensor dense = table();
    dense.register_hook([](const Tensor& g) { return g.to_dense(); });
    lookup(dense, {1}).sum().backward();
    BOOST_TEST(!dense.grad().is_sparse());
    dense.set_grad(rows().to_dense().sum() * dense.detach().to_sparse(1));
    BOOST_TEST(dense.grad().is_sparse());
}
BOOST_AUTO_TEST_CASE(bags_get_the_same_gradient_as_with_sparse_false) {
    const Tensor at = longs({4, 0, 0, 2}), from = longs({0, 1, 1});
    for (const char* mode : {"sum", "mean"})
        for (const bool padded : {false, true}) BOOST_TEST_CONTEXT(mode << padded) {
                std::vector<Tensor> gradients;
                for (const bool sparse : {false, true}) {
                    const Tensor w = table();
                    const auto padding = padded ? std::optional<std::int64_t>(0) : std::nullopt;
                    const Tensor y = functional_embedding_bag(at, w, from, std::nullopt, 2., false, mode, sparse, {},
                                                              false, padding);
                    (y * y).sum().backward();
                    BOOST_TEST(w.grad().is_sparse() == sparse);
                    if (sparse) BOOST_TEST(w.grad()._nnz() == (padded ? 2 : 4));
                    gradients.push_back(w.grad().to_dense());
                }
                BOOST_TEST(allclose(gradients[0], gradients[1]));
            }
    const Tensor w = table(), scale = tensor({1., 2., 3., 4.}).requires_grad_();
    functional_embedding_bag(at, w, from, std::nullopt, 2., false, "sum", true, scale).sum().backward();
    BOOST_TEST(same(w.grad()._values().select(1, 0), scale.detach()));
    BOOST_TEST(same(scale.grad(), tensor({17., 1., 1., 9.})));
}

BOOST_AUTO_TEST_SUITE_END()
