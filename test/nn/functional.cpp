// Functional forms: each is its layer with the same options, and what an option says reaches the op.
#include <reel/nn/functional.hpp>

#include <boost/test/unit_test.hpp>

#include "testing.hpp"

#include <reel/nn/functional/activation.hpp>
#include <reel/nn/functional/distance.hpp>
#include <reel/nn/functional/loss.hpp>
#include <reel/nn/functional/normalization.hpp>
#include <reel/nn/functional/pooling.hpp>
#include <reel/nn/functional/vision.hpp>

using namespace reel;
namespace F = nn::functional;
using reel::testing::has;
using reel::testing::message_of;

namespace {
bool same(const Tensor& a, const Tensor& b) {
    return a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type() && equal(a, b);
}
/// Values, and the gradient of the first input, of both forms.
template <class A, class B> void agree(const char* name, const A& twin, const B& layer, Tensor x) {
    BOOST_TEST_CONTEXT(name) {
        x = x.detach().clone().requires_grad_();
        const Tensor y = twin(x), z = layer(x);
        BOOST_TEST(same(y, z));
        BOOST_TEST(same(autograd::grad({y.sum()}, {x})[0], autograd::grad({z.sum()}, {x})[0]));
    }
}
} // namespace

BOOST_AUTO_TEST_SUITE(functional)

BOOST_AUTO_TEST_CASE(activations_are_their_layers) {
    const Tensor x = randn({3, 4}, kDouble) * 3;
    agree(
        "selu", [](auto& t) { return F::selu(t); }, nn::SELU(), x);
    agree(
        "relu6", [](auto& t) { return F::relu6(t); }, nn::ReLU6(), x);
    agree(
        "celu", [](auto& t) { return F::celu(t, F::CELUFuncOptions().alpha(0.3)); },
        nn::CELU(nn::CELUOptions().alpha(0.3)), x);
    agree(
        "mish", [](auto& t) { return F::mish(t); }, nn::Mish(), x);
    agree(
        "hardsigmoid", [](auto& t) { return F::hardsigmoid(t); }, nn::Hardsigmoid(), x);
    agree(
        "hardswish", [](auto& t) { return F::hardswish(t); }, nn::Hardswish(), x);
    agree(
        "hardtanh", [](auto& t) { return F::hardtanh(t, F::HardtanhFuncOptions().min_val(-2).max_val(0.5)); },
        nn::Hardtanh(nn::HardtanhOptions().min_val(-2).max_val(0.5)), x);
    agree(
        "hardshrink", [](auto& t) { return F::hardshrink(t, F::HardshrinkFuncOptions(1.2)); },
        nn::Hardshrink(nn::HardshrinkOptions(1.2)), x);
    agree(
        "softshrink", [](auto& t) { return F::softshrink(t, F::SoftshrinkFuncOptions(1.2)); },
        nn::Softshrink(nn::SoftshrinkOptions(1.2)), x);
    agree(
        "threshold", [](auto& t) { return F::threshold(t, F::ThresholdFuncOptions(0.5, 7)); },
        nn::Threshold(nn::ThresholdOptions(0.5, 7)), x);
    agree(
        "glu", [](auto& t) { return F::glu(t, 0 + 1); }, nn::GLU(nn::GLUOptions(1)), x);
    agree(
        "softmin", [](auto& t) { return F::softmin(t, 1); }, nn::Softmin(nn::SoftminOptions(1)), x);
    nn::PReLU layer;
    const Tensor weight = layer->weight.detach().to(kDouble);
    BOOST_TEST(same(F::prelu(x, weight), where(x > 0, x, x * 0.25)));
}
BOOST_AUTO_TEST_CASE(rrelu_draws_in_training_alone) {
    const Tensor x = -ones({200}, kDouble);
    const auto o = F::RReLUFuncOptions().lower(0.1).upper(0.3);
    BOOST_TEST(allclose(F::rrelu(x, o), full({200}, -0.2, kDouble)));
    const Tensor drawn = F::rrelu(x, F::RReLUFuncOptions(o).training(true));
    BOOST_TEST((drawn.min().item<double>() >= -0.3 && drawn.max().item<double>() <= -0.1));
    BOOST_TEST(drawn.std().item<double>() > 0.01);
}
BOOST_AUTO_TEST_CASE(in_place_is_the_input_itself) {
    const Tensor x = tensor({-2., 1., 8.});
    BOOST_TEST(F::relu6(x, true).is_same(x));
    BOOST_TEST(same(x, tensor({0., 1., 6.})));
    BOOST_TEST(F::threshold(x, F::ThresholdFuncOptions(2, -1).inplace(true)).is_same(x));
    BOOST_TEST(same(x, tensor({-1., -1., 6.})));
}
BOOST_AUTO_TEST_CASE(hardtanh_refuses_an_empty_range) {
    BOOST_TEST(has(message_of<ValueError>([] { F::hardtanh(ones(2), F::HardtanhFuncOptions().min_val(2).max_val(1)); }),
                   {"hardtanh: min_val 2", "above max_val 1"}));
    const Tensor x = tensor({0., 1., 3.}, kDouble).requires_grad_(); // bounds may be equal in the functional form
    const Tensor y = F::hardtanh(x, F::HardtanhFuncOptions().min_val(1).max_val(1));
    BOOST_TEST(same(y, ones({3}, kDouble)));
    y.sum().backward();
    BOOST_TEST(same(x.grad(), zeros({3}, kDouble)));
    BOOST_CHECK_THROW(nn::Hardtanh(nn::HardtanhOptions().min_val(1).max_val(1)), ValueError);
}

