// Rows picked, written and joined as plain bytes give what strided loops give.
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include <boost/test/unit_test.hpp>

using namespace reel;

namespace {

/// The same elements with gaps between them: the general way.
Tensor spread(const Tensor& t) { return stack({t, zeros_like(t)}, t.dim()).select(t.dim(), 0); }

} // namespace

BOOST_AUTO_TEST_SUITE(block_copies)

BOOST_AUTO_TEST_CASE(rows_of_all_widths) {
    manual_seed(0);
    for (const ScalarType dtype : {kBool, kByte, kHalf, kFloat, kDouble, kComplexDouble})
        for (const std::int64_t width : {1, 2, 3, 16}) {
            const Tensor x = randint(2, {9, width}).to(dtype);
            for (const Tensor& index : {tensor({0, 8, -9, -1, 3, 3}), tensor({1, 2, 3, 4}).reshape({2, 2})}) {
                const Tensor picked = x.index({index});
                BOOST_TEST(picked.equal(spread(x).index({index})));
                const Tensor values = randint(2, picked.sizes()).to(dtype);
                Tensor by_rows = x.clone(), by_strides = spread(x);
                by_rows.index_put_({index}, values);
                by_strides.index_put_({index}, values);
                BOOST_TEST(by_rows.equal(by_strides));
            }
        }
}

BOOST_AUTO_TEST_CASE(many_rows_in_several_threads) {
    const Tensor x = arange(300'000).reshape({-1, 3}), index = randperm(100'000);
    BOOST_TEST(x.index({index}).select(1, 0).equal(index * 3));
    Tensor back = zeros_like(x);
    back.index_put_({index}, x.index({index}));
    BOOST_TEST(back.equal(x));
}

BOOST_AUTO_TEST_CASE(long_rows_with_any_ends) {
    const Tensor bytes = arange(6'000).to(kByte);
    for (std::int64_t n = 1'020; n < 1'420; n += 7)
        for (const std::int64_t first : {0, 1, 63, 64}) {
            const Tensor row = bytes.narrow(0, first, n), joined = cat({row, bytes.narrow(0, 5, n), row}, 0);
            BOOST_TEST(joined.narrow(0, 0, n).equal(spread(row)));
            BOOST_TEST(joined.narrow(0, n, n).equal(spread(bytes.narrow(0, 5, n))));
            BOOST_TEST(joined.narrow(0, 2 * n, n).equal(spread(row)));
        }
}

BOOST_AUTO_TEST_CASE(of_two_writes_to_a_row_the_last_stays) {
    Tensor x = zeros({4, 2});
    x.index_put_({tensor({1, 1, -3})}, arange(6, kFloat).reshape({3, 2}));
    BOOST_TEST(x[1].equal(tensor({4.F, 5.F})));
    Tensor own = tensor({2, 0, 1}); // an index that is written to while it is read
    own.index_put_({own}, tensor({7, 8, 9}));
    BOOST_TEST(own.equal(tensor({8, 9, 7})));
}

BOOST_AUTO_TEST_CASE(indices_out_of_range_are_refused_before_a_write) {
    Tensor x = zeros({4, 2});
    BOOST_CHECK_THROW(x.index({tensor({0, 4})}), IndexError);
    BOOST_CHECK_THROW(x.index_put_({tensor({0, -5})}, ones({2, 2})), IndexError);
    BOOST_TEST(x.sum().item<float>() == 0);
    BOOST_TEST(x.index({zeros({0}, kLong)}).sizes().vec() == (std::vector<std::int64_t>{0, 2}));
    BOOST_CHECK_THROW(zeros({0, 2}).index({tensor({0})}), IndexError);
}

BOOST_AUTO_TEST_CASE(joining_along_each_dimension) {
    const Tensor x = arange(24).reshape({2, 3, 4}), y = x + 100;
    for (std::int64_t dim = 0; dim < 4; ++dim) {
        BOOST_TEST(stack({x, y, x}, dim).equal(stack({x, spread(y), x}, dim)));
        if (dim == 3) continue;
        const Tensor part = y.narrow(dim, 0, 1).contiguous();
        BOOST_TEST(cat({x, part, y}, dim).equal(cat({x, spread(part), y}, dim)));
    }
    BOOST_TEST(cat({zeros({0}, kLong), x, zeros({2, 0, 4}, kLong), y}, 1).equal(cat({x, y}, 1)));
    BOOST_TEST(cat({x, y.to(kFloat)}).scalar_type() == kFloat);
    BOOST_TEST(stack({zeros({2, 0}), zeros({2, 0})}).numel() == 0);
    const Tensor leaf = ones({2}).requires_grad_();
    (stack({leaf, leaf * 2}, 1) * tensor({{1.F, 2.F}, {3.F, 4.F}})).sum().backward();
    BOOST_TEST(leaf.grad().equal(tensor({5.F, 11.F})));
}

BOOST_AUTO_TEST_CASE(joining_views_whose_rows_lie_together) {
    for (const std::int64_t rows : {3, 4000}) { // on one thread, on several
        const Tensor whole = arange(rows * 2 * 90).reshape({rows, 2, 90});
        const Tensor views[] = {
            whole.narrow(2, 3, 40),
            whole.narrow(1, 1, 1),
            whole.narrow(0, 1, rows - 1),
            whole.transpose(0, 1),
            whole.slice(2, 0, 90, 2),
            whole.slice(0, 0, rows, 2),
            whole[1].expand({rows, 2, 90}),
            whole.narrow(1, 0, 1).expand({rows, 2, 90}),
            whole.narrow(2, 0, 1).expand({rows, 2, 90}),
        };
        for (const Tensor& view : views)
            for (std::int64_t dim = 0; dim < 3; ++dim) {
                const Tensor dense = view.contiguous();
                const auto same = [&](const Tensor& got, const Tensor& a, const Tensor& b) {
                    const std::int64_t n = view.size(dim);
                    return got.narrow(dim, 0, n).equal(a) && got.narrow(dim, n, n).equal(b);
                };
                BOOST_TEST(same(cat({view, dense}, dim), dense, dense));
                BOOST_TEST(stack({view, dense}, dim).select(dim, 0).equal(dense));
                BOOST_TEST(stack({dense, view}, dim).select(dim, 1).equal(dense));
            }
        BOOST_TEST(roll(whole, 7, 2).narrow(2, 7, 83).equal(whole.narrow(2, 0, 83)));
        BOOST_TEST(roll(whole, 7, 2).narrow(2, 0, 7).equal(whole.narrow(2, 83, 7)));
        BOOST_TEST(roll(whole.transpose(0, 2), -1, 2)
                       .narrow(2, 0, rows - 1)
                       .equal(whole.transpose(0, 2).narrow(2, 1, rows - 1)));
    }
}

BOOST_AUTO_TEST_SUITE_END()
