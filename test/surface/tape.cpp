// Backward, guards, functions, nodes. Compiled, not run.
#include <reel/reel.hpp>

using namespace reel;
namespace A = autograd;

struct Fn : A::Function<Fn> {
    static Tensor forward(A::AutogradContext* c, Tensor a, std::optional<Tensor>, std::vector<Tensor>, int) {
        c->mark_dirty({a});
        c->mark_non_differentiable({});
        c->set_materialize_grads(false);
        c->needs_input_grad(0);
        c->save_for_backward({a});
        return a;
    }
    static A::variable_list backward(A::AutogradContext* c, A::variable_list g) {
        c->needs_input_grad({A::IndexRange{0, 1}});
        return g;
    }
};
void tape() {
    auto t = ones(2).requires_grad_();
    A::backward({t}, {t}, true, false, {t});
    A::grad({t}, {t}, {t}, true, false, true);
    NoGradGuard n;
    AutoGradMode am(true);
    GradMode::is_enabled();
    GradMode::set_enabled(true);
    InferenceMode im;
    InferenceMode::is_enabled();
    A::NoGradGuard an;
    A::AutoGradMode aam(false);
    A::GradMode::is_enabled();
    A::InferenceMode aim;
    EnableGradGuard eg;
    A::EnableGradGuard aeg;
    Fn::apply(t, nullopt, std::vector<Tensor>{t}, 3);
    auto fn = t.grad_fn();
    fn->name();
    fn->forward_op_name();
    fn->next_edges();
    fn->next_edge(0).function;
    A::Edge e;
    e.is_valid();
    std::hash<A::Edge>()(e);
    bool q = e == e;
    (void)q;
    fn->num_inputs();
    fn->num_outputs();
    fn->sequence_nr();
    fn->topological_nr();
    fn->thread_id();
    fn->getptr();
    A::impl::grad_accumulator(t);
    A::gradient_edge(t);
    A::impl::gradient_edge(t);
    A::DetectAnomalyGuard dg;
    A::AnomalyMode::is_enabled();
    A::AnomalyMode::should_check_nan();
    A::AnomalyMode::set_enabled(true, false);
    A::SavedTensorsHooksGuard sg([](const Tensor& x) { return Value(x); }, [](const Value& v) { return v.toTensor(); });
    A::register_multi_grad_hook({t}, [](const A::variable_list&) {});
    A::gradcheck([](const A::variable_list& v) { return A::variable_list{v[0]}; }, {t});
    A::gradgradcheck([](const A::variable_list& v) { return A::variable_list{v[0]}; }, {t});
    A::tensor_list tl;
}
