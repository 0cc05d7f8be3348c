// Operands of any strides, block by block.
#include <reel/autograd/detail/cpu/strided_blocks.hpp>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace reel::cpu {

namespace {

template <class T> T read(const char* p) {
    T x;
    std::memcpy(&x, p, sizeof(T));
    return x;
}
template <class T> void write(char* p, T x) { std::memcpy(p, &x, sizeof(T)); }

/// Elements that stand `from_step` bytes apart to places that stand `to_step` bytes apart; one of both is known when
/// this is compiled.
template <class T, class To, class From>
[[gnu::always_inline]] inline void move(char* to, To to_step, const char* from, From from_step, std::int64_t n) {
    for (; n >= 4; n -= 4) { // written out: this is compiled for speed, but not for loops
        const T a = read<T>(from), b = read<T>(from + from_step), c = read<T>(from + 2 * from_step),
                d = read<T>(from + 3 * from_step);
        write(to, a);
        write(to + to_step, b);
        write(to + 2 * to_step, c);
        write(to + 3 * to_step, d);
        from += 4 * from_step;
        to += 4 * to_step;
    }
    for (; n > 0; --n, from += from_step, to += to_step) write(to, read<T>(from));
}

template <std::size_t bytes> using Constant = std::integral_constant<std::int64_t, std::int64_t(bytes)>;
template <std::size_t bytes> struct ElementOf {
    using type = std::conditional_t<
        bytes == 8, std::uint64_t,
        std::conditional_t<bytes == 4, std::uint32_t, std::conditional_t<bytes == 2, std::uint16_t, std::uint8_t>>>;
};

void gather(std::int64_t bytes, char* block, const char* from, std::int64_t stride, std::int64_t n) {
    if (bytes == 4) gather_block<4>(block, from, stride, n);
    else if (bytes == 8) gather_block<8>(block, from, stride, n);
    else gather_block<2>(block, from, stride, n);
}
void scatter(std::int64_t bytes, char* to, std::int64_t stride, const char* block, std::int64_t n) {
    if (bytes == 4) scatter_block<4>(to, stride, block, n);
    else if (bytes == 8) scatter_block<8>(to, stride, block, n);
    else if (bytes == 2) scatter_block<2>(to, stride, block, n);
    else scatter_block<1>(to, stride, block, n);
}

} // namespace

template <std::size_t bytes> void gather_block(char* block, const char* from, std::int64_t stride, std::int64_t n) {
    move<typename ElementOf<bytes>::type>(block, Constant<bytes>{}, from, stride, n);
}
template <std::size_t bytes> void scatter_block(char* to, std::int64_t stride, const char* block, std::int64_t n) {
    move<typename ElementOf<bytes>::type>(to, stride, block, Constant<bytes>{}, n);
}
template void gather_block<2>(char*, const char*, std::int64_t, std::int64_t);
template void gather_block<4>(char*, const char*, std::int64_t, std::int64_t);
template void gather_block<8>(char*, const char*, std::int64_t, std::int64_t);
template void scatter_block<1>(char*, std::int64_t, const char*, std::int64_t);
template void scatter_block<2>(char*, std::int64_t, const char*, std::int64_t);
template void scatter_block<4>(char*, std::int64_t, const char*, std::int64_t);
template void scatter_block<8>(char*, std::int64_t, const char*, std::int64_t);

void run_in_blocks(BlockLoop loop, LoopShape shape, char* const* data, const std::int64_t* strides, std::int64_t n,
                   const void* context) {
    constexpr int most = 4;
    constexpr std::int64_t length = 256, most_bytes = 8;
    alignas(64) char blocks[most][length * most_bytes];
    char* at[most];
    std::int64_t step[most] = {shape.result_bytes};
    bool all_repeat = true;
    for (int a = 1; a <= shape.operands; ++a) {
        all_repeat = all_repeat && strides[a] == 0;
        step[a] = strides[a] == 0 ? 0 : shape.bytes;
    }
    if (all_repeat) step[1] = shape.bytes; // one of them is written out
    for (std::int64_t i = 0; i < n; i += length) {
        const std::int64_t m = std::min(n - i, length);
        for (int a = 0; a <= shape.operands; ++a) {
            char* const there = data[a] + i * strides[a];
            at[a] = step[a] == strides[a] ? there : blocks[a];
            if (a > 0 && at[a] != there) gather(shape.bytes, blocks[a], there, strides[a], m);
        }
        loop(at, step, m, context);
        if (at[0] == blocks[0]) scatter(shape.result_bytes, data[0] + i * strides[0], strides[0], blocks[0], m);
    }
}

} // namespace reel::cpu
