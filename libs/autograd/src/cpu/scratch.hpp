// Scratch memory of a kernel, from the allocator's cache.
#pragma once

#include <cstddef>

#include <reel/autograd/memory.hpp>

namespace reel::cpu {

class Scratch {
public:
    explicit Scratch(std::size_t bytes) : bytes_(bytes), data_(bytes ? cpu_alloc(bytes) : nullptr) {}
    ~Scratch() {
        if (data_) cpu_free(data_, bytes_);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    template <class T> T* as() const { return static_cast<T*>(data_); }

private:
    std::size_t bytes_;
    void* data_;
};

} // namespace reel::cpu
