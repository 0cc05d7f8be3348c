// Keeping the calls of nll_loss's kernels.
#include "replay/nll_calls.hpp"

namespace reel::jit::replay {

namespace {

using Pick = void(const NllGeometry&, const Tensor&, const Tensor&, const Tensor&, const Tensor&);

class WeighCall final : public KernelCall {
public:
    WeighCall(const NllGeometry& g, Tensor target, Tensor weight, std::shared_ptr<double> total)
        : g_(g), target_(std::move(target)), weight_(std::move(weight)), total_(std::move(total)) {}
    void run() override { cpu::nll_loss_weigh(g_, target_, weight_, *total_); }

private:
    NllGeometry g_;
    Tensor target_, weight_;
    std::shared_ptr<double> total_;
};

class PickCall final : public KernelCall {
public:
    /// `total`: null where the scale is one.
    PickCall(Pick* f, const NllGeometry& g, Tensor to, Tensor from, Tensor target, Tensor weight,
             std::shared_ptr<double> total)
        : f_(f), g_(g), to_(std::move(to)), from_(std::move(from)), target_(std::move(target)),
          weight_(std::move(weight)), total_(std::move(total)) {}
    void run() override {
        if (total_) g_.scale = 1 / *total_;
        f_(g_, to_, from_, target_, weight_);
    }

private:
    Pick* f_;
    NllGeometry g_;
    Tensor to_, from_, target_, weight_;
    std::shared_ptr<double> total_;
};

/// What the total of these targets goes by.
std::vector<std::int64_t> name_of(Recorder& r, const NllGeometry& g, const Tensor& target, const Tensor& weight) {
    std::vector<std::int64_t> name{g.batch, g.classes, g.length, g.ignore_index};
    for (const Tensor* t : {&target, &weight}) {
        name.push_back(t->defined() ? r.memory_of(*t) : -1);
        name.push_back(t->defined() ? t->storage_offset() : 0);
    }
    return name;
}

void pick(const char* name, Pick* f, const NllGeometry& g, const Tensor& to, const Tensor& from, const Tensor& target,
          const Tensor& weight) {
    if (!reel::detail::launch_observer) [[likely]]
        return f(g, to, from, target, weight);
    const reel::detail::UnobservedScope scope;
    f(g, to, from, target, weight);
    Recorder* const r = current_recorder();
    if (!r) return;
    std::shared_ptr<double> total;
    if (g.mean) total = r->found_number(name_of(*r, g, target, weight));
    const Tensor* const read[] = {&from, &target, &weight};
    const Tensor* const written[] = {&to};
    r->kernel(name,
              std::make_unique<PickCall>(f, g, r->stand_in(to), r->stand_in(from), r->stand_in(target),
                                         r->stand_in(weight), std::move(total)),
              read, written);
}

} // namespace

void nll_loss_weigh_stand(const NllGeometry& g, const Tensor& target, const Tensor& weight, double& total) {
    if (!reel::detail::launch_observer) [[likely]]
        return cpu::nll_loss_weigh(g, target, weight, total);
    const reel::detail::UnobservedScope scope;
    cpu::nll_loss_weigh(g, target, weight, total);
    Recorder* const r = current_recorder();
    if (!r || target.numel() == 0) return;
    std::vector<int> memories{r->memory_of(target)};
    if (weight.defined()) memories.push_back(r->memory_of(weight));
    std::shared_ptr<double> found = r->find_number(name_of(*r, g, target, weight), std::move(memories));
    const Tensor* const read[] = {&target, &weight};
    r->kernel("nll_loss", std::make_unique<WeighCall>(g, r->stand_in(target), r->stand_in(weight), std::move(found)),
              read, {}, true);
}
void nll_loss_stand(const NllGeometry& g, const Tensor& out, const Tensor& x, const Tensor& target,
                    const Tensor& weight) {
    pick("nll_loss", &cpu::nll_loss, g, out, x, target, weight);
}
void nll_loss_backward_stand(const NllGeometry& g, const Tensor& gx, const Tensor& gout, const Tensor& target,
                             const Tensor& weight) {
    pick("nll_loss_backward", &cpu::nll_loss_backward, g, gx, gout, target, weight);
}

} // namespace reel::jit::replay
