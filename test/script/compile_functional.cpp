// torch.nn.functional in texts (rule SC-84): the names compile, and compute what the functions of C++ do.
#include <reel/script/compile.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "compile_helpers.hpp"
#include "message.hpp"

using namespace reel;
using namespace reel::testing;

namespace {

/// The text `torch.nn.functional.CALL` of x, y and z gives what the op of the same name gives for `args`.
void check(const std::string& call, const Args& inputs, const Args& args, const Kwargs& kwargs = {}) {
    const std::string name = "nn.functional." + call.substr(0, call.find('('));
    BOOST_TEST_CONTEXT(call) {
        const Functions program("def f(x: Tensor, y: Tensor, z: Tensor):\n    return torch.nn.functional." + call +
                                "\n");
        Args given = inputs;
        given.resize(3, inputs[0]);
        manual_seed(3);
        const IValue got = program(given);
        manual_seed(3);
        const IValue want = ops::registry().at(name).call(args, kwargs);
        BOOST_TEST(reel::allclose(got.toTensor(), want.toTensor(), 1e-5, 1e-6, true));
    }
}
Tensor random(std::vector<std::int64_t> sizes) { return reel::randn(sizes, TensorOptions(kFloat)); }
Tensor integers(std::vector<std::int64_t> v) { return reel::tensor(v, TensorOptions(kLong)); }

} // namespace

BOOST_AUTO_TEST_SUITE(script_compile_functional)

