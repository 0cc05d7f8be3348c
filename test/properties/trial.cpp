#include "trial.hpp"

#include <limits>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/forward_ad.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>

namespace properties {

namespace forward_ad = autograd::forward_ad;

Trial::Trial(const Sample& sample, variable_list operands, std::vector<bool> wanted)
    : sample_(sample), operands_(std::move(operands)), wanted_(std::move(wanted)) {
    if (std::find(wanted_.begin(), wanted_.end(), true) == wanted_.end()) return;
    try {
        const NoGradGuard guard;
        usable_ = true;
        for (const Tensor& y : outputs(leaves(operands_, std::vector<bool>(wanted_.size())))) {
            cotangents_.push_back(noise_like(y, 100 + cotangents_.size()).to(y.scalar_type()));
            usable_ = usable_ && all_finite(y);
        }
    } catch (const Error&) {
        usable_ = false;
    }
    usable_ = usable_ && !cotangents_.empty();
}

variable_list Trial::outputs(const variable_list& in) const {
    variable_list out = sample_.run_on(in);
    // Differences need all digits of the result.
    std::erase_if(out, [](const Tensor& t) { return t.scalar_type() != kDouble && t.scalar_type() != kComplexDouble; });
    return out;
}

double Trial::loss(const variable_list& operands) const {
    const NoGradGuard guard;
    const variable_list y = outputs(leaves(operands, std::vector<bool>(wanted_.size())));
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += real_inner(cotangents_.at(i), y[i]);
    return sum;
}

namespace {
/// Gradients for all of `inputs`, zeros where there is none.
variable_list pulled(const variable_list& roots, const variable_list& seeds, const variable_list& inputs,
                     bool create_graph) {
    variable_list live, with;
    for (std::size_t i = 0; i < roots.size(); ++i)
        if (roots[i].defined() && roots[i].requires_grad()) {
            live.push_back(roots[i]);
            with.push_back(seeds.at(i));
        }
    variable_list g(inputs.size());
    if (!live.empty()) g = autograd::grad(live, inputs, with, true, create_graph, true);
    for (std::size_t i = 0; i < g.size(); ++i)
        if (!g[i].defined()) g[i] = zeros_like(inputs[i]).detach();
    return g;
}
variable_list marked(const variable_list& all, const std::vector<bool>& wanted) {
    variable_list out;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (wanted[i]) out.push_back(all[i]);
    return out;
}
} // namespace

variable_list Trial::gradients(const variable_list& in, bool create_graph) const {
    return pulled(outputs(in), cotangents_, marked(in, wanted_), create_graph);
}

variable_list Trial::directions(std::uint64_t seed) const {
    variable_list out;
    for (const Tensor& t : marked(operands_, wanted_)) out.push_back(noise_like(t, seed + out.size()));
    return out;
}

namespace {
/// Leaves with the wanted ones made dual.
variable_list duals(const variable_list& in, const std::vector<bool>& wanted, const variable_list& directions) {
    variable_list out = in;
    std::size_t next = 0;
    for (std::size_t i = 0; i < out.size(); ++i)
        if (wanted[i]) out[i] = forward_ad::make_dual(in[i], directions.at(next++));
    return out;
}
} // namespace

double Trial::tangent_of_loss(const variable_list& directions) const {
    const forward_ad::DualLevel level;
    const variable_list y = outputs(duals(leaves(operands_, wanted_), wanted_, directions));
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i)
        if (const Tensor t = forward_ad::unpack_dual(y[i]).tangent; t.defined())
            sum += real_inner(cotangents_.at(i), t);
    return sum;
}

variable_list Trial::tangents_of_gradients(const variable_list& directions) const {
    const forward_ad::DualLevel level;
    const variable_list in = duals(leaves(operands_, wanted_), wanted_, directions);
    variable_list out;
    for (const Tensor& g : gradients(in, true)) {
        const Tensor t = forward_ad::unpack_dual(g).tangent;
        out.push_back(t.defined() ? t.detach() : zeros_like(g).detach());
    }
    return out;
}

void Trial::along_places(
    std::int64_t few, const std::function<double(const variable_list&)>& f,
    const std::function<void(std::size_t operand, std::int64_t place, const Difference&)>& visit) const {
    std::size_t operand = 0;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
        if (!wanted_[i]) continue;
        variable_list moved = operands_;
        const Tensor here = operands_[i].detach().clone(MemoryFormat::Contiguous).cpu();
        const Device device = operands_[i].device();
        moved[i] = here;
        std::int64_t count = 0;
        double* x = reals(here, count);
        for (const std::int64_t place : some_places(count, few)) {
            const double at = x[place];
            const auto along = [&](double t) {
                x[place] = at + t;
                if (!device.is_cpu()) moved[i] = here.to(device);
                try {
                    return f(moved);
                } catch (const Error&) { // a step out of the domain
                    return std::numeric_limits<double>::quiet_NaN();
                }
            };
            const auto d = difference(along, std::abs(at));
            x[place] = at;
            if (d) visit(operand, place, *d);
        }
        ++operand;
    }
}

namespace {
/// `t` with every element one of the set, chosen by fixed noise.
Tensor drawn_from(const std::vector<double>& set, const Tensor& t, std::uint64_t seed) {
    const Tensor noise = noise_like(t, seed).cpu().contiguous(), out = noise.clone();
    std::int64_t n = 0;
    const double* from = reals(noise, n);
    double* to = reals(out, n);
    for (std::int64_t i = 0; i < n; ++i) to[i] = set[std::size_t(std::abs(from[i]) * 1000) % set.size()];
    return out.to(t.device());
}
} // namespace

std::vector<Trial> trials(const Sample& sample) {
    const variable_list operands = sample.operands();
    const std::vector<bool> wanted = differentiable_operands(sample);
    std::vector<Trial> out;
    const auto add = [&](const variable_list& at) {
        Trial t(sample, at, wanted);
        if (t.usable()) out.push_back(std::move(t));
        return !out.empty() && t.usable();
    };
    add(operands);
    if (out.empty()) return out;
    for (const std::vector<double>& set : {std::vector<double>{0, 1, -1, 0.5}, {0, 1, 0.5}, {1, 0.5, -0.5}}) {
        variable_list special = operands;
        for (std::size_t i = 0; i < special.size(); ++i)
            if (wanted[i]) special[i] = drawn_from(set, operands[i], 50 + i);
        if (add(special)) break;
    }
    return out;
}

} // namespace properties
