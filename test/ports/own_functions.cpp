// Functions of our own on the tape: several outputs, saved tensors, in-place work, derivatives of derivatives.
#include <torch/torch.h>

#include <cmath>
#include <iostream>

using namespace torch::autograd;

int wrong = 0;
const auto options = torch::dtype(torch::kFloat64).requires_grad(true);
#define EXPECT(x)                                                                                                      \
    if (!(x)) {                                                                                                        \
        std::cerr << "WRONG: line " << __LINE__ << ": " << #x << std::endl;                                            \
        ++wrong;                                                                                                       \
    }

// exp whose backward uses its own output
struct MyExp : public Function<MyExp> {
    static Variable forward(AutogradContext* ctx, Variable x) {
        auto result = x.exp();
        ctx->save_for_backward({result});
        return result;
    }
    static variable_list backward(AutogradContext* ctx, variable_list grad_output) {
        auto saved = ctx->get_saved_variables();
        return {grad_output[0] * saved[0]};
    }
};
// the sign with the gradient of a clipped identity
class SignSTE : public torch::autograd::Function<SignSTE> {
public:
    static torch::Tensor forward(AutogradContext* ctx, const torch::Tensor& input, double clip = 1.0) {
        ctx->save_for_backward({input});
        ctx->saved_data["clip"] = clip;
        return torch::sign(input);
    }
    static tensor_list backward(AutogradContext* ctx, tensor_list grad_outputs) {
        auto input = ctx->get_saved_variables()[0];
        double clip = ctx->saved_data["clip"].toDouble();
        return {grad_outputs[0] * (input.abs() <= clip).to(grad_outputs[0].dtype()), torch::Tensor()};
    }
};
// values and places of the largest k entries
struct TopK : Function<TopK> {
    static variable_list forward(AutogradContext* ctx, Variable x, int64_t k) {
        auto [values, indices] = x.topk(k);
        ctx->mark_non_differentiable({indices});
        ctx->save_for_backward({indices});
        ctx->saved_data["sizes"] = x.sizes();
        return {values, indices};
    }
    static variable_list backward(AutogradContext* ctx, variable_list g) {
        auto indices = ctx->get_saved_variables()[0];
        auto sizes = ctx->saved_data["sizes"].toIntVector();
        return {torch::zeros(sizes, g[0].options()).scatter_(-1, indices, g[0]), Variable()};
    }
};
struct AddInplace : Function<AddInplace> {
    static Variable forward(AutogradContext* ctx, Variable x, const Variable& y) {
        ctx->mark_dirty({x});
        x.add_(y);
        return x;
    }
    static variable_list backward(AutogradContext*, variable_list g) { return {g[0], g[0]}; }
};
struct TwoOuts : Function<TwoOuts> {
    static variable_list forward(AutogradContext* ctx, Variable x) {
        ctx->set_materialize_grads(false);
        return {x * 2, x * 3};
    }
    static variable_list backward(AutogradContext*, variable_list g) {
        EXPECT(g[0].defined());
        EXPECT(!g[1].defined());
        return {g[0] * 2};
    }
};
struct Recompute : Function<Recompute> {
    static Variable forward(AutogradContext* ctx, Variable x, Variable w) {
        ctx->save_for_backward({x, w});
        return torch::relu(x.mm(w)).sum();
    }
    static variable_list backward(AutogradContext* ctx, variable_list g) {
        auto saved = ctx->get_saved_variables();
        auto x = saved[0].detach().requires_grad_(), w = saved[1].detach().requires_grad_();
        variable_list grads;
        {
            torch::AutoGradMode enable(true);
            auto y = torch::relu(x.mm(w)).sum();
            grads = torch::autograd::grad({y}, {x, w});
        }
        if (!ctx->needs_input_grad(0)) grads[0] = Variable();
        return {grads[0].defined() ? grads[0] * g[0] : Variable(), grads[1] * g[0]};
    }
};

torch::Tensor numerical(const std::function<torch::Tensor(torch::Tensor)>& f, torch::Tensor x, double eps = 1e-6) {
    torch::NoGradGuard guard;
    auto out = torch::zeros_like(x);
    auto flat = x.view(-1), g = out.view(-1);
    for (int64_t i = 0; i < flat.numel(); i++) {
        double old = flat[i].item<double>();
        flat[i] = old + eps;
        double up = f(x).item<double>();
        flat[i] = old - eps;
        double down = f(x).item<double>();
        flat[i] = old;
        g[i] = (up - down) / (2 * eps);
    }
    return out;
}

