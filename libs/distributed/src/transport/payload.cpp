// Memory of messages.
#include <reel/distributed/detail/envelope.hpp>

#include <bit>
#include <cstring>
#include <mutex>
#include <vector>

namespace reel::distributed::detail {

namespace {
constexpr std::size_t shortest = std::size_t(1) << 15, most_kept = std::size_t(1) << 26;

/// What was used and is not, by powers of two.
class Shelf {
public:
    std::byte* take(std::size_t size) {
        const std::size_t order = order_of(size);
        {
            const std::lock_guard lock(mutex_);
            auto& free = free_[order];
            if (!free.empty()) {
                std::byte* bytes = free.back();
                free.pop_back();
                kept_ -= std::size_t(1) << order;
                return bytes;
            }
        }
        return new std::byte[std::size_t(1) << order];
    }
    void give(std::byte* bytes, std::size_t size) noexcept {
        const std::size_t order = order_of(size);
        {
            const std::lock_guard lock(mutex_);
            auto& free = free_[order];
            if (kept_ + (std::size_t(1) << order) <= most_kept && free.size() < free.capacity()) {
                kept_ += std::size_t(1) << order;
                return free.push_back(bytes);
            }
        }
        delete[] bytes;
    }
    Shelf() {
        for (auto& free : free_) free.reserve(64); // what is given back must not throw
    }

private:
    static std::size_t order_of(std::size_t size) { return std::size_t(std::bit_width(size - 1)); }
    std::mutex mutex_;
    std::vector<std::byte*> free_[64];
    std::size_t kept_ = 0;
};
/// Lives as long as any message may.
Shelf& shelf() {
    static Shelf& all = *new Shelf;
    return all;
}
} // namespace

Payload::Payload(std::size_t n)
    : bytes(n == 0         ? nullptr
            : n < shortest ? new std::byte[n]
                           : shelf().take(n),
            ReturnPayload{n}),
      size(n) {}

void ReturnPayload::operator()(std::byte* bytes) const noexcept {
    if (lender) lender->take_back(bytes);
    else if (size < shortest) delete[] bytes;
    else shelf().give(bytes, size);
}

Payload::Payload(const void* from, std::size_t n) : Payload(n) {
    if (n) std::memcpy(bytes.get(), from, n);
}

std::string Payload::text() const { return {reinterpret_cast<const char*>(bytes.get()), size}; }

} // namespace reel::distributed::detail
