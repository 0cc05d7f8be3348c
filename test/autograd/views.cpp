// Views: shared memory, gradients, in-place work through them (rules E-43 to E-48).
#include "shape_helpers.hpp"

#include <algorithm>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace shape_test;

BOOST_AUTO_TEST_SUITE(views)

BOOST_AUTO_TEST_CASE(views_show_the_same_memory) {
    const Tensor x = numbers({2, 3, 4});
    for (const Tensor& v :
         {x.view({6, 4}), x.permute({2, 0, 1}), x.transpose(0, 2), x.select(1, 2), x.slice(2, 1, 4, 2),
          x.narrow(0, 1, 1), x.unsqueeze(1), x.diagonal(0, 1, 2), x.expand({5, 2, 3, 4}), x.unfold(2, 2, 1),
          x.unbind(0)[1], x.split(2, 2)[1], x.chunk(2, 1)[0]}) {
        BOOST_TEST(v.is_view());
        BOOST_TEST(v.is_alias_of(x));
        BOOST_TEST(v._base().is_same(x));
    }
    const Tensor copy = x.transpose(0, 1).reshape({24});
    BOOST_TEST(!copy.is_alias_of(x));
    BOOST_TEST(!copy.is_view());
}

BOOST_AUTO_TEST_CASE(gradients_of_views) {
    const auto check = [](auto fn) {
        check_gradients(fn, {leaf({2, 3, 4})});
        check_gradients(fn, {strided({2, 3, 4}).requires_grad_()});
    };
    check([](const Tensor& x) { return x.reshape({4, 6}) * 2.0; });
    check([](const Tensor& x) { return x.permute({2, 0, 1}) * x.permute({2, 0, 1}); });
    check([](const Tensor& x) { return x.select(1, -1) * x.select(1, 0); });
    check([](const Tensor& x) { return x.slice(2, 1, 4, 2) * x.slice(2, 0, 3, 2); });
    check([](const Tensor& x) { return x.diagonal(1, 1, 2) * x.diagonal(0, 1, 2); });
    check([](const Tensor& x) { return x.unfold(2, 2, 1) * 3.0; });
    check([](const Tensor& x) { return x.expand({2, 2, 3, 4}) * x; });
    check([](const Tensor& x) { return x.unflatten(2, {2, -1}).flatten(0, 1) * 2.0; });
    check([](const Tensor& x) { return x.movedim(0, 2) * 2.0; });
    check([](const Tensor& x) {
        const auto parts = x.split_with_sizes({1, 3}, 2);
        return parts[0] * parts[1];
    });
    check([](const Tensor& x) { return x.tensor_split(3, 2)[0] * x.unbind(2)[3].unsqueeze(2); });
}

BOOST_AUTO_TEST_CASE(as_strided_counts_elements_that_are_seen_twice) {
    const Tensor x = leaf({4});
    x.as_strided({3, 2}, {1, 1}, 0).sum().backward();
    REEL_TEST_LIST(x.grad(), 1, 2, 2, 1);
    // Row-major strides of a base that is not row-major itself.
    const Tensor base = strided({2, 2}).requires_grad_();
    base.as_strided({2}, {4}, base.storage_offset()).sum().backward();
    REEL_TEST_LIST(base.grad(), 1, 0, 1, 0);
}

BOOST_AUTO_TEST_CASE(E44_in_place_on_a_view_changes_base_and_siblings) {
    const Tensor x = leaf({2, 3});
    const Tensor base = x * 1.0;
    const Tensor sibling = base.select(1, 0), v = base.select(0, 1);
    v.mul_(10.0);
    BOOST_TEST(base.grad_fn()->name().find("CopySlices") != std::string::npos);
    (base.sum() + sibling.sum()).backward();
    REEL_TEST_LIST(x.grad(), 2, 1, 1, 20, 10, 10);
}

BOOST_AUTO_TEST_CASE(E44_bases_that_are_not_row_major) {
    const auto through_view = [](const auto& view, const Tensor& base) {
        return [view, base](const Tensor& x) {
            // The base keeps its geometry: strided, transposed, or starting inside its storage.
            const Tensor b = empty_strided(base.sizes(), base.strides(), kDouble);
            b.copy_(x * 2.0);
            view(b).mul_(view(x));
            return b;
        };
    };
    const auto row = [](const Tensor& t) { return t.select(0, 1); };
    const auto part = [](const Tensor& t) { return t.slice(1, 0, 3, 2); };
    const auto turned = [](const Tensor& t) { return t.transpose(0, 1).select(0, 2); };
    for (const Tensor& base : {strided({2, 3}), numbers({3, 2}).transpose(0, 1), numbers({4, 3}).slice(0, 2, 4),
                               numbers({2, 6}).slice(1, 1, 6, 2)}) {
        check_gradients(through_view(row, base), {leaf({2, 3})});
        check_gradients(through_view(part, base), {leaf({2, 3})});
        check_gradients(through_view(turned, base), {leaf({2, 3})});
    }
}

BOOST_AUTO_TEST_CASE(E44_reals_of_a_complex_base) {
    const Tensor x = tensor({std::complex<double>(1, 2), std::complex<double>(3, -1)}).requires_grad_();
    const Tensor base = x * 1.0;
    view_as_real(base).select(1, 1).mul_(5.0); // scales imaginary parts
    view_as_real(base).sum().backward();
    const Tensor g = view_as_real(x.grad());
    REEL_TEST_LIST(g, 1, 5, 1, 5);
}

BOOST_AUTO_TEST_CASE(E45_a_base_without_gradient_joins_the_tape) {
    const Tensor base = zeros({2, 2}, kDouble), x = leaf({2});
    base.select(1, 0).copy_(x);
    BOOST_TEST(base.requires_grad());
    (base * 3.0).sum().backward();
    REEL_TEST_LIST(x.grad(), 3, 3);
}

