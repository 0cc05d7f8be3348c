// The cells of recurrent networks, row by row.
#include "cpu/nn/rnn.hpp"

#include <cstring>

#include <reel/autograd/detail/cpu/vec_math.hpp>

namespace reel::cpu::REEL_ISA {

namespace {

/// Whole vectors, or the last few elements of a row.
template <class T> struct Whole {
    Vec<T> load(const T* p) const { return Vec<T>::load(p); }
    void store(T* p, Vec<T> x) const { x.store(p); }
};
template <class T> struct Part {
    std::size_t bytes;
    Vec<T> load(const T* p) const {
        Vec<T> r(T(0));
        std::memcpy(&r.v, p, bytes);
        return r;
    }
    void store(T* p, Vec<T> x) const { std::memcpy(p, &x.v, bytes); }
};
template <class T, class F> void each(std::int64_t n, F f) {
    constexpr int w = Vec<T>::size;
    std::int64_t i = 0;
    for (; i + w <= n; i += w) f(Whole<T>{}, i);
    if (i < n) f(Part<T>{std::size_t(n - i) * sizeof(T)}, i);
}
/// What reaches h: from the next step, and from the output of this one unless it has none.
template <class T, class Access> Vec<T> total(Access m, const T* gh, const T* gout, std::int64_t i) {
    return gout ? m.load(gh + i) + m.load(gout + i) : m.load(gh + i);
}

template <class T> void simple(T* gates, const T* bias, T* h, std::int64_t n, bool relu) {
    using V = Vec<T>;
    each<T>(n, [=](auto m, std::int64_t i) {
        const V x = m.load(gates + i) + m.load(bias + i);
        const V y = relu ? select(x < V(T(0)), V(T(0)), x) : tanh(x);
        m.store(gates + i, y); // the backward reads y there: both derivatives follow from it
        m.store(h + i, y);
    });
}
template <class T>
void simple_backward(const T* gates, const T* gh, const T* gout, T* ggates, std::int64_t n, bool relu) {
    using V = Vec<T>;
    each<T>(n, [=](auto m, std::int64_t i) {
        const V y = m.load(gates + i), g = total(m, gh, gout, i);
        m.store(ggates + i, relu ? select(y <= V(T(0)), V(T(0)), g) : g * (V(T(1)) - y * y));
    });
}

// A row of gates is [i, f, g, o], n elements each, before and after: activations take the place of their arguments,
// which the backward does not need (sigmoid' = s (1 - s), tanh' = 1 - t^2).
template <class T> void lstm(T* gates, const T* bias, const T* c_prev, T* c, T* h, std::int64_t n) {
    using V = Vec<T>;
    each<T>(n, [=](auto m, std::int64_t i) {
        const auto gate = [&](std::int64_t k) { return m.load(gates + k * n + i) + m.load(bias + k * n + i); };
        const V in = sigmoid(gate(0)), forget = sigmoid(gate(1)), cell = tanh(gate(2)), out = sigmoid(gate(3));
        const V next = forget * m.load(c_prev + i) + in * cell;
        m.store(gates + i, in);
        m.store(gates + n + i, forget);
        m.store(gates + 2 * n + i, cell);
        m.store(gates + 3 * n + i, out);
        m.store(c + i, next);
        m.store(h + i, out * tanh(next));
    });
}
template <class T>
void lstm_backward(const T* gates, const T* c_prev, const T* c, const T* gh, const T* gout, T* gc, T* ggates,
                   std::int64_t n) {
    using V = Vec<T>;
    const V one(T(1));
    each<T>(n, [=](auto m, std::int64_t i) {
        const V in = m.load(gates + i), forget = m.load(gates + n + i), cell = m.load(gates + 2 * n + i),
                out = m.load(gates + 3 * n + i), y = tanh(m.load(c + i)), g = total(m, gh, gout, i);
        const V d = m.load(gc + i) + g * out * (one - y * y); // d loss / d c, by the next step's c and by h
        m.store(ggates + i, d * cell * in * (one - in));
        m.store(ggates + n + i, d * m.load(c_prev + i) * forget * (one - forget));
        m.store(ggates + 2 * n + i, d * in * (one - cell * cell));
        m.store(ggates + 3 * n + i, g * y * out * (one - out));
        m.store(gc + i, d * forget); // for the step before
    });
}

// A row of gates is [r, z, n]. The state's product stays apart from the input's, since r multiplies it (with its bias,
// the fourth of `bias`) before both meet in n; `state_n` keeps it for r's gradient.
template <class T>
void gru(T* gates, const T* state_gates, const T* bias, const T* h_prev, T* state_n, T* h, std::int64_t n) {
    using V = Vec<T>;
    each<T>(n, [=](auto m, std::int64_t i) {
        const auto gate = [&](std::int64_t k) {
            return m.load(gates + k * n + i) + m.load(state_gates + k * n + i) + m.load(bias + k * n + i);
        };
        const V r = sigmoid(gate(0)), z = sigmoid(gate(1));
        const V s = m.load(state_gates + 2 * n + i) + m.load(bias + 3 * n + i);
        const V fresh = tanh(m.load(gates + 2 * n + i) + m.load(bias + 2 * n + i) + r * s);
        m.store(gates + i, r);
        m.store(gates + n + i, z);
        m.store(gates + 2 * n + i, fresh);
        m.store(state_n + i, s);
        m.store(h + i, fresh + z * (m.load(h_prev + i) - fresh)); // (1 - z) n + z h
    });
}
template <class T>
void gru_backward(const T* gates, const T* state_n, const T* h_prev, const T* gout, T* gh, T* ggates, T* gstate_gates,
                  std::int64_t n) {
    using V = Vec<T>;
    const V one(T(1));
    each<T>(n, [=](auto m, std::int64_t i) {
        const V r = m.load(gates + i), z = m.load(gates + n + i), fresh = m.load(gates + 2 * n + i),
                g = total(m, gh, gout, i);
        const V dn = g * (one - z) * (one - fresh * fresh), dr = dn * m.load(state_n + i) * r * (one - r),
                dz = g * (m.load(h_prev + i) - fresh) * z * (one - z);
        m.store(ggates + i, dr);
        m.store(ggates + n + i, dz);
        m.store(ggates + 2 * n + i, dn);
        m.store(gstate_gates + i, dr);
        m.store(gstate_gates + n + i, dz);
        m.store(gstate_gates + 2 * n + i, dn * r);
        m.store(gh + i, g * z); // what passes by the gates; products with the weights are added by the caller
    });
}

template <class T> void fill() {
    rnn_kernels<T> = {&simple<T>, &simple_backward<T>, &lstm<T>, &lstm_backward<T>, &gru<T>, &gru_backward<T>};
}

} // namespace

void register_rnn() {
    fill<float>();
    fill<double>();
}

} // namespace reel::cpu::REEL_ISA
