// Products of vectors, matrices and tensors.
#include "shape_helpers.hpp"

#include <reel/autograd/parallel.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace shape_test;

BOOST_AUTO_TEST_SUITE(products)

BOOST_AUTO_TEST_CASE(matmul_broadcasts) {
    for (const auto& [a, b] : std::vector<std::pair<S, S>>{{{3}, {3}},
                                                           {{2, 3}, {3}},
                                                           {{3}, {3, 2}},
                                                           {{2, 3}, {3, 4}},
                                                           {{2, 1, 2, 3}, {3, 3, 2}},
                                                           {{3}, {2, 3, 2}},
                                                           {{2, 2, 3}, {3}}})
        check_gradients([](const std::vector<Tensor>& x) { return matmul(x[0], x[1]); }, {leaf(a), leaf(b)});
    REEL_TEST_SIZES(matmul(numbers({2, 0}), numbers({0, 3})), 2, 3);
    BOOST_TEST(message([] { matmul(numbers({2, 3}), numbers({2, 3})); }).find("[2, 3]") != std::string::npos);
    BOOST_TEST(!message([] { matmul(numbers({2, 3}), ones({3, 2}, kFloat)); }).empty());
}

BOOST_AUTO_TEST_CASE(products_of_16_bits_add_up_in_float32) {
    for (const ScalarType t : {kBFloat16, kHalf})
        for (const auto& [m, k, n] : std::vector<std::array<std::int64_t, 3>>{
                 {1, 1, 1}, {7, 33, 65}, {100, 1030, 5}, {3, 64, 200}, {130, 2, 64}}) {
            const Tensor a = numbers({m, k}).to(t), b = numbers({k, n}).cos().to(t), c = numbers({m, n}).to(t);
            const Tensor want = mm(a.to(kDouble), b.to(kDouble));
            // every result is off by its own rounding and by float32's of the sum
            const Tensor allowed = want.abs() * (t == kHalf ? 0x1p-11 : 0x1p-8) + double(k) * 0x1p-19;
            const Tensor got = mm(a, b);
            BOOST_TEST(got.scalar_type() == t);
            BOOST_TEST(((got.to(kDouble) - want).abs() <= allowed).all().item<bool>());
            for (const Tensor& x : {a.t().contiguous().t(), cat({a, a}, 1).narrow(1, 0, k)})
                for (const Tensor& y :
                     {b.t().contiguous().t(), cat({b, b}, 1).narrow(1, 0, n),
                      cat({b.narrow(0, 0, 1), b}, 0).t().contiguous().narrow(1, 1, k).t()}) // from an odd place on
                    BOOST_TEST(mm(x, y).equal(got));
            const Tensor blended = addmm(c, a, b, 2, 0.5), sum = c.to(kDouble) * 2 + want * 0.5;
            BOOST_TEST(((blended.to(kDouble) - sum).abs() <= allowed + sum.abs() * 0x1p-7 + 0.1).all().item<bool>());
        }
    const Tensor nan = full({2, 3}, NAN, kBFloat16), ones_ = ones({3, 2}, kBFloat16);
    BOOST_TEST(isnan(mm(nan, ones_)).all().item<bool>());
    BOOST_TEST(addmm(full({2, 2}, NAN, kBFloat16), ones_.t(), ones_, 0).equal(full({2, 2}, 3, kBFloat16)));
}

BOOST_AUTO_TEST_CASE(products_of_integers_in_every_layout) {
    for (const ScalarType t : {kByte, kShort, kLong})
        for (const std::int64_t m : {1, 4, 11}) { // rows go four at a time
            const Tensor a = arange(m * 40).view({m, 40}).remainder(7).to(t),
                         b = arange(40 * 75).view({40, 75}).remainder(5).to(t);
            const Tensor want = mm(a.to(kDouble), b.to(kDouble)).to(kLong).to(t);
            for (const Tensor& x : {a, a.t().contiguous().t()})
                for (const Tensor& y : {b, b.t().contiguous().t()}) BOOST_TEST(mm(x, y).equal(want));
        }
}

