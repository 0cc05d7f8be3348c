// Matrix products of a recording that can be had for less, with the same bits.
#pragma once

namespace reel::jit::replay {

struct Recording;

/// A product that is only added to a sum is added on its way, as BLAS can; a weight that several products of one run
/// take turned round is turned once for all of them. Each is tried on numbers of the product's shape first: it is done
/// where no bit differs and it is faster.
void make_products_cheaper(Recording& recording);

} // namespace reel::jit::replay
