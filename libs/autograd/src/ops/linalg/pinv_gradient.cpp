// The derivative of the pseudo-inverse, also of one that counts small singular values as zero.
#include <cmath>
#include <limits>

#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/linalg/spectral.hpp>
#include <reel/autograd/ops/reduce/minmax.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>

#include "ops/linalg/linalg.hpp"

namespace reel {

using namespace matrices;

namespace {

/// How the singular values fall into kept and cut ones.
struct Cut {
    Tensor scale; ///< [..., 1, 1]: the square of a number between the largest that is cut and the smallest that is kept
    int doublings; ///< until the series of `settled` has ended
};
Cut cut_of(const Tensor& rest, const Tensor& p) {
    const NoGradGuard guard;
    const auto largest = [](const Tensor& t) { return amax(linalg_svdvals(t.detach()), -1); };
    const Tensor cut = largest(rest), inverse = largest(p);
    const Tensor kept = inverse.reciprocal().where(inverse > Scalar(0), 2 * cut + 1); // any, where nothing is kept
    const double ratio = amax(cut / kept).item<double>(), smallest = std::numeric_limits<double>::epsilon() / 16;
    const double terms = ratio > 0 ? std::log(smallest) / (2 * std::log(std::min(ratio, 1 - 1e-15))) : 1;
    const Tensor scale = (kept * cut).where(cut > Scalar(0), 1);
    return {unsqueeze(unsqueeze(scale, -1), -1), terms > 1 ? int(std::ceil(std::log2(terms))) : 0};
}
/// m = start + left m right for contractions: the sum of left^i start right^i, twice as many terms with each step.
Tensor settled(Tensor m, Tensor left, Tensor right, int doublings) {
    for (int i = 0; i < doublings; ++i) {
        m = m + matmul(left, matmul(m, right));
        left = matmul(left, left);
        right = matmul(right, right);
    }
    return m;
}

} // namespace

// In the bases of A's singular vectors, with k = g^H: where both values are kept, -k / (s_i s_j); where i is kept and j
// is cut, (k_ij + s_j / s_i conj(k_ji)) / (s_i^2 - s_j^2), and the same the other way round. Written without the
// vectors, so that equal singular values do no harm.
Tensor matrices::pinv_gradient(const Tensor& a, const Tensor& p, const Tensor& g, bool cuts) {
    const Tensor ph = adjoint_of(p), k = adjoint_of(g), kept = -adjoint_of(matmul(matmul(p, k), p));
    if (!cuts) { // what is cut is zero; products in the cheaper order
        if (a.size(-2) <= a.size(-1)) {
            const Tensor kp = matmul(matmul(k, p), ph);
            return kept + kp - matmul(matmul(a, p), kp) + matmul(matmul(ph, p), k - matmul(matmul(k, p), a));
        }
        const Tensor pk = matmul(ph, matmul(p, k));
        return kept + matmul(matmul(k - matmul(a, matmul(p, k)), p), ph) + pk - matmul(matmul(pk, p), a);
    }
    const Tensor rest = a - matmul(a, matmul(p, a)), rest_h = adjoint_of(rest);
    const Cut cut = cut_of(rest, p);
    const Tensor right = settled(matmul(matmul(ph, p), k - matmul(matmul(k, p), a)), matmul(ph, p) * cut.scale,
                                 matmul(rest_h, rest) / cut.scale, cut.doublings);
    const Tensor below = settled(matmul(k - matmul(a, matmul(p, k)), matmul(p, ph)), matmul(rest, rest_h) / cut.scale,
                                 matmul(p, ph) * cut.scale, cut.doublings);
    return kept + right + below + matmul(matmul(ph, adjoint_of(below)), rest) +
           matmul(matmul(rest, adjoint_of(right)), ph);
}

} // namespace reel