BOOST_AUTO_TEST_CASE(E48_outputs_of_split_chunk_unbind_refuse_in_place) {
    const Tensor base = leaf({4}) * 1.0;
    for (const Tensor& part : {base.split(2)[0], base.chunk(2)[1], base.unbind()[2]})
        BOOST_TEST(message([&] { part.add_(1.0); }).find("several views") != std::string::npos);
    base.tensor_split(2)[0].add_(1.0); // plain slices may be changed
    base.unsafe_split(2)[1].add_(1.0);
}

BOOST_AUTO_TEST_CASE(geometry_changes_in_place) {
    const Tensor x = leaf({2, 3});
    const Tensor y = x * 2.0;
    y.transpose_(0, 1).unsqueeze_(0);
    REEL_TEST_SIZES(y, 1, 3, 2);
    (y * tensor({{{1., 2.}, {3., 4.}, {5., 6.}}}, kDouble)).sum().backward();
    REEL_TEST_LIST(x.grad(), 2, 6, 10, 4, 8, 12);
    const Tensor z = numbers({2, 2});
    const V before = list(z);
    z.resize_({2, 3});
    BOOST_TEST(list(z)[0] == before[0]);
    BOOST_TEST(list(z)[3] == before[3]);
    BOOST_TEST(message([&] { x.resize_({3}); }) == "resize_: cannot resize a tensor that requires grad");
}

BOOST_AUTO_TEST_CASE(fill_diagonal) {
    const Tensor x = zeros({5, 2}, kDouble);
    x.fill_diagonal_(1, true);
    REEL_TEST_LIST(x, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1);
    const Tensor y = leaf({2, 2}) * 1.0;
    y.fill_diagonal_(0);
    BOOST_TEST(y.requires_grad());
}

BOOST_AUTO_TEST_CASE(copies_between_any_orders_of_dimensions) {
    std::vector<std::int64_t> order{0, 1, 2, 3}, back(4);
    for (const ScalarType t : {kBool, kHalf, kFloat, kDouble, kComplexDouble})
        for (const std::vector<std::int64_t>& sizes :
             {std::vector<std::int64_t>{3, 17, 9, 20}, std::vector<std::int64_t>{1, 33, 1, 40}})
            do {
                const Tensor x = randint(0, 50, sizes).to(t), turned = x.permute(order);
                for (std::size_t d = 0; d < 4; ++d) back[std::size_t(order[d])] = std::int64_t(d);
                // what lies in the one order goes into what lies in the other, both ways
                const Tensor dense = turned.contiguous();
                Tensor into = empty(x.sizes(), x.options()).permute(order);
                into.copy_(dense);
                BOOST_TEST(dense.is_contiguous());
                BOOST_TEST(into.equal(dense));
                BOOST_TEST(into.permute(back).equal(x));
                for (std::int64_t k = 0; k < 5; ++k) { // some elements, found without a copy
                    Tensor a = dense, b = x;
                    std::vector<std::int64_t> at(4);
                    for (std::size_t d = 0; d < 4; ++d)
                        at[d] = (k * 7 + std::int64_t(d) * 3) % dense.size(std::int64_t(d));
                    for (std::size_t d = 0; d < 4; ++d) a = a.select(0, at[d]);
                    for (std::size_t d = 0; d < 4; ++d) b = b.select(0, at[std::size_t(back[d])]);
                    BOOST_TEST(a.equal(b));
                }
            } while (std::next_permutation(order.begin(), order.end()));
}

BOOST_AUTO_TEST_CASE(triangles_of_any_matrices) {
    for (const ScalarType t : {kBool, kHalf, kFloat, kComplexDouble})
        for (const std::int64_t diagonal : {-100, -3, -1, 0, 1, 4, 100}) {
            const Tensor x = randint(1, 50, {2, 5, 7}).to(t), row = arange(5).unsqueeze(1), column = arange(7);
            const Tensor low = column <= row + diagonal, up = column >= row + diagonal;
            BOOST_TEST(tril(x, diagonal).equal(where(low, x, zeros_like(x))));
            BOOST_TEST(triu(x, diagonal).equal(where(up, x, zeros_like(x))));
            BOOST_TEST(tril(x.mT().contiguous().mT(), diagonal).equal(tril(x, diagonal)));
        }
}

BOOST_AUTO_TEST_CASE(errors_name_op_and_values) {
    const Tensor x = numbers({2, 3});
    BOOST_TEST(message([&] { x.view({4, -1}); }) == "view: shape [4, -1] does not fit 6 elements");
    BOOST_TEST(message([&] { x.t().view({6}); }).find("use reshape") != std::string::npos);
    BOOST_TEST(message<IndexError>([&] { x.select(1, 3); }) ==
               "select: index 3 is out of range for dimension 1 of size 3; tensor sizes [2, 3]");
    BOOST_TEST(message([&] {
                   x.expand({4, 3});
               }) == "expand: size 4 at dimension 0 does not match the existing size 2; input [2, 3], wanted [4, 3]");
    BOOST_TEST(message([&] {
                   x.split_with_sizes({1, 1}, 1);
               }) == "split_with_sizes: sizes [1, 1] sum to 2, dimension 1 has size 3");
    BOOST_TEST(message<IndexError>([&] { x.transpose(0, 2); }).find("transpose") != std::string::npos);
    BOOST_TEST(message([&] { x.diagonal(0, 1, -1); }) ==
               "diagonal: dim1 and dim2 must differ, both are dimension 1 of [2, 3]");
}

BOOST_AUTO_TEST_SUITE_END()