BOOST_AUTO_TEST_CASE(SC_84_losses) {
    const Tensor x = reel::rand({3, 4}), y = reel::rand({3, 4}), z = reel::rand({3, 4}), signs = (y - 0.5).sign(),
                 classes = integers({0, 3, 1});
    check("binary_cross_entropy(x, y, z, reduction='sum')", {x, y, z}, {x, y, z}, {{"reduction", "sum"}});
    check("binary_cross_entropy_with_logits(x, y, pos_weight=z)", {x, y, z}, {x, y}, {{"pos_weight", z}});
    for (const char* reduction : {"none", "mean", "sum", "batchmean"})
        check("kl_div(x, y, reduction='" + std::string(reduction) + "', log_target=True)", {x, y}, {x, y},
              {{"reduction", reduction}, {"log_target", true}});
    check("smooth_l1_loss(x, y, beta=0.5)", {x, y}, {x, y}, {{"beta", 0.5}});
    check("smooth_l1_loss(x, y, beta=0.0)", {x, y}, {x, y}, {{"beta", 0.}});
    check("huber_loss(x, y, 'sum', 0.3)", {x, y}, {x, y, "sum", 0.3});
    check("mse_loss(x, y, weight=z)", {x, y, z}, {x, y}, {{"weight", z}});
    check("l1_loss(x, y, reduction='sum', weight=z)", {x, y, z}, {x, y}, {{"reduction", "sum"}, {"weight", z}});
    check("huber_loss(x, y, weight=z)", {x, y, z}, {x, y}, {{"weight", z}});
    check("soft_margin_loss(x, y)", {x, signs}, {x, signs});
    check("hinge_embedding_loss(x, y, 0.5)", {x, signs}, {x, signs, 0.5});
    check("margin_ranking_loss(x, y, z)", {x, y, signs}, {x, y, signs});
    check("triplet_margin_loss(x, y, z, swap=True, p=1.0)", {x, y, z}, {x, y, z}, {{"swap", true}, {"p", 1.}});
    check("cosine_embedding_loss(x, y, z, 0.1)", {x, y, signs.select(1, 0)}, {x, y, signs.select(1, 0), 0.1});
    check("multi_margin_loss(x, y, p=2)", {x, classes}, {x, classes}, {{"p", 2}});
    check("multilabel_soft_margin_loss(x, y, z)", {x, y.round(), z}, {x, y.round(), z});
    check("poisson_nll_loss(x, y, full=True)", {x, y}, {x, y}, {{"full", true}});
    check("gaussian_nll_loss(x, y, z, True, reduction='sum')", {x, y, z}, {x, y, z, true}, {{"reduction", "sum"}});
    const Tensor p = reel::log_softmax(random({5, 2, 4}), -1), t = reel::tensor({{1, 2}, {3, 1}}, TensorOptions(kLong)),
                 n = integers({5, 4}), m = integers({2, 1});
    check("ctc_loss(x, y, torch.tensor([5, 4]), z)", {p, t, m}, {p, t, n, m});
}
BOOST_AUTO_TEST_CASE(SC_84_dropout_activations_and_norms) {
    const Tensor x = random({2, 4, 5}), image = random({2, 4, 5, 6}), w = random({4}), b = random({4});
    check("dropout1d(x, 0.3)", {x}, {x, 0.3});
    check("dropout1d(x, 0.3)", {x[0]}, {x[0], 0.3});
    check("dropout2d(x, 0.3)", {image}, {image, 0.3});
    check("dropout3d(x, 0.3, False)", {image}, {image, 0.3, false});
    check("alpha_dropout(x, 0.3, True)", {x}, {x, 0.3, true});
    check("feature_alpha_dropout(x, 0.3, True)", {image}, {image, 0.3, true});
    check("rrelu(x, 0.1, 0.3, True)", {x}, {x, 0.1, 0.3, true});
    check("threshold(x, 0.5, 2.0)", {x}, {x, 0.5, 2.});
    check("gumbel_softmax(x, 0.5, True, dim=1)", {x}, {x, 0.5, true}, {{"dim", 1}});
    check("logsigmoid(x)", {x}, {x});
    check("batch_norm(x, None, None, y, z, True)", {image, w, b}, {image, {}, {}, w, b, true});
    check("instance_norm(x, weight=y, bias=z)", {image, w, b}, {image}, {{"weight", w}, {"bias", b}});
    check("rms_norm(x, [5])", {x}, {x, IValue(std::vector<std::int64_t>{5})});
    check("local_response_norm(x, 2)", {x}, {x, 2});
    check("local_response_norm(x, 3, k=2.0)", {image}, {image, 3}, {{"k", 2.}});
}
BOOST_AUTO_TEST_CASE(SC_84_windows_sampling_and_embeddings) {
    const Tensor x = random({1, 2, 6}), image = random({1, 2, 4, 6}), volume = random({1, 2, 4, 4, 4});
    check("adaptive_avg_pool3d(x, 2)", {volume}, {volume, 2});
    check("adaptive_max_pool1d(x, 3)", {x}, {x, 3});
    check("adaptive_max_pool2d(x, [2, 3])", {image}, {image, IValue(std::vector<std::int64_t>{2, 3})});
    check("adaptive_max_pool3d(x, 2)", {volume}, {volume, 2});
    check("lp_pool1d(x, 2.0, 2)", {x}, {x, 2., 2});
    check("lp_pool2d(x.abs(), 3.0, [2, 3], 1)", {image}, {image.abs(), 3., IValue(std::vector<std::int64_t>{2, 3}), 1});
    check("lp_pool3d(x, 2.0, 2)", {volume}, {volume, 2., 2});
    check("unfold(x, 2, padding=1)", {image}, {image, 2}, {{"padding", 1}});
    const Tensor columns = random({1, 8, 4});
    check("fold(x, [4, 4], 2, stride=2)", {columns}, {columns, IValue(std::vector<std::int64_t>{4, 4}), 2},
          {{"stride", 2}});
    const Tensor grid = reel::rand({1, 3, 3, 2}), theta = random({1, 2, 3});
    check("grid_sample(x, y, 'nearest', 'border', True)", {image, grid}, {image, grid, "nearest", "border", true});
    check("affine_grid(x, [1, 2, 4, 4])", {theta}, {theta, IValue(std::vector<std::int64_t>{1, 2, 4, 4})});
    check("interpolate(x, scale_factor=2.0)", {image}, {image}, {{"scale_factor", 2.}});
    check("interpolate(x, [3, 5], mode='bilinear', align_corners=True)", {image},
          {image, IValue(std::vector<std::int64_t>{3, 5})}, {{"mode", "bilinear"}, {"align_corners", true}});
    check("interpolate(x, 4, mode='linear')", {x}, {x, 4}, {{"mode", "linear"}});
    check("upsample_nearest(x, scale_factor=2.0)", {image}, {image}, {{"scale_factor", 2}});
    check("upsample_bilinear(x, 8)", {image}, {image, 8});
    const Tensor table = random({5, 3}), bags = reel::tensor({{0, 1}, {4, 4}}, TensorOptions(kLong)),
                 flat = integers({0, 1, 4, 4, 2}), starts = integers({0, 2});
    check("embedding_bag(x, y)", {bags, table}, {bags, table});
    check("embedding_bag(x, y, z, mode='max')", {flat, table, starts}, {flat, table, starts}, {{"mode", "max"}});
    BOOST_TEST(message([&] {
                   Functions("def f(x: Tensor, y: Tensor):\n    return torch.nn.functional.embedding_bag(x, y)\n")(
                       {flat, table});
               }).find("embedding_bag: an input of one dimension needs offsets, got None") != std::string::npos);
}
BOOST_AUTO_TEST_CASE(SC_84_functions_of_torch) {
    const Tensor x = integers({3, 1, 3, 2});
    BOOST_TEST(
        reel::equal(Functions("def f(x: Tensor):\n    return torch.unique(x)\n")({x}).toTensor(), integers({1, 2, 3})));
    BOOST_TEST(evaluated("math.remainder(7.0, 4.0)").toDouble() == -1.);
    // operators of several names are called by one
    BOOST_TEST(contains(Functions("def f(x: Tensor):\n    return torch.special.expit(x.arccos().clip(0, 1))\n").code(),
                        "torch.sigmoid(torch.clamp(torch.acos(x), 0, 1))"));
}