BOOST_AUTO_TEST_CASE(vector_products) {
    const Tensor a = tensor({{1., 2., 3.}, {-1., 0., 2.}}, kDouble), b = tensor({{0., 1., 4.}}, kDouble);
    REEL_TEST_LIST(cross(a, b), 5, -4, 1, -2, 4, -1);
    REEL_TEST_LIST(cross(a.t(), b.t()).t(), 5, -4, 1, -2, 4, -1);
    REEL_TEST_LIST(linalg_cross(a.to(kLong), b.to(kLong)), 5, -4, 1, -2, 4, -1);
    check_gradients([](const std::vector<Tensor>& x) { return cross(x[0], x[1], 1); },
                    {leaf({2, 3, 2}), leaf({1, 3, 2})});
    check_gradients(
        [](const std::vector<Tensor>& x) { return linalg_cross(complex(x[0], x[1]), complex(x[1], x[0]) * x[0]); },
        {leaf({2, 3}), leaf({2, 3})});
    REEL_TEST_SIZES(cross(numbers({0, 3}), numbers({1, 3})), 0, 3);
}

BOOST_AUTO_TEST_CASE(batches_of_small_products) {
    for (const auto& [m, k, n] :
         std::vector<std::array<std::int64_t, 3>>{{1, 1, 1}, {16, 16, 16}, {7, 48, 33}, {3, 5, 48}, {50, 128, 100}}) {
        const Tensor a = numbers({9, m, k}), b = numbers({9, k, n}).cos();
        Tensor want = (a.unsqueeze(3) * b.unsqueeze(1)).sum(2);
        const Tensor got = bmm(a, b);
        BOOST_TEST(allclose(got, want));
        const auto turned = [](const Tensor& t) { return t.transpose(1, 2).contiguous().transpose(1, 2); };
        const auto spread = [](const Tensor& t) { return stack({t, t}, 3).select(3, 0); };
        for (const Tensor& x : {a, turned(a), spread(a)})
            for (const Tensor& y : {b, turned(b), spread(b)}) BOOST_TEST(bmm(x, y).equal(got));
        const Tensor one = a.narrow(0, 0, 1);
        BOOST_TEST(bmm(one.expand({9, m, k}), b).select(0, 8).equal(bmm(one, b.narrow(0, 8, 1)).select(0, 0)));
    }
}

// Columns of whole vectors and not, near enough to be read where they lie and too far apart.
BOOST_AUTO_TEST_CASE(batches_of_small_products_far_apart) {
    for (const ScalarType dtype : {kFloat, kDouble})
        for (const auto& [m, k, n] : std::vector<std::array<std::int64_t, 3>>{
                 {16, 16, 16}, {13, 9, 8}, {6, 7, 4}, {17, 128, 96}, {31, 20, 80}}) {
            const Tensor x = randn({3, m, k}, dtype), y = randn({3, k, n}, dtype), got = bmm(x, y);
            const Tensor exact = (x.to(kDouble).unsqueeze(3) * y.to(kDouble).unsqueeze(1)).sum(2);
            BOOST_TEST(allclose(got.to(kDouble), exact, 0, dtype == kFloat ? 1e-4 : 1e-12));
            for (const std::int64_t room : {150, 5000}) {
                const auto apart = [room](const Tensor& t) { // rows lie `room` elements apart
                    Tensor far = full({t.size(0), t.size(1), room}, std::nan(""), t.scalar_type());
                    far.narrow(2, 0, t.size(2)).copy_(t);
                    return far.narrow(2, 0, t.size(2));
                };
                const auto columns = [apart](const Tensor& t) { return apart(t.transpose(1, 2)).transpose(1, 2); };
                for (const Tensor& a : {apart(x), columns(x)})
                    for (const Tensor& b : {apart(y), columns(y), y}) BOOST_TEST(bmm(a, b).equal(got));
            }
            const Tensor row = y.narrow(1, 0, 1).expand({3, k, n});
            BOOST_TEST(bmm(x, row).equal(bmm(x, row.contiguous())));
        }
}

