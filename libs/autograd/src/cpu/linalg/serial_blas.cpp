#include "cpu/linalg/serial_blas.hpp"

#include <cblas.h>
#include <omp.h>

namespace reel::cpu {

// OpenBLAS over pthreads is told once, for the process. OpenBLAS over OpenMP forgets that at its next call and takes as
// many threads as OpenMP would, so OpenMP is told, call by call; the number belongs to the calling thread alone.
SerialBlas::SerialBlas() : threads_(omp_get_max_threads()) {
    static const bool once = (openblas_set_num_threads(1), true);
    (void)once;
    omp_set_num_threads(1);
}
SerialBlas::~SerialBlas() { omp_set_num_threads(threads_); }

} // namespace reel::cpu