BOOST_AUTO_TEST_CASE(distances_are_their_layers) {
    const Tensor x = randn({4, 3}, kDouble), y = randn({4, 3}, kDouble), z = randn({4, 3}, kDouble);
    agree(
        "cosine_similarity",
        [&](auto& t) { return F::cosine_similarity(t, y, F::CosineSimilarityFuncOptions().dim(0)); },
        [&](auto& t) { return nn::CosineSimilarity(nn::CosineSimilarityOptions().dim(0))(t, y); }, x);
    agree(
        "pairwise_distance",
        [&](auto& t) { return F::pairwise_distance(t, y, F::PairwiseDistanceFuncOptions().p(1).keepdim(true)); },
        [&](auto& t) { return nn::PairwiseDistance(nn::PairwiseDistanceOptions().p(1).keepdim(true))(t, y); }, x);
    BOOST_TEST(allclose(F::pdist(tensor({{0., 0.}, {3., 4.}, {6., 8.}})), tensor({5., 10., 5.})));
    BOOST_TEST(allclose(F::pdist(tensor({{0., 0.}, {3., 4.}}), 1), tensor({7.})));
    agree(
        "triplet_margin_loss",
        [&](auto& t) {
            return F::triplet_margin_loss(t, y, z, F::TripletMarginLossFuncOptions().margin(2).swap(true));
        },
        [&](auto& t) { return nn::TripletMarginLoss(nn::TripletMarginLossOptions().margin(2).swap(true))(t, y, z); },
        x);
}
BOOST_AUTO_TEST_CASE(triplet_loss_is_its_formula) {
    const Tensor a = randn({4, 3}, kDouble).requires_grad_(), p = randn({4, 3}, kDouble).requires_grad_(),
                 n = randn({4, 3}, kDouble).requires_grad_();
    const auto distance = [](const Tensor& s, const Tensor& t, double norm) {
        return (s - t + 1e-6).abs().pow(norm).sum(1).pow(1 / norm);
    };
    for (const double norm : {1., 2., 3.})
        for (const bool swap : {false, true}) {
            const auto o = F::TripletMarginLossFuncOptions().margin(1.5).p(norm).swap(swap).reduction(kNone);
            Tensor apart = distance(a, n, norm);
            if (swap) apart = minimum(apart, distance(p, n, norm));
            const Tensor wanted = clamp_min(distance(a, p, norm) - apart + 1.5, 0);
            BOOST_TEST(allclose(F::triplet_margin_loss(a, p, n, o), wanted), norm << (swap ? ", swapped" : ""));
            auto mean = o, sum = o;
            BOOST_TEST(allclose(F::triplet_margin_loss(a, p, n, mean.reduction(kMean)), wanted.mean()));
            BOOST_TEST(allclose(F::triplet_margin_loss(a, p, n, sum.reduction(kSum)), wanted.sum()));
            const auto loss = [&](const autograd::variable_list& in) -> autograd::variable_list {
                return {F::triplet_margin_loss(in[0], in[1], in[2], o)};
            };
            BOOST_TEST(autograd::gradcheck(loss, {a, p, n}));
        }
    // a single triplet has no batch
    BOOST_TEST(allclose(F::triplet_margin_loss(a[0], p[0], n[0]),
                        F::triplet_margin_loss(a[0].unsqueeze(0), p[0].unsqueeze(0), n[0].unsqueeze(0))));
    BOOST_TEST(message_of<Error>([&] { F::triplet_margin_loss(a, p, n[0]); }).find("dim") != std::string::npos);
}
BOOST_AUTO_TEST_CASE(triplet_loss_takes_any_distance) {
    const Tensor a = randn({4, 3}, kDouble), p = randn({4, 3}, kDouble), n = randn({4, 3}, kDouble);
    const auto taxi = [](const Tensor& s, const Tensor& t) { return (s - t).abs().sum(1); };
    const auto o = F::TripletMarginWithDistanceLossFuncOptions().distance_function(taxi).margin(3).reduction(kNone);
    BOOST_TEST(allclose(F::triplet_margin_with_distance_loss(a, p, n, o), clamp_min(taxi(a, p) - taxi(a, n) + 3, 0)));
    BOOST_TEST(allclose(F::triplet_margin_with_distance_loss(a, p, n), F::triplet_margin_loss(a, p, n)));
    nn::TripletMarginWithDistanceLoss held;
    int calls = 0;
    held->get_submodule("distance_function")->register_forward_pre_hook([&](nn::Module&, const Args&) { ++calls; });
    BOOST_TEST(allclose(held(a, p, n), F::triplet_margin_with_distance_loss(a, p, n)));
    BOOST_TEST(calls == 2); // the submodule's hooks see both pairs
}

