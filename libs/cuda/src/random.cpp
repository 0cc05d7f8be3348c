// Random numbers on the device: drawn on the host, from the host's streams, and copied.
#include <type_traits>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/kernels/copy.hpp>
#include <reel/autograd/kernels/random.hpp>
#include <reel/autograd/ops/factory/factories.hpp>

namespace reel::cuda {

namespace {

/// The host's function on copies of the operands, the first of which is filled.
template <auto function> struct Drawn;
template <class... A, void (*function)(A...)> struct Drawn<function> {
    static void run(A... arguments) {
        const NoGradGuard guard;
        const Tensor& out = detail::first_tensor(arguments...);
        const Tensor here = reel::empty_strided(out.sizes(), out.strides(), TensorOptions(out.scalar_type()));
        function(on_host(arguments, out, here)...);
        kernels::copy.on(out, out, here, false);
    }

private:
    template <class T> static decltype(auto) on_host(const T& argument, const Tensor& out, const Tensor& here) {
        if constexpr (std::is_same_v<T, Tensor>) return &argument == &out ? here : argument.cpu();
        else return (argument);
    }
};
template <auto function, class Signature> void draw_on_host(Kernel<Signature>& kernel) {
    kernel.set(kCUDA, &Drawn<function>::run);
}

[[maybe_unused]] const bool attached = [] {
    draw_on_host<&cpu::uniform>(kernels::uniform);
    draw_on_host<&cpu::normal>(kernels::normal);
    draw_on_host<&cpu::log_normal>(kernels::log_normal);
    draw_on_host<&cpu::exponential>(kernels::exponential);
    draw_on_host<&cpu::cauchy>(kernels::cauchy);
    draw_on_host<&cpu::geometric>(kernels::geometric);
    draw_on_host<&cpu::bernoulli>(kernels::bernoulli);
    draw_on_host<&cpu::random_integers>(kernels::random_integers);
    draw_on_host<&cpu::bernoulli_of>(kernels::bernoulli_of);
    draw_on_host<&cpu::poisson>(kernels::poisson);
    draw_on_host<&cpu::binomial>(kernels::binomial);
    draw_on_host<&cpu::multinomial>(kernels::multinomial);
    draw_on_host<&cpu::dropout_mask>(kernels::dropout_mask);
    draw_on_host<&cpu::rrelu_slope>(kernels::rrelu_slope);
    return true;
}();

} // namespace

} // namespace reel::cuda
