// Draws from a generator whose number is known beforehand.
#pragma once

#include <algorithm>
#include <cstdint>

#include <reel/autograd/random.hpp>

namespace reel::cpu {

/// Numbers from the words that `Self::random()` gives, as the generator's functions of these names make them.
template <class Self> class DrawnNumbers {
public:
    std::uint64_t random64() {
        const std::uint64_t high = word();
        return high << 32 | word();
    }
    float uniform_float() { return float(std::int32_t(word() & ((1u << 24) - 1))) * (1.f / float(1u << 24)); }
    double uniform_double() {
        return double(std::int64_t(random64() & ((1ull << 53) - 1))) * (1.0 / double(1ull << 53));
    }

private:
    std::uint32_t word() { return static_cast<Self*>(this)->random(); }
};

/// Words that lie in memory.
class DrawnWords : public DrawnNumbers<DrawnWords> {
public:
    explicit DrawnWords(const std::uint32_t* words) : at_(words) {}
    std::uint32_t random() { return *at_++; }

private:
    const std::uint32_t* at_;
};

/// The next `count` words of a generator, one after the other, drawn in blocks: what its functions of the same names
/// give, in a fraction of the time. Words that nobody takes are drawn all the same.
class Draws : public DrawnNumbers<Draws> {
public:
    Draws(CPUGeneratorImpl& g, std::int64_t count) : generator_(g), left_(count) {}
    std::uint32_t random() {
        if (at_ == end_) more();
        return words_[at_++];
    }

private:
    void more() {
        end_ = int(std::min<std::int64_t>(left_, block));
        generator_.random(words_, end_);
        left_ -= end_;
        at_ = 0;
    }
    static constexpr int block = 1024;
    CPUGeneratorImpl& generator_;
    std::int64_t left_;
    int at_ = 0, end_ = 0;
    std::uint32_t words_[block];
};

/// Remainders of one divisor, without divisions: exact for numbers of 32 bits (Lemire, Kaser and Kurz, 2019).
class Remainder {
public:
    explicit Remainder(std::uint32_t divisor) : divisor_(divisor), inverse_(~std::uint64_t(0) / divisor + 1) {}
    std::uint32_t operator()(std::uint32_t a) const {
        const std::uint64_t fraction = inverse_ * a; // of a / divisor, in units of 2^-64
        // The high half of a product of 64 and 32 bits.
        return std::uint32_t(((fraction >> 32) * divisor_ + ((fraction & 0xffffffffu) * divisor_ >> 32)) >> 32);
    }

private:
    std::uint64_t divisor_, inverse_;
};

} // namespace reel::cpu