/// What `torch.CALL` of x gives.
static IValue of_torch(const std::string& call, const Tensor& x) {
    return Functions("def f(x: Tensor):\n    return torch." + call + "\n")({x});
}

BOOST_AUTO_TEST_CASE(SC_84_the_arguments_choose_the_function) {
    const Tensor x = random({2, 3}), places = integers({3, 1, 1, 3});
    const auto close = [](const IValue& got, const Tensor& want) {
        return reel::allclose(got.toTensor(), want, 1e-5, 1e-6);
    };
    // by the types of the arguments
    BOOST_TEST(close(of_torch("norm(x)", x), x.square().sum().sqrt()));
    BOOST_TEST(close(of_torch("norm(x, 'fro', [0])", x), x.square().sum(0).sqrt()));
    BOOST_TEST(close(of_torch("norm(x, 1, 1, True)", x), x.abs().sum(1, true)));
    BOOST_TEST(close(of_torch("norm(x, p=3.0, dim=[0, 1])", x), x.abs().pow(3).sum().pow(1. / 3)));
    BOOST_TEST(message([&] { of_torch("norm(x, 'sup')", x); }).find("'fro', 'nuc' or a number, got 'sup'") !=
               std::string::npos);
    for (const char* dims : {"1", "([1], [0])", "[[1], [0]]", "torch.tensor([[1], [0]])"})
        BOOST_TEST(close(of_torch("tensordot(x, x.t(), " + std::string(dims) + ")", x), x.mm(x.t())), dims);
    const auto resized = [&](const std::string& how) {
        return of_torch("nn.functional.interpolate(x[None], " + how + ")", x).toTensor().sizes().vec();
    };
    BOOST_TEST(resized("6") == (std::vector<std::int64_t>{1, 2, 6}));
    BOOST_TEST(resized("[5], mode='linear'") == (std::vector<std::int64_t>{1, 2, 5}));
    BOOST_TEST(resized("scale_factor=3.0") == (std::vector<std::int64_t>{1, 2, 9}));
    BOOST_TEST(resized("scale_factor=[2.0]") == (std::vector<std::int64_t>{1, 2, 6}));
    BOOST_TEST(message([&] { resized("'wide'"); }).find("The following variants are available") != std::string::npos);
    // by flags
    BOOST_TEST(reel::equal(of_torch("unique(x)", places).toTensor(), integers({1, 3})));
    BOOST_TEST(
        reel::equal(of_torch("unique(x, return_counts=True)", places).elements().at(1).toTensor(), integers({2, 2})));
    BOOST_TEST(of_torch("unique(x, True, True, True)", places).elements().size() == 3U);
    BOOST_TEST(reel::equal(of_torch("unique_consecutive(x)", places).toTensor(), integers({3, 1, 3})));
    BOOST_TEST(reel::equal(of_torch("unique_consecutive(x, return_counts=True)", places).elements().at(1).toTensor(),
                           integers({1, 2, 1})));
    BOOST_TEST(of_torch("nn.functional.max_pool1d(x, 2, return_indices=True)", x).elements().size() == 2U);
    BOOST_TEST(of_torch("lu(x @ x.t(), get_infos=True)", x).elements().size() == 3U);
    BOOST_TEST(message([&] {
                   Functions("def f(x: Tensor, b: bool):\n    return torch.unique(x, return_inverse=b)\n");
               }).find("Argument 'return_inverse' chooses what the call returns: expected True or False") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(SC_84_tensors_are_cast_by_the_name_of_a_dtype) {
    const Tensor x = random({2});
    BOOST_TEST((of_torch("relu(x).long()", x).toTensor().scalar_type() == kLong));
    BOOST_TEST(contains(Functions("def f(x: Tensor):\n    return x.half()\n").code(), "return torch.to(x, 5)"));
    BOOST_TEST(message([&] { of_torch("relu(x).float(3)", x); }).find("takes no arguments") != std::string::npos);
    BOOST_TEST(message([&] { of_torch("relu(x).bool()", x); }).find("no attribute or method 'bool'") !=
               std::string::npos);
}
BOOST_AUTO_TEST_SUITE_END()
