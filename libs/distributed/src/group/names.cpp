#include <reel/distributed/types.hpp>

#include <reel/autograd/error.hpp>

namespace reel::distributed {

namespace {
constexpr std::string_view ops[] = {"sum", "avg", "min", "max", "product", "band", "bor", "bxor"};
constexpr std::string_view backends[] = {"auto", "threads", "sockets", "mpi", "nccl"};

template <class E, std::size_t N> E find(const std::string_view (&names)[N], std::string_view name, const char* what) {
    std::string all;
    for (std::size_t i = 0; i < N; ++i) {
        if (names[i] == name) return E(i);
        (all += i ? ", " : "") += names[i];
    }
    REEL_THROW(ValueError, what, ": '", name, "' is none of ", all);
}
} // namespace

std::string_view name_of(ReduceOp op) noexcept { return ops[std::size_t(op)]; }
std::string_view name_of(Backend backend) noexcept { return backends[std::size_t(backend)]; }
ReduceOp reduce_op(std::string_view name) { return find<ReduceOp>(ops, name, "reduce_op"); }
Backend backend(std::string_view name) { return find<Backend>(backends, name, "backend"); }

} // namespace reel::distributed
