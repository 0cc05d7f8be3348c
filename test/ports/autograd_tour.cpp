// In libtorch's spelling: what the tape can do, one thing after the other; ends with an error when a number is wrong.
#include <torch/torch.h>

#include <iostream>

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

namespace {

int wrong = 0;
void expect(bool right, const char* what) {
    std::cout << (right ? "right: " : "WRONG: ") << what << '\n';
    wrong += !right;
}

class LinearFunction : public torch::autograd::Function<LinearFunction> {
public:
    static torch::Tensor forward(AutogradContext* ctx, torch::Tensor input, torch::Tensor weight,
                                 torch::Tensor bias = torch::Tensor()) {
        ctx->save_for_backward({input, weight, bias});
        auto output = input.mm(weight.t());
        if (bias.defined()) output += bias.unsqueeze(0).expand_as(output);
        return output;
    }
    static tensor_list backward(AutogradContext* ctx, tensor_list grad_outputs) {
        auto saved = ctx->get_saved_variables();
        auto input = saved[0], weight = saved[1], bias = saved[2];
        auto grad_output = grad_outputs[0];
        auto grad_bias = torch::Tensor();
        if (bias.defined()) grad_bias = grad_output.sum(0);
        return {grad_output.mm(weight), grad_output.t().mm(input), grad_bias};
    }
};

class MulConstant : public torch::autograd::Function<MulConstant> {
public:
    static torch::Tensor forward(AutogradContext* ctx, torch::Tensor tensor, double constant) {
        ctx->saved_data["constant"] = constant;
        return tensor * constant;
    }
    static tensor_list backward(AutogradContext* ctx, tensor_list grad_outputs) {
        return {grad_outputs[0] * ctx->saved_data["constant"].toDouble(), torch::Tensor()};
    }
};

void basic_operations() {
    auto x = torch::ones({2, 2}, torch::requires_grad());
    auto y = x + 2;
    std::cout << y.grad_fn()->name() << std::endl;
    auto z = y * y * 3, out = z.mean();
    expect(!torch::randn({2, 2}).requires_grad(), "nothing requires grad unless it is told to");
    out.backward();
    expect(torch::allclose(x.grad(), torch::full({2, 2}, 4.5)), "d mean(3 (x + 2)^2) / dx is 4.5");

    x = torch::randn(3, torch::requires_grad());
    y = x * 2;
    while (y.norm().item<double>() < 1000) y = y * 2;
    auto v = torch::tensor({0.1, 1.0, 0.0001}, torch::kFloat);
    y.backward(v);
    expect(torch::allclose(x.grad() * x.detach(), y.detach() * v), "a product of a vector and a Jacobian");

    torch::NoGradGuard no_grad;
    expect(!x.pow(2).requires_grad(), "nothing is recorded under NoGradGuard");
}

void higher_order() {
    auto model = torch::nn::Linear(4, 3);
    auto input = torch::randn({3, 4}).requires_grad_(true);
    auto output = model(input);
    auto loss = torch::nn::MSELoss()(output, torch::randn({3, 3}));
    auto grad_output = torch::ones_like(output);
    auto gradient = torch::autograd::grad({output}, {input}, /*grad_outputs=*/{grad_output}, /*retain_graph=*/true,
                                          /*create_graph=*/true)[0];
    auto penalty = torch::pow((gradient.norm(2, /*dim=*/1) - 1), 2).mean();
    auto combined = loss + penalty;
    combined.backward();
    expect(input.grad().defined() && model->weight.grad().defined(), "a penalty of the gradient's norm");
}

void custom_functions() {
    auto x = torch::randn({2, 3}).requires_grad_(), weight = torch::randn({4, 3}).requires_grad_();
    auto y = LinearFunction::apply(x, weight);
    y.sum().backward();
    expect(torch::allclose(x.grad(), weight.detach().sum(0).expand({2, 3})), "a Function with two inputs");
    auto a = torch::randn({2}).requires_grad_();
    MulConstant::apply(a, 5.5).sum().backward();
    expect(torch::allclose(a.grad(), torch::full({2}, 5.5)), "a Function with a constant");
}

void hooks() {
    auto x = torch::ones({2}, torch::requires_grad());
    auto h = x.register_hook([](torch::Tensor grad) { return grad * 2; });
    (x * 3).sum().backward();
    x.remove_hook(h);
    expect(torch::equal(x.grad(), torch::full({2}, 6.0)), "a hook on a tensor");
}

} // namespace

int main() {
    torch::manual_seed(0);
    basic_operations();
    higher_order();
    custom_functions();
    hooks();
    return wrong;
}