// Extents on both sides of where strips, panels, depths and stretches of columns end; which of them go by tiles depends
// on OpenBLAS's kernels, of which test/processors runs two kinds.
BOOST_AUTO_TEST_CASE(products_of_every_size_in_every_layout) {
    manual_seed(2);
    const int before = get_num_threads();
    const auto laid = [](const Tensor& t, bool turned) { return turned ? t.t().contiguous().t() : t; };
    for (const auto& [m, n, k] : std::vector<std::array<std::int64_t, 3>>{{4, 16, 16},
                                                                          {5, 1000, 7},
                                                                          {40, 17, 33},
                                                                          {129, 100, 127},
                                                                          {700, 64, 801},
                                                                          {300, 33, 2000},
                                                                          {1000, 500, 48},
                                                                          {2, 3, 5},
                                                                          {3, 65, 385},
                                                                          {97, 130, 770},
                                                                          {13, 4097, 9},
                                                                          {6, 4500, 390}})
        for (const ScalarType dtype : {kFloat, kDouble})
            for (const bool ta : {false, true})
                for (const bool tb : {false, true}) {
                    const Tensor x = randn({m, k}, dtype), y = randn({k, n}, dtype), z = randn({m, n}, dtype),
                                 a = laid(x, ta), b = laid(y, tb);
                    const Tensor exact = (x.to(kDouble).unsqueeze(1) * y.to(kDouble).t()).sum(2);
                    const double tolerance = (dtype == kFloat ? 1e-6 : 1e-15) * double(k);
                    set_num_threads(1);
                    const Tensor one = mm(a, b), added = addmm(z, a, b), scaled = addmm(z, a, b, 0.5, 2);
                    set_num_threads(3);
                    BOOST_TEST(equal(mm(a, b), one));
                    set_num_threads(before);
                    BOOST_TEST(allclose(one.to(kDouble), exact, 0, tolerance));
                    BOOST_TEST(allclose(added.to(kDouble), exact + z.to(kDouble), 0, tolerance));
                    BOOST_TEST(allclose(scaled.to(kDouble), exact * 2 + z.to(kDouble) / 2, 0, 4 * tolerance));
                }
}
BOOST_AUTO_TEST_CASE(products_of_few_rows_with_a_large_matrix) {
    for (const ScalarType t : {kFloat, kDouble})
        for (const auto& [k, n] : std::vector<std::pair<std::int64_t, std::int64_t>>{
                 {64, 4099}, {1027, 500}, {1024, 1024}, {4101, 70}, {300, 2000}})
            for (const std::int64_t m : {2, 3, 4, 5, 7, 8, 9, 11, 16, 17}) {
                const Tensor a = numbers({m, k}).to(t), b = numbers({k, n}).cos().to(t), c = numbers({m, n}).to(t);
                const Tensor want = mm(b.to(kDouble).t(), a.to(kDouble).t()).t(); // many rows
                const double allowed = double(k) * (t == kFloat ? 0x1p-20 : 0x1p-49);
                for (const Tensor& x : {a, a.t().contiguous().t()})
                    for (const Tensor& y : {b, b.t().contiguous().t(), cat({b, b}, 1).narrow(1, 0, n)}) {
                        const int threads = get_num_threads();
                        set_num_threads(1);
                        const Tensor got = mm(x, y), sum = addmm(c, x, y);
                        set_num_threads(3);
                        BOOST_TEST(mm(x, y).equal(got));
                        set_num_threads(threads);
                        BOOST_TEST(allclose(got.to(kDouble), want, 0, allowed), m << " " << k << " " << n);
                        BOOST_TEST(allclose(sum.to(kDouble), want + c.to(kDouble), 0, allowed));
                    }
            }
    // What is behind the last column, or the last row, does not count, nor does what was in the result's memory.
    const Tensor b = full({600, 2080}, NAN, kFloat);
    b.narrow(0, 0, 590).narrow(1, 0, 2050).fill_(0.5);
    for (const Tensor& y : {b.narrow(0, 0, 590).narrow(1, 0, 2050), b.narrow(0, 0, 590).narrow(1, 0, 2050).t()}) {
        const Tensor x = ones({3, y.size(0)}, kFloat);
        BOOST_TEST(mm(x, y).equal(full({3, y.size(1)}, 0.5 * double(y.size(0)), kFloat)));
    }
}
BOOST_AUTO_TEST_CASE(blends) {
    const Tensor nan = full({2, 2}, NAN, kDouble), a = numbers({2, 3}), b = numbers({3, 2});
    BOOST_TEST(list(addmm(nan, a, b, 0)) == list(mm(a, b)),
               boost::test_tools::per_element()); // beta = 0 leaves input out
    check_gradients([](const std::vector<Tensor>& x) { return addmm(x[0], x[1], x[2], 0.5, 2); },
                    {leaf({2}), leaf({2, 3}), leaf({3, 2})});
    check_gradients([](const std::vector<Tensor>& x) { return baddbmm(x[0], x[1], x[2], 0.5, 2); },
                    {leaf({1, 2}), leaf({2, 1, 3}), leaf({2, 3, 2})});
    BOOST_TEST(message([&] { addmm(numbers({3, 3}), a, b); }).find("does not expand") != std::string::npos);
    BOOST_TEST(!message([] { addr(ones({2, 2}, kLong), ones({2}, kLong), ones({2}, kLong), 0.5); }).empty());
}

