#include "bench.hpp"
namespace bench {
void training() {}
} // namespace bench
