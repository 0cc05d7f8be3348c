// OpenBLAS on one thread: Reel shares out work itself, by shapes alone, so that bits do not depend on threads.
#pragma once

namespace reel::cpu {

/// In this scope BLAS and LAPACK calls of the calling thread run on it alone.
class SerialBlas {
public:
    SerialBlas();
    ~SerialBlas();
    SerialBlas(const SerialBlas&) = delete;
    SerialBlas& operator=(const SerialBlas&) = delete;

private:
    int threads_; ///< what OpenMP would use otherwise
};

} // namespace reel::cpu
