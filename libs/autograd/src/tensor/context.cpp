// Switches for the whole process.
#include <reel/autograd/context.hpp>

#include <atomic>

#include <reel/autograd/error.hpp>

namespace reel {

namespace {
std::atomic<bool> deterministic{false}, only_warn{false};
std::atomic<bool> cudnn_on{true}, cudnn_deterministic{false}, cudnn_benchmark{false}, cudnn_tf32{true},
    cublas_tf32{false};
std::atomic<bool> winograd_on{true};
} // namespace

void Context::setDeterministicAlgorithms(bool on, bool warn_only) {
    deterministic = on;
    only_warn = warn_only;
}
bool Context::deterministicAlgorithms() const { return deterministic; }
bool Context::deterministicAlgorithmsWarnOnly() const { return only_warn; }
void Context::alertNotDeterministic(const char* caller) const {
    if (!deterministic) return;
    if (only_warn) {
        REEL_WARN(caller, " has no deterministic implementation; its results may differ from run to run");
        return;
    }
    REEL_THROW(Error, caller,
               " has no deterministic implementation, and use_deterministic_algorithms(true) was asked for; turn that "
               "off around the call, or pass warn_only = true");
}
void Context::setUserEnabledWinograd(bool on) { winograd_on = on; }
bool Context::userEnabledWinograd() const { return winograd_on; }
void Context::setUserEnabledCuDNN(bool on) { cudnn_on = on; }
bool Context::userEnabledCuDNN() const { return cudnn_on; }
void Context::setDeterministicCuDNN(bool on) { cudnn_deterministic = on; }
bool Context::deterministicCuDNN() const { return cudnn_deterministic; }
void Context::setBenchmarkCuDNN(bool on) { cudnn_benchmark = on; }
bool Context::benchmarkCuDNN() const { return cudnn_benchmark; }
void Context::setAllowTF32CuDNN(bool on) { cudnn_tf32 = on; }
bool Context::allowTF32CuDNN() const { return cudnn_tf32; }
void Context::setAllowTF32CuBLAS(bool on) { cublas_tf32 = on; }
bool Context::allowTF32CuBLAS() const { return cublas_tf32; }
Context& globalContext() {
    static Context context;
    return context;
}
void use_deterministic_algorithms(bool on, bool warn_only) {
    globalContext().setDeterministicAlgorithms(on, warn_only);
}
bool are_deterministic_algorithms_enabled() { return globalContext().deterministicAlgorithms(); }

} // namespace reel
