// An optimizer of one's own: options, what it remembers of a parameter, one update. State dicts, groups and schedules
// follow from that.
#include <cstdio>

#include <reel/optim/factory.hpp>
#include <reel/optim/optimizer_of.hpp>
#include <reel/reel.hpp>

#include "device.hpp"

using namespace reel;

/// Lion (X. Chen et al., 2023): the sign of a mixture of gradient and average.
class LionOptions : public optim::OptimizerCloneableOptions<LionOptions> {
public:
    using betas_t = std::tuple<double, double>;
    LionOptions() = default;
    LionOptions(double lr) { this->lr(lr); }
    void fields(optim::FieldVisitor& v) override { // names and order of state dicts
        v("lr", lr_);
        v("betas", betas_);
        v("weight_decay", weight_decay_);
    }
    void check() const override {
        REEL_CHECK_VALUE(lr() >= 0, "Lion: lr is ", lr(), "; expected a number that is not negative");
    }
    REEL_OPTION(double, lr) = 1e-4;
    REEL_OPTION(betas_t, betas) = betas_t(0.9, 0.99);
    REEL_OPTION(double, weight_decay) = 0;
};
/// What it remembers of one parameter.
class LionParamState : public optim::OptimizerCloneableParamState<LionParamState> {
public:
    void fields(optim::FieldVisitor& v) override { v("exp_avg", exp_avg_); }
    REEL_STATE(Tensor, exp_avg);
};
/// p -= lr (sign(beta1 m + (1 - beta1) g) + weight_decay p);  m = beta2 m + (1 - beta2) g
class Lion : public optim::OptimizerOf<LionOptions, LionParamState> {
public:
    static constexpr const char* class_name = "Lion";
    using OptimizerOf::OptimizerOf;

protected:
    void update_parameter(const Tensor& p, const Tensor& g, LionParamState& s, const LionOptions& o) override {
        if (!s.exp_avg().defined()) s.exp_avg(zeros_like(p));
        const auto [beta1, beta2] = o.betas();
        if (o.weight_decay() != 0) p.mul_(1 - o.lr() * o.weight_decay());
        p.add_(sign(lerp(g, s.exp_avg(), beta1)), -o.lr());
        s.exp_avg().lerp_(g, 1 - beta2);
    }
};
const bool registered = optim::register_optimizer<Lion>(); // by name, as checkpoints and configurations have it

int main(int argc, char** argv) {
    const Device device = device_of(argc, argv);
    manual_seed(0);
    const Tensor x = randn({256, 8}).to(device), y = x.matmul(randn({8, 1}).to(device));
    const auto fit = [&](optim::Optimizer& optimizer, const nn::Linear& model, int steps) {
        double last = 0;
        for (int i = 0; i < steps; ++i) {
            optimizer.zero_grad();
            const Tensor loss = mse_loss(model(x), y);
            loss.backward();
            optimizer.step();
            last = loss.item<double>();
        }
        return last;
    };
    nn::Linear model(8, 1);
    model->to(device);
    Lion lion(model->parameters(), LionOptions(0.02).weight_decay(1e-3));
    optim::StepLR schedule(lion, /*step_size=*/1, /*gamma=*/0.5);
    const double first = fit(lion, model, 1), later = fit(lion, model, 99);
    schedule.step();
    std::printf("loss %.3f, after 100 steps %.3f; the rate is %.2f now\n", first, later,
                lion.param_groups()[0].options().get_lr());

    // By its name, and going on from a state dict, as every optimizer does.
    nn::Linear twin = model.clone();
    const auto again = optim::make_optimizer("Lion", twin->parameters(), {{"lr", 0.02}});
    again->load_state_dict(lion.state_dict());
    const double here = fit(lion, model, 20), there = fit(*again, twin, 20);
    std::printf("20 steps more: %.6f here, %.6f from the state dict\n", here, there);
    return later < first && here == there ? 0 : 1;
}
