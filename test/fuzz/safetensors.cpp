// libFuzzer target: the input is a safetensors file.
#include "fuzz.hpp"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace reel::serialize;
    static const int fd = ::memfd_create("input", 0);
    static const std::string path = "/proc/self/fd/" + std::to_string(fd);
    if (::ftruncate(fd, off_t(size)) != 0 || ::pwrite(fd, data, size, 0) != ssize_t(size)) std::abort();
    fuzz::accepted([&] {
        const SafetensorsFile file(path);
        std::uint64_t bytes = 0;
        for (const std::string& key : file.keys()) {
            const reel::Tensor copy = file.tensor(key), mapped = file.mapped(key);
            bytes += copy.nbytes();
            if (copy.sizes() != mapped.sizes() ||
                (copy.nbytes() && std::memcmp(copy.data_ptr(), mapped.data_ptr(), copy.nbytes())))
                fuzz::broken("a tensor and its mapping differ");
        }
        if (bytes > size) fuzz::broken("more bytes were read than there are");
    });
    fuzz::accepted([&] { load_checkpoint(path); });
    return 0;
}