void an_output_is_saved() {
    auto x = torch::randn({3, 2}, options);
    auto y = MyExp::apply(x);
    y.sum().backward();
    EXPECT(torch::allclose(x.grad(), x.exp()));
    auto g = grad({MyExp::apply(x).sum()}, {x}, {}, true, /*create_graph=*/true)[0];
    auto gg = grad({g.pow(2).sum()}, {x})[0];
    EXPECT(torch::allclose(gg, 2 * (2 * x).exp()));
    EXPECT(y.grad_fn()->name().find("MyExp") != std::string::npos);
}

void a_straight_through_estimator() {
    auto x = torch::tensor({-2.0, -0.5, 0.5, 2.0}, options);
    auto y = SignSTE::apply(x);
    y.backward(torch::ones_like(y));
    EXPECT(torch::equal(x.grad(), torch::tensor({0.0, 1.0, 1.0, 0.0}, torch::kDouble)));
    x.mutable_grad() = torch::Tensor();
    SignSTE::apply(x, 3.0).sum().backward();
    EXPECT(x.grad().sum().item<double>() == 4);
}

void several_outputs() {
    auto x = torch::randn({4, 6}, options);
    auto outs = TopK::apply(x, 2);
    EXPECT(!outs[1].requires_grad());
    EXPECT(outs[0].requires_grad());
    (outs[0] * outs[0]).sum().backward();
    auto want = numerical([](torch::Tensor t) { return std::get<0>(t.topk(2)).pow(2).sum(); }, x.detach().clone());
    EXPECT(torch::allclose(x.grad(), want, 1e-4, 1e-6));
}

void in_place() {
    auto x = torch::ones({2}, options), y = torch::ones({2}, options);
    auto z = x * 2;
    auto r = AddInplace::apply(z, y);
    EXPECT(r.is_same(z));
    EXPECT(z._version() == 2);
    r.sum().backward();
    EXPECT(torch::equal(x.grad(), torch::full({2}, 2, torch::kDouble)));
}

void gradients_that_are_not_there() {
    auto x = torch::ones({2}, options);
    TwoOuts::apply(x)[0].sum().backward();
    EXPECT(x.grad()[0].item<double>() == 2.);
}

void a_pass_within_a_pass() {
    auto x = torch::randn({3, 4}, torch::kDouble), w = torch::randn({4, 2}, options);
    Recompute::apply(x, w).backward();
    auto seen = w.grad().clone();
    w.grad().zero_();
    torch::relu(x.mm(w)).sum().backward();
    EXPECT(torch::allclose(seen, w.grad()));
    EXPECT(!x.grad().defined());
}

void a_saved_tensor_that_changed() {
    // a wrong number of gradients, a saved tensor that was changed
    auto x = torch::ones({2, 2}, options);
    auto y = x * 1;
    auto z = MyExp::apply(y);
    z.add_(1);
    try {
        z.sum().backward();
        EXPECT(false);
    } catch (const torch::Error& e) {
        EXPECT(std::string(e.what()).find("inplace") != std::string::npos ||
               std::string(e.what()).find("in-place") != std::string::npos ||
               std::string(e.what()).find("in place") != std::string::npos);
    }
}

void hooks_and_edges() {
    std::vector<torch::Tensor> seen;
    auto x = torch::ones({2}, options);
    auto y = x * 3;
    y.retain_grad();
    auto h = y.register_hook([&](torch::Tensor g) {
        seen.push_back(g);
        return g * 10;
    });
    y.sum().backward();
    y.remove_hook(h);
    EXPECT(seen.size() == 1 && x.grad()[0].item<float>() == 30);
    EXPECT(y.grad().defined());
    std::cout << y.grad_fn()->num_inputs() << ' ' << y.grad_fn()->next_edges().size() << ' '
              << *x.grad().data_ptr<double>() << std::endl;
    for (auto& edge : y.grad_fn()->next_edges())
        if (edge.is_valid()) std::cout << edge.function->name() << std::endl;
}

int main() {
    torch::manual_seed(0);
    an_output_is_saved();
    a_straight_through_estimator();
    several_outputs();
    in_place();
    gradients_that_are_not_there();
    a_pass_within_a_pass();
    a_saved_tensor_that_changed();
    hooks_and_edges();
    std::cout << (wrong ? "wrong" : "right") << std::endl;
    return wrong;
}
