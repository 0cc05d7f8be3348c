// Switches for the whole process.
#pragma once

namespace reel {

/// libtorch's handle on them: `globalContext().setDeterministicAlgorithms(true, false)`.
class Context {
public:
    /// Asks for operations that give the same bits in every run. All of Reel's operations on the CPU do so anyway, with
    /// any number of threads; device libraries choose their algorithms by it, and throw (with `warn_only`: warn) where
    /// there is none to choose.
    void setDeterministicAlgorithms(bool on, bool warn_only = false);
    bool deterministicAlgorithms() const;
    bool deterministicAlgorithmsWarnOnly() const;
    /// For operations without a deterministic way: throws Error that names `caller`, warns, or does nothing.
    void alertNotDeterministic(const char* caller) const;

    /// May convolutions of float32 on the CPU with kernels of 3 x 3 that move by one place go by Winograd's F(4x4, 3x3)
    /// where it is faster? A quarter of the multiplications, the same bits for any number of threads, and about twice
    /// the rounding error of sums that are written out, which is what there is without. Default: yes.
    void setUserEnabledWinograd(bool on);
    bool userEnabledWinograd() const;

    // What a device's libraries may do. Without such a device these switches change nothing.
    /// Is cuDNN used where it has something? Default: yes.
    void setUserEnabledCuDNN(bool on);
    bool userEnabledCuDNN() const;
    /// Of cuDNN's algorithms those alone that give the same bits in every run. Default: no.
    void setDeterministicCuDNN(bool on);
    bool deterministicCuDNN() const;
    /// Remembered, for programs that set it; which algorithm runs is cuDNN's own first choice in either case: Reel
    /// tries none out. Default: no.
    void setBenchmarkCuDNN(bool on);
    bool benchmarkCuDNN() const;
    /// May float32 operands be rounded to TF32 (ten bits of mantissa) for tensor cores, in convolutions (default: yes,
    /// as in PyTorch) and in products of matrices (default: no)?
    void setAllowTF32CuDNN(bool on);
    bool allowTF32CuDNN() const;
    void setAllowTF32CuBLAS(bool on);
    bool allowTF32CuBLAS() const;
};
Context& globalContext();

/// Python's names.
void use_deterministic_algorithms(bool on, bool warn_only = false);
bool are_deterministic_algorithms_enabled();

} // namespace reel
