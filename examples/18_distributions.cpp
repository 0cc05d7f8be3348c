// Learning what is not known for certain: a posterior by gradients through its own draws, and one in closed form.
#include <cmath>
#include <cstdio>

#include <reel/distributions.hpp>
#include <reel/reel.hpp>

using namespace reel;
using namespace reel::distributions;

/// A line with noise of known size; the posterior of slope and offset has a closed form, which the learned one must
/// meet.
void variational_regression() {
    const Tensor x = linspace(-1, 1, 40), y = 1.5 * x - 0.5 + 0.3 * randn({40});
    const Tensor design = stack({x, ones_like(x)}, 1);

    const Normal prior(zeros({2}), ones({2}));
    Tensor loc = zeros({2}).requires_grad_(), log_scale = full({2}, -1.0).requires_grad_();
    optim::Adam optimizer({loc, log_scale}, optim::AdamOptions(0.05));
    for (int step = 0; step < 400; ++step) {
        optimizer.zero_grad();
        const Normal posterior(loc, log_scale.exp());
        const Tensor weights = posterior.rsample({16}); // gradients flow through the draws
        const Tensor fit = Normal(weights.matmul(design.t()), 0.3).log_prob(y).sum(-1).mean();
        const Tensor loss = kl_divergence(posterior, prior).sum() - fit; // minus the evidence's lower bound
        loss.backward();
        optimizer.step();
    }

    const Tensor precision = design.t().mm(design) / 0.09 + eye(2);
    const Tensor exact = linalg::solve(precision, design.t().mv(y) / 0.09);
    std::printf("slope  %.3f +- %.3f, exactly %.3f +- %.3f\n", loc[0].item<double>(),
                std::exp(log_scale[0].item<double>()), exact[0].item<double>(),
                1 / std::sqrt(precision[0][0].item<double>()));
    std::printf("offset %.3f +- %.3f, exactly %.3f +- %.3f\n", loc[1].item<double>(),
                std::exp(log_scale[1].item<double>()), exact[1].item<double>(),
                1 / std::sqrt(precision[1][1].item<double>()));
}

/// A density with two humps, fitted by its likelihood.
void fit_a_mixture() {
    const Tensor data = cat({Normal(tensor(-2.f), 0.5).sample({300}), Normal(tensor(1.f), 1.0).sample({700})});
    Tensor logits = zeros({2}).requires_grad_(), loc = tensor({-0.5f, 0.5f}).requires_grad_(),
           log_scale = zeros({2}).requires_grad_();
    optim::Adam optimizer({logits, loc, log_scale}, optim::AdamOptions(0.05));
    for (int step = 0; step < 300; ++step) {
        optimizer.zero_grad();
        const MixtureSameFamily mixture(Categorical::from_logits(logits), Normal(loc, log_scale.exp()));
        (-mixture.log_prob(data).mean()).backward();
        optimizer.step();
    }
    std::printf("mixture: %.0f%% at %.2f, %.0f%% at %.2f\n", 100 * logits.softmax(0)[0].item<double>(),
                loc[0].item<double>(), 100 * logits.softmax(0)[1].item<double>(), loc[1].item<double>());
}

int main() {
    manual_seed(0);
    variational_regression();
    fit_a_mixture();

    // seven heads in ten throws, from a flat prior
    const Beta posterior(tensor(1.f + 7), tensor(1.f + 3));
    std::printf("P(heads) is %.3f +- %.3f\n", posterior.mean().item<double>(), posterior.stddev().item<double>());

    // what is not there is made: a distribution on positive numbers
    const TransformedDistribution positive(std::make_shared<Normal>(tensor(0.f), 1.0),
                                           std::make_shared<SoftplusTransform>());
    std::printf("softplus of a normal: median %.3f\n", positive.icdf(tensor(0.5f)).item<double>());
}