BOOST_AUTO_TEST_CASE(losses_are_their_layers) {
    const Tensor x = rand({4, 3}, kDouble), y = rand({4, 3}, kDouble), sign = tensor({1., -1., 1., -1.}).to(kDouble);
    const Tensor classes = tensor({0, 2, 1, 2}), weight = tensor({1., 2., 3.}).to(kDouble);
    const Tensor bits = (rand({4, 3}) > 0.5).to(kDouble), signs = bits * 2 - 1;
    agree(
        "hinge_embedding_loss",
        [&](auto& t) { return F::hinge_embedding_loss(t, signs, F::HingeEmbeddingLossFuncOptions().margin(0.4)); },
        [&](auto& t) { return nn::HingeEmbeddingLoss(nn::HingeEmbeddingLossOptions().margin(0.4))(t, signs); }, x);
    agree(
        "cosine_embedding_loss",
        [&](auto& t) { return F::cosine_embedding_loss(t, y, sign, F::CosineEmbeddingLossFuncOptions().margin(0.2)); },
        [&](auto& t) { return nn::CosineEmbeddingLoss(nn::CosineEmbeddingLossOptions().margin(0.2))(t, y, sign); }, x);
    agree(
        "margin_ranking_loss",
        [&](auto& t) { return F::margin_ranking_loss(t, y, signs, F::MarginRankingLossFuncOptions().reduction(kSum)); },
        [&](auto& t) { return nn::MarginRankingLoss(nn::MarginRankingLossOptions().reduction(kSum))(t, y, signs); }, x);
    agree(
        "multi_margin_loss",
        [&](auto& t) { return F::multi_margin_loss(t, classes, F::MultiMarginLossFuncOptions().p(2).weight(weight)); },
        [&](auto& t) { return nn::MultiMarginLoss(nn::MultiMarginLossOptions().p(2).weight(weight))(t, classes); }, x);
    const Tensor labels = tensor({{2, 0, -1}, {1, -1, 0}, {0, -1, -1}, {-1, 0, 0}});
    agree(
        "multilabel_margin_loss", [&](auto& t) { return F::multilabel_margin_loss(t, labels, kNone); },
        [&](auto& t) { return nn::MultiLabelMarginLoss(nn::MultiLabelMarginLossOptions(kNone))(t, labels); }, x);
    agree(
        "soft_margin_loss", [&](auto& t) { return F::soft_margin_loss(t, signs, kSum); },
        [&](auto& t) { return nn::SoftMarginLoss(nn::SoftMarginLossOptions(kSum))(t, signs); }, x);
    agree(
        "multilabel_soft_margin_loss",
        [&](auto& t) {
            return F::multilabel_soft_margin_loss(t, bits, F::MultilabelSoftMarginLossFuncOptions().weight(weight));
        },
        [&](auto& t) {
            return nn::MultiLabelSoftMarginLoss(nn::MultiLabelSoftMarginLossOptions().weight(weight))(t, bits);
        },
        x);
    agree(
        "poisson_nll_loss",
        [&](auto& t) { return F::poisson_nll_loss(t, y, F::PoissonNLLLossFuncOptions().log_input(false).full(true)); },
        [&](auto& t) { return nn::PoissonNLLLoss(nn::PoissonNLLLossOptions().log_input(false).full(true))(t, y); }, x);
    agree(
        "gaussian_nll_loss",
        [&](auto& t) { return F::gaussian_nll_loss(t, y, x + 1, F::GaussianNLLLossFuncOptions().full(true)); },
        [&](auto& t) { return nn::GaussianNLLLoss(nn::GaussianNLLLossOptions().full(true))(t, y, x + 1); }, x);
}
BOOST_AUTO_TEST_CASE(alignments_take_their_blank) {
    const Tensor x = log_softmax(randn({6, 2, 4}, kDouble), 2), targets = tensor({{0, 1}, {2, 1}});
    const Tensor in = tensor({6, 5}), lengths = tensor({2, 2});
    const auto o = F::CTCLossFuncOptions().blank(3).reduction(kSum);
    agree(
        "ctc_loss", [&](auto& t) { return F::ctc_loss(t, targets, in, lengths, o); },
        [&](auto& t) { return nn::CTCLoss(o)(t, targets, in, lengths); }, x);
    BOOST_TEST(!allclose(F::ctc_loss(x, targets, in, lengths, o),
                         F::ctc_loss(x, targets, in, lengths, F::CTCLossFuncOptions().reduction(kMean).blank(3))));
}

