// Distributions against what torch.distributions and torchrl computed, in both dtypes.
#include "reference_cases.hpp"

#include <reel/autograd/backward.hpp>
#include <reel/autograd/random.hpp>
#include <reel/distributions/bernoulli.hpp>
#include <reel/distributions/independent.hpp>
#include <reel/distributions/normal.hpp>
#include <reel/distributions/one_hot_categorical.hpp>
#include <reel/distributions/tanh_normal.hpp>
#include <reel/rl/modules/normal_param_extractor.hpp>

using namespace reel;
using namespace reel::testing;
using namespace reel::distributions;

namespace {

struct Leaves {
    std::vector<std::string> names;
    std::vector<Tensor> tensors;
    Tensor operator[](const std::string& name) const {
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == name) return tensors[i];
        return {};
    }
};
Leaves leaves_of(const Case& c, ScalarType dtype, const std::string& prefix = "") {
    Leaves r;
    for (const char* name : {"loc", "scale", "logits", "probs"}) {
        const auto found = c.find(prefix + name);
        if (found == c.end()) continue;
        r.names.push_back(name);
        r.tensors.push_back(found->second.to(dtype).clone().requires_grad_());
    }
    return r;
}
DistributionPtr make(const std::string& name, const Leaves& p) {
    const std::string kind = name.substr(0, name.find('.'));
    const auto variant = [&](const char* text) { return name == kind + "." + text; };
    if (kind == "Normal") return std::make_shared<Normal>(p["loc"], p["scale"]);
    if (kind == "Categorical") return std::make_shared<Categorical>(p["probs"], p["logits"]);
    if (kind == "OneHotCategorical") return std::make_shared<OneHotCategorical>(p["probs"], p["logits"]);
    if (kind == "Bernoulli") return std::make_shared<Bernoulli>(p["probs"], p["logits"]);
    if (kind == "Independent") return std::make_shared<Independent>(Normal(p["loc"], p["scale"]), 1);
    BOOST_REQUIRE_EQUAL(kind, "TanhNormal");
    TanhNormalOptions o;
    if (variant("bounds")) o.low(tensor(-2.0)).high(tensor(0.5));
    if (variant("tanh_loc")) o.tanh_loc(true).event_dims(0);
    return std::make_shared<TanhNormal>(p["loc"], p["scale"], o);
}

struct Tolerance {
    double rtol, atol;
};

void check_case(const std::string& name, const Case& c, ScalarType dtype) {
    const bool wide = dtype == kDouble;
    const Tolerance t = wide ? Tolerance{1e-9, 1e-12} : Tolerance{2e-5, 2e-5};
    const Leaves p = leaves_of(c, dtype);
    const DistributionPtr d = make(name, p);
    Tensor value = c.at("value");
    if (value.is_floating_point()) value = value.to(dtype);
    const std::string label = name + (wide ? " float64 " : " float32 ");

    const Tensor log_prob = d->log_prob(value);
    check_close(log_prob, c.at("log_prob"), t.rtol, t.atol, label + "log_prob");
    const Tensor weights = linspace(0.5, 1.5, log_prob.numel(), TensorOptions(dtype)).view(log_prob.sizes());
    (log_prob.masked_fill(log_prob.isinf(), 0) * weights).sum().backward();
    for (std::size_t i = 0; i < p.names.size(); ++i) {
        const Tensor wanted = c.at("log_prob_grad_" + p.names[i]);
        const double scale = std::min(1e4, wanted.abs().max().item<double>());
        check_close(p.tensors[i].grad(), wanted, 10 * t.rtol, t.atol * (1 + scale), label + "gradient of log_prob");
    }
    if (c.count("mean")) check_close(d->mean(), c.at("mean"), t.rtol, t.atol, label + "mean");
    if (c.count("variance")) {
        const double deep = c.at("variance").min().item<double>() < 1e-30 && !wide ? 0 : t.rtol; // below float32
        if (deep > 0) check_close(d->variance(), c.at("variance"), t.rtol, t.atol, label + "variance");
    }
    if (c.count("deterministic_sample"))
        check_close(d->deterministic_sample(), c.at("deterministic_sample"), t.rtol, t.atol, label + "deterministic");
    if (c.count("cdf")) check_close(d->cdf(value), c.at("cdf"), t.rtol, t.atol, label + "cdf");
    if (c.count("entropy")) {
        for (const Tensor& leaf : p.tensors) leaf.mutable_grad() = Tensor();
        const Tensor entropy = make(name, p)->entropy(); // the first one's graph is used up
        check_close(entropy, c.at("entropy"), t.rtol, t.atol, label + "entropy");
        entropy.sum().backward();
        for (std::size_t i = 0; i < p.names.size(); ++i)
            if (const auto wanted = c.find("entropy_grad_" + p.names[i]); wanted != c.end())
                check_close(p.tensors[i].grad(), wanted->second, 10 * t.rtol, 2 * t.atol,
                            label + "gradient of the entropy");
    }
    if (wide) return;
    manual_seed(7);
    const Tensor sample = d->sample({3});
    check_close(sample, c.at("sample"), 2e-6, 2e-6, label + "sample");
    BOOST_CHECK(!sample.requires_grad());
}

} // namespace

BOOST_AUTO_TEST_SUITE(distributions_reference)

BOOST_AUTO_TEST_CASE(values_gradients_and_streams) {
    int checked = 0;
    for (const auto& [name, c] : reference_cases("rl/data/distributions.safetensors")) {
        if (name.starts_with("kl.") || name.starts_with("extractor.")) continue;
        check_case(name, c, kDouble);
        check_case(name, c, kFloat);
        ++checked;
    }
    BOOST_TEST(checked == 14);
}

BOOST_AUTO_TEST_CASE(divergences) {
    int checked = 0;
    for (const auto& [name, c] : reference_cases("rl/data/distributions.safetensors")) {
        if (!name.starts_with("kl.")) continue;
        const Leaves p = leaves_of(c, kDouble, "p_"), q = leaves_of(c, kDouble, "q_");
        const Tensor r = kl_divergence(*make(name.substr(3), p), *make(name.substr(3), q));
        check_close(r, c.at("kl"), 1e-9, 1e-12, name);
        r.sum().backward();
        int i = 0;
        for (const Leaves& leaves : {p, q})
            for (const Tensor& leaf : leaves.tensors)
                check_close(leaf.grad(), c.at("grad_" + std::to_string(i++)), 1e-9, 1e-12, name + " gradient");
        ++checked;
    }
    BOOST_TEST(checked == 5);
}

BOOST_AUTO_TEST_CASE(mappings_of_the_scale) {
    int checked = 0;
    for (const auto& [name, c] : reference_cases("rl/data/distributions.safetensors")) {
        if (!name.starts_with("extractor.")) continue;
        rl::NormalParamExtractor extractor(
            rl::NormalParamExtractorOptions().scale_mapping(name.substr(10)).scale_lb(0.02));
        const auto [loc, scale] = extractor(c.at("input"));
        check_close(loc, c.at("loc"), 0, 0, name);
        check_close(scale, c.at("scale"), 1e-7, 0, name); // the package's bias is a float32
        ++checked;
    }
    BOOST_TEST(checked == 7);
}

BOOST_AUTO_TEST_SUITE_END()
