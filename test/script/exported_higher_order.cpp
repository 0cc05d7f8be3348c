// Operators of exported programs that take graphs (rule SC-114).
#include <reel/script/exported_program.hpp>

#include <limits>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/script/function.hpp>

#include "archives.hpp"

using namespace reel;
using reel::testing::archive_file;

namespace {
jit::ExportedProgram program() { return jit::load_exported(archive_file("higher_order.pt2")); }
Tensor row(double a, double b, double c) { return reel::tensor({a, b, c}, TensorOptions(kFloat)); }
/// Results of a call: y of `cond`, n and power of `while_loop`, rows of `map`, last and sums of `scan`.
std::vector<Tensor> results(const jit::ExportedProgram& p, const Tensor& x, std::int64_t limit = 2) {
    std::vector<Tensor> out;
    for (const IValue& v : p({x, reel::full({}, limit, kLong)}).elements()) out.push_back(v.toTensor());
    return out;
}
bool close(const Tensor& a, const Tensor& b) { return reel::allclose(a, b); }
} // namespace

BOOST_AUTO_TEST_SUITE(exported_higher_order)

// The numbers are those of PyTorch 2.15.
BOOST_AUTO_TEST_CASE(SC_114_branches_loops_maps_and_scans_run) {
    const Tensor x = row(1, 2, 3);
    const auto r = results(program(), x);
    BOOST_TEST(close(r[0], row(2, 4, 6)));
    BOOST_TEST(r[1].item<std::int64_t>() == 2);
    BOOST_TEST(close(r[2], row(4, 8, 12)));
    BOOST_TEST(close(r[3], reel::stack({row(4, 7, 10), row(7, 13, 19)})));
    BOOST_TEST(close(r[4], row(3, 6, 9)));
    BOOST_TEST(close(r[5], reel::stack({row(0, 0, 0), row(2, 8, 18)})));
    BOOST_TEST(close(results(program(), -x)[0], row(-4, -5, -6)));
}
BOOST_AUTO_TEST_CASE(SC_114_a_loop_that_is_over_gives_what_it_began_with) {
    const auto r = results(program(), row(1, 2, 3), 0);
    BOOST_TEST(r[1].item<std::int64_t>() == 0);
    BOOST_TEST(close(r[2], row(1, 2, 3)));
}
// `cond` is differentiated as a whole: a parameter of the other branch gets zeros rather than nothing.
BOOST_AUTO_TEST_CASE(SC_114_what_the_other_branch_reads_has_a_gradient_of_zeros) {
    const jit::ExportedProgram p = program();
    results(p, row(1, 2, 3))[0].sum().backward();
    BOOST_TEST(close(p->get_parameter("a").grad(), row(1, 2, 3)));
    BOOST_REQUIRE(p->get_parameter("b").grad().defined());
    BOOST_TEST(close(p->get_parameter("b").grad(), row(0, 0, 0)));
    p->zero_grad();
    results(p, row(-1, -2, -3))[0].sum().backward();
    BOOST_TEST(close(p->get_parameter("a").grad(), row(0, 0, 0)));
    BOOST_TEST(close(p->get_parameter("b").grad(), row(-1, -1, -1)));
}
BOOST_AUTO_TEST_CASE(SC_114_loops_maps_and_scans_are_differentiated) {
    const jit::ExportedProgram p = program();
    const auto r = results(p, row(1, 2, 3));
    (r[2].sum() + r[3].sum()).backward(); // a^2 x, and b x + 1 with b a x + 1
    BOOST_TEST(close(p->get_parameter("a").grad(), row(4 + 3, 8 + 6, 12 + 9)));
    BOOST_TEST(close(p->get_parameter("b").grad(), row(3, 6, 9)));
}
// Rows are (i / 8, (i + 1) / 8).
BOOST_AUTO_TEST_CASE(SC_114_associative_scans_run_and_are_differentiated) {
    const Tensor x = (reel::arange(10, TensorOptions(kFloat)) / 8).view({5, 2}).requires_grad_();
    const jit::ExportedProgram scanned = jit::load_exported(archive_file("scanned.pt2"));
    const auto r = scanned({x, reel::ones({5, 2})}).elements();
    BOOST_TEST(close(r[0].toTensor(), x.cumprod(0)));
    const Tensor sums = reel::tensor(
        {1., 1., 1.25, 1.375, 1.625, 1.859375, 2.21875, 2.626953125, 3.21875, 3.955322265625}, TensorOptions(kFloat));
    BOOST_TEST(close(r[1].toTensor(), sums.view({5, 2})));
    // torch.vmap takes several steps of it at once, and none in the end
    for (const char* file : {"batched.pt2", "scanned.pt2"}) {
        const Tensor in = x.detach().clone().requires_grad_();
        const jit::ExportedProgram p = jit::load_exported(archive_file(file));
        const bool one = std::string(file) == "batched.pt2";
        const IValue out = one ? p({in}) : p({in, reel::ones({5, 2})}).elements()[0];
        BOOST_TEST(close(out.toTensor(), x.cumprod(0)));
        out.toTensor()[2].sum().backward();
        const Tensor g =
            reel::tensor({0.125, 0.234375, 0., 0.078125, 0., 0.046875, 0., 0., 0., 0.}, TensorOptions(kFloat));
        BOOST_TEST(close(in.grad(), g.view({5, 2})));
    }
}
BOOST_AUTO_TEST_CASE(SC_114_subgraphs_run) {
    const Tensor x = row(1, 2, 3), y = row(0.5, 1, 2);
    const jit::ExportedProgram p = jit::load_exported(archive_file("regions.pt2"));
    BOOST_TEST(close(p({x, y}).toTensor(), x.sin() * y + y.sin() * x));
}
BOOST_AUTO_TEST_CASE(SC_114_a_loop_without_a_step_is_differentiated) {
    const jit::ExportedProgram p = program();
    results(p, row(1, 2, 3), 0)[2].sum().backward();
    BOOST_TEST(close(p->get_parameter("a").grad(), row(0, 0, 0)));
}
// SC-98: limits hold for programs, too.
BOOST_AUTO_TEST_CASE(SC_98_an_endless_loop_ends_by_the_limit) {
    jit::RunLimits limits;
    limits.steps = 1000;
    const jit::Function::LimitScope scope(limits);
    const jit::ExportedProgram p = program();
    std::string said;
    try {
        results(p, row(1, 2, 3), std::numeric_limits<std::int64_t>::max());
    } catch (const Error& e) {
        said = e.what();
    }
    BOOST_TEST(said.find("stopped after 1000 steps, the limit of this run") != std::string::npos);
    BOOST_TEST(said.find("torch.ops.higher_order.while_loop") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
