// Samples from categorical distributions that gradients pass.
#include <reel/autograd/ops/nn/gumbel_softmax.hpp>
#include <reel/autograd/ops/nn/softmax.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

namespace reel {

/// softmax((logits + g) / tau) along `dim` with Gumbel noise g. `hard`: one-hot results with the gradient of the soft
/// ones. (E. Jang, S. Gu, B. Poole, Categorical reparameterization with Gumbel-softmax, 2017.) `eps` has no effect.
REEL_OP("nn.functional.gumbel_softmax(Tensor logits, float tau=1, bool hard=False, float eps=1e-10, int dim=-1) -> "
        "Tensor",
        composite, random, samples(call(numbers({3, 4}), 0.7)))
Tensor gumbel_softmax(const Tensor& logits, double tau, bool hard, double eps, std::int64_t dim) {
    if (eps != 1e-10) REEL_WARN_ONCE("gumbel_softmax: eps is ", eps, ", which has no effect; leave it out");
    Tensor noise = logits.new_empty(logits.sizes());
    noise = -exponential_(noise).log();
    const Tensor soft = softmax((logits + noise) / tau, dim);
    if (!hard) return soft;
    const Tensor index = std::get<1>(soft.detach().max(dim, true));
    const Tensor picked = logits.new_zeros(logits.sizes()).scatter_(dim, index, Scalar(1.0));
    return picked - soft.detach() + soft;
}

} // namespace reel
