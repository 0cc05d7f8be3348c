// One normal number of PyTorch's stream, for what draws number by number.
#pragma once

namespace reel {

class CPUGeneratorImpl; // random.hpp

namespace detail {

/// A standard normal number in double precision (Box and Muller); the second of each pair waits in the generator for
/// the next call. Whoever calls it holds the generator.
double standard_normal(CPUGeneratorImpl& generator);

} // namespace detail
} // namespace reel
