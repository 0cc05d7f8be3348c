// Optimizers, schedules, gradient utilities. Compiled, not run.
#include <reel/reel.hpp>

using namespace reel;

void groups_and_options() {
    nn::Linear m(2, 3);
    optim::SGD o(m->parameters(), optim::SGDOptions(0.1).momentum(0.9).dampening(0).weight_decay(0).nesterov(false));
    o.step([] { return ones({}); });
    o.zero_grad();
    o.param_groups();
    o.add_param_group(optim::OptimizerParamGroup({ones(2)}));
    o.defaults();
    o.state();
    std::vector<optim::OptimizerParamGroup> gs;
    gs.emplace_back(m->parameters(), std::make_unique<optim::SGDOptions>(0.1));
    gs[0].params();
    gs[0].options();
    gs[0].has_options();
    gs[0].set_options(std::make_unique<optim::SGDOptions>(1));
    optim::Adam ad(gs, optim::AdamOptions(1e-3).betas({0.9, 0.99}).eps(1e-8).weight_decay(0).amsgrad(true));
}
void steps_and_state() {
    nn::Linear m(2, 3);
    optim::SGD o(m->parameters(), optim::SGDOptions(0.1));
    o.parameters();
    o.size();
    o.add_parameters({ones(2)});
    o.register_step_pre_hook([](optim::Optimizer&) {});
    o.register_step_post_hook([](optim::Optimizer&) {});
    auto& opt = static_cast<optim::SGDOptions&>(o.defaults());
    opt.clone();
    opt.get_lr();
    opt.set_lr(1);
    auto& st = static_cast<optim::SGDParamState&>(*o.state().begin()->second);
    st.momentum_buffer();
    optim::AdamW aw(m->parameters());
    optim::RMSprop rp(m->parameters(), optim::RMSpropOptions(0.1).alpha(.9).centered(true));
}
void schedules() {
    nn::Linear m(2, 3);
    optim::SGD o(m->parameters(), optim::SGDOptions(0.1));
    optim::StepLR s1(o, 3);
    s1.step();
    s1.get_last_lr();
    s1.last_epoch();
    s1.base_lrs();
    s1.state_dict();
    optim::MultiStepLR s2(o, {1, 2});
    optim::ExponentialLR s3(o, .9);
    optim::LinearLR s4(o);
    optim::CosineAnnealingLR s5(o, 10);
    optim::LambdaLR s6(o, [](int64_t e) { return 1.0 / double(e + 1); });
    optim::ReduceLROnPlateauScheduler s7(o);
    s7.step(1.0);
    optim::ReduceLROnPlateau s8(o);
    (void)optim::ReduceLROnPlateauScheduler::min;
    optim::lr_scheduler::StepLR s9(o, 3);
}
void gradient_utilities() {
    nn::Linear m(2, 3);
    nn::utils::clip_grad_norm_(m->parameters(), 1.0);
    double n = nn::utils::clip_grad_norm_(m->weight, 1.0, 2, true);
    (void)n;
    nn::utils::clip_grad_norm_({m->weight, m->bias}, 1.0);
    nn::utils::clip_grad_value_(m->parameters(), 1);
    nn::utils::parameters_to_vector(m->parameters());
    nn::utils::vector_to_parameters(ones(9), m->parameters());
    nn::utils::get_total_norm(m->parameters());
    nn::utils::clip_grads_with_norm_(m->parameters(), 1.0, 1.0);
}
void states() {
    optim::AdagradParamState as;
    as.sum();
    as.step();
    optim::LBFGSParamState ls;
    ls.func_evals();
    ls.n_iter();
    ls.t();
    ls.prev_loss();
    ls.d();
    ls.H_diag();
    ls.prev_flat_grad();
    ls.old_dirs();
    ls.old_stps();
    ls.ro();
}
struct MyOpt : optim::OptimizerCloneableOptions<MyOpt> {
    REEL_ARG(double, lr) = 1;
};
struct MySt : optim::OptimizerCloneableParamState<MySt> {
    REEL_ARG(int64_t, step) = 0;
};
struct Sched : optim::LRScheduler {
    using LRScheduler::LRScheduler;
    std::vector<double> get_lrs() override {
        auto l = get_current_lrs();
        (void)step_count_;
        return l;
    }
};