BOOST_AUTO_TEST_CASE(instance_norm_reads_or_updates_what_it_is_given) {
    const Tensor x = randn({2, 3, 5}, kDouble), weight = rand({3}, kDouble), bias = rand({3}, kDouble);
    const Tensor alone = F::instance_norm(x);
    BOOST_TEST(allclose(alone.mean(2), zeros({2, 3}, kDouble)));
    BOOST_TEST(allclose(F::instance_norm(x, F::InstanceNormFuncOptions().weight(weight).bias(bias)),
                        alone * weight.view({3, 1}) + bias.view({3, 1})));
    const Tensor mean = zeros({3}, kDouble), var = ones({3}, kDouble);
    F::instance_norm(x, F::InstanceNormFuncOptions().running_mean(mean).running_var(var).momentum(1));
    BOOST_TEST(allclose(mean, x.mean(IntArrayRef{0, 2})));
    const Tensor read = F::instance_norm(
        x, F::InstanceNormFuncOptions().running_mean(mean).running_var(var).use_input_stats(false).eps(0));
    BOOST_TEST(allclose(read, (x - mean.view({3, 1})) / var.view({3, 1}).sqrt()));
}
BOOST_AUTO_TEST_CASE(local_response_norm_is_its_layer) {
    const auto o = F::LocalResponseNormFuncOptions(2).alpha(0.3).beta(0.5).k(2);
    agree(
        "local_response_norm", [&](auto& t) { return F::local_response_norm(t, o); }, nn::LocalResponseNorm(o),
        randn({2, 4, 3}, kDouble));
}
BOOST_AUTO_TEST_CASE(normalize_writes_where_it_is_told) {
    const Tensor x = randn({3, 4}, kDouble), out = empty({0}, kDouble);
    BOOST_TEST(F::normalize(x, F::NormalizeFuncOptions().p(1).dim(0).out(out)).is_same(out));
    BOOST_TEST(same(out, F::normalize(x, F::NormalizeFuncOptions().p(1).dim(0))));
}