BOOST_AUTO_TEST_CASE(einstein_sums) {
    const Tensor a = numbers({2, 3}), b = numbers({3, 4});
    BOOST_TEST(list(einsum("ij,jk", {a, b})) == list(mm(a, b)), boost::test_tools::per_element());
    BOOST_TEST(list(einsum("ij->ji", {a})) == list(a.t()), boost::test_tools::per_element());
    BOOST_TEST(einsum("ii", {numbers({3, 3})}).item<double>() == numbers({3, 3}).trace().item<double>());
    check_gradients([](const std::vector<Tensor>& x) { return einsum("b...i, ij, bkk -> b...j", x); },
                    {leaf({2, 2, 3}), leaf({3, 2}), leaf({2, 2, 2})});
    BOOST_TEST(message([&] { einsum("ij,jk->il", {a, b}); }).find("no operand has") != std::string::npos);
    BOOST_TEST(message([&] { einsum("ij,ij->i", {a, b}); }).find("operand 1 has shape [3, 4]") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(other_products) {
    check_gradients(
        [](const std::vector<Tensor>& x) {
            return tensordot(x[0], x[1], {1, 0}, {0, 2});
        },
        {leaf({2, 3, 2}), leaf({3, 2, 2})});
    check_gradients([](const std::vector<Tensor>& x) { return linalg::multi_dot(x); },
                    {leaf({2}), leaf({2, 3}), leaf({3, 2}), leaf({2})});
    check_gradients([](const std::vector<Tensor>& x) { return cross(x[0], x[1]); }, {leaf({2, 3}), leaf({2, 3})});
    check_gradients([](const std::vector<Tensor>& x) { return bilinear(x[0], x[1], x[2], x[3]); },
                    {leaf({2, 3}), leaf({2, 2}), leaf({2, 3, 2}), leaf({2})});
    check_gradients([](const std::vector<Tensor>& x) { return linear(x[0], x[1], x[2]); },
                    {leaf({2, 3}), leaf({4, 3}), leaf({4})});
    BOOST_TEST(!message([] { cross(numbers({2, 2}), numbers({2, 2})); }).empty());
}

BOOST_AUTO_TEST_SUITE_END()
