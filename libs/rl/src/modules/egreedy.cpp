#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/ops/nn/embedding.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/autograd/ops/random/sampling.hpp>
#include <reel/rl/modules/egreedy.hpp>

#include <algorithm>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/rl/modules/exploration_type.hpp>

namespace reel::rl {

EGreedyModuleImpl::EGreedyModuleImpl(TensorSpec spec, const EGreedyModuleOptions& o)
    : options(o), spec_(std::move(spec)) {
    REEL_CHECK_VALUE(spec_.defined(), "EGreedyModule: the action spec is undefined");
    REEL_CHECK_VALUE(o.eps_end() >= 0 && o.eps_end() <= o.eps_init() && o.eps_init() <= 1,
                     "EGreedyModule: expected 0 <= eps_end <= eps_init <= 1, got eps_init ", o.eps_init(),
                     " and eps_end ", o.eps_end());
    REEL_CHECK_VALUE(o.annealing_num_steps() > 0, "EGreedyModule: annealing_num_steps is ", o.annealing_num_steps(),
                     ", expected a positive number");
    in_keys_ = out_keys_ = {o.action_key()};
    if (o.action_mask_key()) {
        const std::string_view kind = spec_.name();
        REEL_CHECK_VALUE(kind == "OneHot" || kind == "Categorical",
                         "EGreedyModule: an action mask needs a spec OneHot or Categorical, got ", spec_.summary());
        in_keys_.push_back(*o.action_mask_key());
    }
    EGreedyModuleImpl::reset();
}
void EGreedyModuleImpl::reset() {
    eps_init = register_buffer("eps_init", full({}, options.eps_init(), kFloat));
    eps_end = register_buffer("eps_end", full({}, options.eps_end(), kFloat));
    eps = register_buffer("eps", full({}, options.eps_init(), kFloat));
}
TensorDict EGreedyModuleImpl::forward(TensorDict tensordict) {
    if (exploration_type().value_or(ExplorationType::RANDOM) != ExplorationType::RANDOM) return tensordict;
    const NoGradGuard no_grad;
    const Tensor action = tensordict[options.action_key()];
    const std::vector<std::int64_t>& batch = tensordict.batch_size();
    const std::size_t inner = spec_.shape().size();
    REEL_CHECK_VALUE(std::size_t(action.dim()) >= inner, "EGreedyModule: the action ", options.action_key().str(),
                     " has shape ", action.sizes(), ", which does not end with that of the spec ", spec_.summary());
    const std::optional<Generator> generator =
        generator_.defined() ? std::optional<Generator>(generator_) : std::nullopt;
    std::vector<std::int64_t> shape = batch;
    shape.resize(std::size_t(action.dim()), 1); // one coin for all parts of an action
    const Tensor explores = rand(batch, generator, action.device()).view(shape) < eps;
    const Tensor random = random_action(tensordict, action);
    REEL_CHECK_VALUE(random.sizes().equals(action.sizes()), "EGreedyModule: the action ", options.action_key().str(),
                     " has shape ", action.sizes(), ", draws from the spec ", spec_.summary(), " have ",
                     random.sizes());
    tensordict.set(options.action_key(), random.to(action.scalar_type()).where(explores, action));
    return tensordict;
}
Tensor EGreedyModuleImpl::random_action(const TensorDict& tensordict, const Tensor& action) const {
    if (!options.action_mask_key()) {
        const IntArrayRef sizes = action.sizes();
        return spec_.rand(IntArrayRef(sizes.data(), sizes.size() - spec_.shape().size()), generator_);
    }
    const Tensor mask = tensordict[*options.action_mask_key()];
    REEL_CHECK_VALUE(mask.scalar_type() == kBool && mask.dim() > 0 && mask.size(-1) == spec_.n(),
                     "EGreedyModule: the mask ", options.action_mask_key()->str(), " has shape ", mask.sizes(),
                     " and dtype ", mask.scalar_type(), ", expected bool with a last dimension of ", spec_.n());
    REEL_CHECK_VALUE(mask.any(-1).all().item<bool>(), "EGreedyModule: the mask ", options.action_mask_key()->str(),
                     " allows no action in a row");
    const IntArrayRef sizes = mask.sizes();
    const Tensor drawn = multinomial(mask.to(kFloat).reshape({-1, spec_.n()}), 1, true,
                                     generator_.defined() ? std::optional<Generator>(generator_) : std::nullopt)
                             .reshape(IntArrayRef(sizes.data(), sizes.size() - 1));
    return std::string_view(spec_.name()) == "OneHot" ? one_hot(drawn, spec_.n()) : drawn;
}
void EGreedyModuleImpl::step(std::int64_t frames) {
    REEL_CHECK_VALUE(frames >= 0, "EGreedyModule: step: frames is ", frames,
                     ", expected a number that is not negative");
    const NoGradGuard no_grad;
    const double slope = (options.eps_init() - options.eps_end()) / double(options.annealing_num_steps());
    eps.fill_(std::max(options.eps_end(), epsilon() - slope * double(frames)));
}
std::string EGreedyModuleImpl::repr() const {
    return repr_of("EGreedyModule", {str("eps=", epsilon(), ", eps_end=", options.eps_end(),
                                         ", annealing_num_steps=", options.annealing_num_steps()),
                                     keys_text()});
}

} // namespace reel::rl
