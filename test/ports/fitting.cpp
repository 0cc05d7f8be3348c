// LBFGS, parameter groups, schedules, the state of optimizers.
#include <torch/torch.h>

#include <cmath>
#include <iostream>
#include <memory>
#include <sstream>
#include <vector>

int wrong = 0;
#define EXPECT(x)                                                                                                      \
    if (!(x)) {                                                                                                        \
        std::cerr << "WRONG: line " << __LINE__ << ": " << #x << std::endl;                                            \
        ++wrong;                                                                                                       \
    }

torch::Tensor rosenbrock(const torch::Tensor& p) {
    auto x = p.slice(0, 0, -1), y = p.slice(0, 1);
    return (100 * (y - x.pow(2)).pow(2) + (1 - x).square()).sum();
}

void minimize() {
    auto p = torch::tensor({0.2, 1.0, 0.5, 1.3}, torch::TensorOptions().dtype(torch::kDouble).requires_grad(true));
    torch::optim::LBFGS optimizer({p}, torch::optim::LBFGSOptions(1.0)
                                           .max_iter(20)
                                           .history_size(10)
                                           .line_search_fn("strong_wolfe")
                                           .tolerance_grad(1e-10));
    int evaluations = 0;
    auto closure = [&]() -> torch::Tensor {
        optimizer.zero_grad();
        auto loss = rosenbrock(p);
        loss.backward();
        ++evaluations;
        return loss;
    };
    torch::Tensor loss;
    for (int i = 0; i < 30; ++i) loss = optimizer.step(closure);
    std::cout << "rosenbrock: " << loss.item<double>() << " at " << p.detach() << " after " << evaluations << std::endl;
    EXPECT(torch::allclose(p, torch::ones_like(p), 1e-4, 1e-4));
}

struct PolynomialImpl : torch::nn::Cloneable<PolynomialImpl> {
    explicit PolynomialImpl(int degree_) : degree(degree_) { reset(); }
    void reset() override {
        weights = register_parameter("weights", torch::zeros(degree + 1, torch::kDouble));
        scale = register_buffer("scale", torch::arange(degree + 1, torch::kDouble));
    }
    torch::Tensor forward(const torch::Tensor& x) { return torch::pow(x.unsqueeze(-1), scale).matmul(weights); }
    int degree;
    torch::Tensor weights, scale;
};
TORCH_MODULE(Polynomial);

template <typename OptimizerClass, typename Options> double fit(Options options, int steps) {
    torch::manual_seed(11);
    Polynomial f(3);
    auto x = torch::linspace(-1, 1, 50, torch::kDouble), y = 0.5 - x + 2 * x.pow(3);
    OptimizerClass optimizer(f->parameters(), options);
    torch::Tensor loss;
    for (int i = 0; i < steps; ++i) {
        loss = optimizer.step([&] {
            optimizer.zero_grad();
            auto l = torch::mse_loss(f(x), y);
            l.backward();
            return l;
        });
    }
    return loss.item<double>();
}

void groups() {
    torch::nn::Sequential net(torch::nn::Linear(4, 8), torch::nn::Tanh(), torch::nn::Linear(8, 1));
    std::vector<torch::Tensor> decay, plain;
    for (const auto& pair : net->named_parameters()) {
        if (pair.key().find("bias") != std::string::npos) plain.push_back(pair.value());
        else decay.push_back(pair.value());
    }
    std::vector<torch::optim::OptimizerParamGroup> groups;
    groups.emplace_back(
        decay, std::make_unique<torch::optim::AdamWOptions>(torch::optim::AdamWOptions(0.01).weight_decay(0.1)));
    groups.push_back(torch::optim::OptimizerParamGroup(plain));
    torch::optim::AdamW optimizer(groups, torch::optim::AdamWOptions(0.02).weight_decay(0));
    EXPECT(optimizer.param_groups().size() == 2);
    auto x = torch::randn({16, 4}), y = x.sum(1, /*keepdim=*/true);
    for (int epoch = 0; epoch < 5; ++epoch) {
        for (auto& group : optimizer.param_groups()) {
            auto& options = static_cast<torch::optim::AdamWOptions&>(group.options());
            options.lr(options.lr() * 0.9);
        }
        optimizer.zero_grad();
        auto loss = torch::nn::functional::smooth_l1_loss(net->forward(x), y);
        loss.backward();
        optimizer.step();
    }
    double lr = static_cast<torch::optim::AdamWOptions&>(optimizer.param_groups()[0].options()).lr();
    EXPECT(std::abs(lr - 0.01 * std::pow(0.9, 5)) < 1e-12);
    double other = optimizer.param_groups()[1].options().get_lr();
    optimizer.param_groups()[1].options().set_lr(other / 2);
    EXPECT(optimizer.defaults().get_lr() == 0.02);
    for (auto& group : optimizer.param_groups())
        for (auto& p : group.params()) {
            auto& state = static_cast<torch::optim::AdamWParamState&>(*optimizer.state()[p.unsafeGetTensorImpl()]);
            EXPECT(state.step() == 5);
            EXPECT(state.exp_avg().sizes() == p.sizes());
        }

    std::stringstream stream;
    torch::save(optimizer, stream);
    torch::optim::AdamW again(net->parameters(), torch::optim::AdamWOptions(1));
    std::vector<torch::optim::OptimizerParamGroup> more;
    more.emplace_back(decay);
    more.emplace_back(plain);
    torch::optim::AdamW second(more, torch::optim::AdamWOptions(1));
    torch::load(second, stream);
    EXPECT(static_cast<torch::optim::AdamWOptions&>(second.param_groups()[0].options()).weight_decay() == 0.1);
    EXPECT(second.size() == 4u);

    auto extra = torch::zeros({3}, torch::requires_grad());
    second.add_param_group({{extra}});
    EXPECT(second.param_groups().size() == 3);
    auto clone = std::dynamic_pointer_cast<PolynomialImpl>(Polynomial(2)->clone());
    EXPECT(clone && clone->weights.numel() == 3);
}

int main() {
    minimize();
    std::cout << "sgd " << fit<torch::optim::SGD>(torch::optim::SGDOptions(0.3).momentum(0.9).nesterov(true), 300)
              << " adam " << fit<torch::optim::Adam>(torch::optim::AdamOptions(0.05).amsgrad(true), 600) << " rmsprop "
              << fit<torch::optim::RMSprop>(torch::optim::RMSpropOptions(0.01).centered(true), 600) << " adagrad "
              << fit<torch::optim::Adagrad>(torch::optim::AdagradOptions(0.5).lr_decay(1e-4), 600) << " lbfgs "
              << fit<torch::optim::LBFGS>(torch::optim::LBFGSOptions(1), 10) << std::endl;
    EXPECT(fit<torch::optim::LBFGS>(torch::optim::LBFGSOptions(1), 10) < 1e-8);
    EXPECT(fit<torch::optim::Adam>(torch::optim::AdamOptions(0.05), 600) < 1e-3);
    groups();

    // a plateau and a warm-up written by hand
    torch::nn::Linear line(1, 1);
    torch::optim::SGD sgd(line->parameters(), /*lr=*/0.1);
    torch::optim::ReduceLROnPlateauScheduler plateau(sgd, torch::optim::ReduceLROnPlateauScheduler::SchedulerMode::min,
                                                     0.5f, 2);
    for (int i = 0; i < 10; ++i) plateau.step(1.0f);
    EXPECT(sgd.param_groups()[0].options().get_lr() < 0.1);
    return wrong;
}
