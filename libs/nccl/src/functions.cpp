#include "functions.hpp"

#include <string>

#include <reel/autograd/error.hpp>
#include <reel/nccl.hpp>

#include "library.hpp"

namespace reel::nccl {

namespace {
constexpr int oldest = 21400; // the first that can be given up while it waits

struct Checked : cuda::Found<Functions> {
    int version = 0;
};
Checked find() {
    Checked found{cuda::find_functions<Functions>("REEL_NCCL_LIBRARY", "libnccl.so.2")};
    if (found.get() && (found.functions.ncclGetVersion(&found.version) != Status::kSuccess || found.version < oldest))
        found.missing = str("its version is ", found.version, "; expected ", oldest, " at least");
    return found;
}

const Checked& found() {
    static const Checked one = find();
    REEL_CHECK(one.missing.empty(), "nccl: no NCCL can be used: ", one.missing,
               "; install libnccl2, or name the file in REEL_NCCL_LIBRARY");
    return one;
}
} // namespace

const Functions& functions() { return found().functions; }

std::string version() {
    const int v = found().version;
    return str("NCCL ", v / 10000, ".", v / 100 % 100, ".", v % 100);
}

} // namespace reel::nccl