BOOST_AUTO_TEST_CASE(maximum_pools_and_back) {
    const Tensor x = randn({1, 2, 8}, kDouble);
    agree(
        "adaptive_max_pool1d", [](auto& t) { return F::adaptive_max_pool1d(t, F::AdaptiveMaxPool1dFuncOptions(3)); },
        nn::AdaptiveMaxPool1d(3), x);
    agree(
        "adaptive_max_pool2d",
        [](auto& t) {
            return F::adaptive_max_pool2d(t, F::AdaptiveMaxPool2dFuncOptions({2, 3}));
        },
        nn::AdaptiveMaxPool2d(nn::AdaptiveMaxPool2dOptions({2, 3})), randn({1, 2, 5, 6}, kDouble));
    agree(
        "adaptive_max_pool3d", [](auto& t) { return F::adaptive_max_pool3d(t, F::AdaptiveMaxPool3dFuncOptions(2)); },
        nn::AdaptiveMaxPool3d(2), randn({1, 2, 4, 5, 6}, kDouble));
    const auto [largest, where] = F::adaptive_max_pool1d_with_indices(x, F::AdaptiveMaxPool1dFuncOptions(4));
    BOOST_TEST(same(gather(x, 2, where), largest));
    const auto [pooled, places] = F::max_pool1d_with_indices(x, F::MaxPool1dFuncOptions(2));
    const Tensor back = F::max_unpool1d(pooled, places, F::MaxUnpool1dFuncOptions(2));
    BOOST_TEST((back.sizes() == x.sizes() && same(gather(back, 2, places), pooled)));
    BOOST_TEST((back != 0).sum().item<std::int64_t>() == pooled.numel());
    const auto wide = F::MaxUnpool1dFuncOptions(2).output_size(std::vector<std::int64_t>{9});
    BOOST_TEST(F::max_unpool1d(pooled, places, wide).size(2) == 9);
    const auto [flat, at] = F::max_pool2d_with_indices(ones({1, 1, 4, 4}), F::MaxPool2dFuncOptions(2));
    BOOST_TEST(same(F::max_unpool2d(flat, at, F::MaxUnpool2dFuncOptions(2)), nn::MaxUnpool2d(2)(flat, at)));
    const auto [deep, in] = F::max_pool3d_with_indices(ones({1, 1, 4, 4, 4}), F::MaxPool3dFuncOptions(2));
    BOOST_TEST(same(F::max_unpool3d(deep, in, F::MaxUnpool3dFuncOptions(2).stride(2).padding(0)),
                    nn::MaxUnpool3d(2)(deep, in)));
}

