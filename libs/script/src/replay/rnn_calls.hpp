// How the calls of recurrent kernels are kept, which take their operands in structures of references.
#pragma once

#include <reel/autograd/kernels/rnn.hpp>

#include "replay/kernel_calls.hpp"

namespace reel::jit::replay {

struct KeptRnnForward {
    Tensor x, h0, c0, w_ih, w_hh, bias, w_hr, gates, cells, raw, previous, hn, cn;
    operator RnnForward() const { return {x, h0, c0, w_ih, w_hh, bias, w_hr, gates, cells, raw, previous, hn, cn}; }
};
template <> struct Kept<const RnnForward&> {
    using type = KeptRnnForward;
    static type keep(Recorder& r, const RnnForward& f) {
        const auto in = [&](const Tensor& t) { return r.stand_in(t); };
        return {in(f.x),     in(f.h0),    in(f.c0),  in(f.w_ih),     in(f.w_hh), in(f.bias), in(f.w_hr),
                in(f.gates), in(f.cells), in(f.raw), in(f.previous), in(f.hn),   in(f.cn)};
    }
};
template <> struct Parts<RnnForward> {
    static void add(const RnnForward& f, Operands& o) {
        for (const Tensor* t : {&f.x, &f.h0, &f.c0, &f.w_ih, &f.w_hh, &f.bias, &f.w_hr}) o.read.push_back(t);
        for (const Tensor* t : {&f.gates, &f.cells, &f.raw, &f.previous, &f.hn, &f.cn}) o.written.push_back(t);
    }
};

struct KeptRnnBackward {
    Tensor c0, w_hh, w_hr, gates, cells, previous, grad_output, grad_h, grad_c, grad_state_gates, grad_states;
    operator RnnBackward() const {
        return {c0, w_hh, w_hr, gates, cells, previous, grad_output, grad_h, grad_c, grad_state_gates, grad_states};
    }
};
template <> struct Kept<const RnnBackward&> {
    using type = KeptRnnBackward;
    static type keep(Recorder& r, const RnnBackward& b) {
        const auto in = [&](const Tensor& t) { return r.stand_in(t); };
        return {in(b.c0),         in(b.w_hh),        in(b.w_hr),   in(b.gates),  in(b.cells),
                in(b.previous),   in(b.grad_output), in(b.grad_h), in(b.grad_c), in(b.grad_state_gates),
                in(b.grad_states)};
    }
};
template <> struct Parts<RnnBackward> {
    static void add(const RnnBackward& b, Operands& o) {
        for (const Tensor* t : {&b.c0, &b.w_hh, &b.w_hr, &b.gates, &b.cells, &b.previous, &b.grad_output})
            o.read.push_back(t);
        for (const Tensor* t : {&b.grad_h, &b.grad_c, &b.grad_state_gates, &b.grad_states}) o.written.push_back(t);
    }
};

} // namespace reel::jit::replay