BOOST_AUTO_TEST_CASE(images_are_rearranged_as_by_their_layers) {
    const Tensor x = randn({1, 4, 6, 6}, kDouble);
    agree(
        "pixel_shuffle", [](auto& t) { return F::pixel_shuffle(t, 2); }, nn::PixelShuffle(2), x);
    agree(
        "pixel_unshuffle", [](auto& t) { return F::pixel_unshuffle(t, 2); }, nn::PixelUnshuffle(2), x);
    agree(
        "channel_shuffle", [](auto& t) { return F::channel_shuffle(t, 2); }, nn::ChannelShuffle(2), x);
    const auto patches = F::UnfoldFuncOptions(3).padding(1).stride(2).dilation(1);
    agree(
        "unfold", [&](auto& t) { return F::unfold(t, patches); }, nn::Unfold(patches), x);
    const auto image = F::FoldFuncOptions(6, 3).padding(1).stride(2);
    agree(
        "fold", [&](auto& t) { return F::fold(t, image); }, nn::Fold(image), F::unfold(x, patches));
}
BOOST_AUTO_TEST_CASE(interpolate_is_upsample) {
    const Tensor x = randn({1, 2, 6, 6}, kDouble);
    const auto o = nn::UpsampleOptions().scale_factor(std::vector<double>{2, 3}).mode(kBilinear).align_corners(true);
    agree(
        "interpolate", [&](auto& t) { return F::interpolate(t, o); }, nn::Upsample(o), x);
    const auto small = F::InterpolateFuncOptions().size(std::vector<std::int64_t>{2, 2}).mode(kBilinear);
    BOOST_TEST(same(F::interpolate(x, small), nn::Upsample(nn::UpsampleOptions().size({{2, 2}}).mode(kBilinear))(x)));
    const auto exact = F::InterpolateFuncOptions().size(std::vector<std::int64_t>{2, 2}).mode(kNearestExact);
    const auto off = F::InterpolateFuncOptions(exact).align_corners(false);
    BOOST_TEST(same(F::interpolate(x, off), F::interpolate(x, exact))); // as libtorch's programs say it
    const auto wrong = F::InterpolateFuncOptions(exact).antialias(true);
    BOOST_TEST(message_of<ValueError>([&] { F::interpolate(x, wrong); }) ==
               "interpolate: antialias applies to the modes bilinear and bicubic, not to 'nearest-exact'");
}
BOOST_AUTO_TEST_CASE(antialias_averages_as_wide_as_a_step) { // values: PyTorch
    const Tensor x = (arange(48, kDouble) * 0.7).sin().view({1, 1, 6, 8}).requires_grad_();
    using sizes = std::vector<std::int64_t>;
    const auto given = [](F::InterpolateFuncOptions o) { return o.antialias(true); };
    const auto check = [&](const F::InterpolateFuncOptions& o, std::vector<double> values, double gradient) {
        const Tensor y = F::interpolate(x, o), g = autograd::grad({y.square().sum()}, {x})[0];
        BOOST_TEST(allclose(y.flatten(), tensor(values, kDouble), 0, 1e-11));
        BOOST_TEST(std::abs(g.abs().sum().item<double>() - gradient) < 1e-10);
        BOOST_TEST(allclose(F::interpolate(x.to(kFloat), o).to(kDouble), y, 1e-5, 1e-5));
    };
    const auto two_by_three = F::InterpolateFuncOptions().size(sizes{2, 3});
    check(given(two_by_three).mode(kBilinear),
          {-0.053790737091, 0.588820803281, -0.107686203659, -0.626825685348, -0.075625144319, 0.647564960999},
          3.411187899002);
    check(given(two_by_three).mode(kBicubic),
          {-0.087816760035, 0.707807364595, -0.190497333921, -0.704276578788, -0.110679530274, 0.747796432817},
          4.518130714446);
    check(given(two_by_three).mode(kBicubic).align_corners(true),
          {-0.191174815335, 0.358459666918, -0.039350583575, -0.767059271372, 0.174006655505, 1.254133977815},
          6.449576695791);
    check(given(F::InterpolateFuncOptions().scale_factor(std::vector<double>{0.4, 0.4})).mode(kBilinear),
          {0.010955886208, 0.643794928154, -0.111805461506, -0.646418943345, 0.032451191701, 0.608186716125},
          3.429344837433);
    check(given(F::InterpolateFuncOptions().size(sizes{1, 1})).mode(kBilinear).align_corners(true), {0.0}, 0.0);
    const auto larger = given(F::InterpolateFuncOptions().size(sizes{7, 3})).mode(kBicubic); // one way only
    BOOST_TEST(std::abs(autograd::grad({F::interpolate(x, larger).square().sum()}, {x})[0].abs().sum().item<double>() -
                        21.479630057666) < 1e-10);
}
BOOST_AUTO_TEST_CASE(grid_sample_reads_by_its_modes) {
    const Tensor x = tensor({1., 2., 3., 4.}).view({1, 1, 2, 2}), grid = tensor({0.2, 0.2, 3., 0.}).view({1, 1, 2, 2});
    const auto read = [&](F::GridSampleFuncOptions o) {
        return F::grid_sample(x, grid, o.align_corners(true)).view({2});
    };
    BOOST_TEST(allclose(read(F::GridSampleFuncOptions()), tensor({2.8, 0.})));
    BOOST_TEST(allclose(read(F::GridSampleFuncOptions().mode(kNearest)), tensor({4., 0.})));
    BOOST_TEST(allclose(read(F::GridSampleFuncOptions().padding_mode(kBorder)), tensor({2.8, 3.})));
    BOOST_TEST(!allclose(read(F::GridSampleFuncOptions().mode(kBicubic)), tensor({2.8, 0.})));
}

BOOST_AUTO_TEST_SUITE_END()
