// Steps of recurrent layers, there and back, in float64.
#include <algorithm>
#include <cmath>

#include "cudnn/recurrence.hpp"

namespace reel::cuda::emulation::dnn {

namespace {

using Numbers = std::vector<double>;

View view_of(const Recurring& r, void* data, bool operand) {
    View v;
    v.type = r.layer.type;
    v.data = static_cast<std::byte*>(data);
    v.rounds = operand && r.layer.rounds();
    return v;
}
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// What is kept of one row.
struct Kept {
    double *gates, *cell, *raw, *input_gradients, *state_gradients, *output_gradients;
    Kept(const Recurring& r, std::int64_t row) {
        const Recurrence& l = r.layer;
        const std::int64_t wide = l.gates() * l.hidden;
        gates = reinterpret_cast<double*>(r.kept + stage_bytes) + row * l.kept_per_row();
        cell = gates + wide;
        raw = cell + l.hidden;
        input_gradients = raw + l.hidden;
        state_gradients = input_gradients + wide;
        output_gradients = state_gradients + wide;
    }
};

/// Where a layer's weights are, read one by one.
class Weights {
public:
    Weights(const Recurring& r, void* at, bool operand) : all_(view_of(r, at, operand)) {
        for (int id = 0; id <= 8; ++id) parts_.push_back(r.layer.part(id));
    }
    /// out += M x
    void apply(int id, const double* x, double* out) const {
        const Recurrence::Part& p = parts_[std::size_t(id)];
        for (std::int64_t i = 0; i < p.rows; ++i)
            for (std::int64_t j = 0; j < p.columns; ++j) out[i] += all_.get(p.matrix + i * p.columns + j) * x[j];
    }
    void apply_turned(int id, const double* x, double* out) const {
        const Recurrence::Part& p = parts_[std::size_t(id)];
        for (std::int64_t i = 0; i < p.rows; ++i)
            for (std::int64_t j = 0; j < p.columns; ++j) out[j] += all_.get(p.matrix + i * p.columns + j) * x[i];
    }
    void add_bias(int id, double* out) const {
        const Recurrence::Part& p = parts_[std::size_t(id)];
        for (std::int64_t i = 0; p.bias >= 0 && i < p.rows; ++i) out[i] += all_.get(p.bias + i);
    }
    /// M += g x^T, and the bias += g
    void add_product(int id, const double* g, const double* x) const {
        const Recurrence::Part& p = parts_[std::size_t(id)];
        for (std::int64_t i = 0; i < p.rows; ++i) {
            for (std::int64_t j = 0; j < p.columns; ++j) {
                const std::int64_t at = p.matrix + i * p.columns + j;
                all_.put(at, all_.get(at) + g[i] * x[j]);
            }
            if (p.bias >= 0) all_.put(p.bias + i, all_.get(p.bias + i) + g[i]);
        }
    }

private:
    View all_;
    std::vector<Recurrence::Part> parts_;
};

Numbers row_of(const View& v, std::int64_t row, int width) {
    Numbers all(static_cast<std::size_t>(width));
    for (int i = 0; i < width; ++i) all[std::size_t(i)] = v.get(row * width + i);
    return all;
}
void write_row(const View& v, std::int64_t row, const double* from, int width) {
    for (int i = 0; i < width; ++i) v.put(row * width + i, from[i]);
}
/// Calls `f(row, sequence, row of the step before or -1, is it the sequence's last)` for all rows in order of steps.
template <class F> void each_row(const Rows& rows, bool backwards, F f) {
    std::vector<std::int64_t> first(std::size_t(rows.steps) + 1, 0);
    for (int t = 0; t < rows.steps; ++t) first[std::size_t(t) + 1] = first[std::size_t(t)] + rows.at_step(t);
    for (int k = 0; k < rows.steps; ++k) {
        const int t = backwards ? rows.steps - 1 - k : k;
        for (int b = 0; b < rows.at_step(t); ++b)
            f(first[std::size_t(t)] + b, b, t == 0 ? -1 : first[std::size_t(t) - 1] + b,
              rows.lengths[std::size_t(b)] == t + 1);
    }
}
/// The state from which a row started.
Numbers before(const Recurring& r, const View& y, const View& h0, std::int64_t previous, int sequence) {
    return previous < 0 ? row_of(h0, sequence, r.layer.out) : row_of(y, previous, r.layer.out);
}

/// One row through the cell: `sums` are the gates' of input and state; gives the output before its projection.
Numbers cell_forward(const Recurrence& l, const Numbers& of_input, const Numbers& of_state, const Numbers& h,
                     const Numbers& c, const Kept& k) {
    const int n = l.hidden;
    Numbers out(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
        const auto sum = [&](int gate) {
            return of_input[std::size_t(gate * n + i)] + of_state[std::size_t(gate * n + i)];
        };
        double& y = out[std::size_t(i)];
        if (l.cell == CUDNN_LSTM) {
            const double in = sigmoid(sum(0)), forget = sigmoid(sum(1)), fresh = std::tanh(sum(2)),
                         open = sigmoid(sum(3)), cell = forget * c[std::size_t(i)] + in * fresh;
            k.gates[i] = in, k.gates[n + i] = forget, k.gates[2 * n + i] = fresh, k.gates[3 * n + i] = open;
            k.cell[i] = cell;
            y = open * std::tanh(cell);
        } else if (l.cell == CUDNN_GRU) {
            const double reset = sigmoid(sum(0)), keep = sigmoid(sum(1)), part = of_state[std::size_t(2 * n + i)],
                         fresh = std::tanh(of_input[std::size_t(2 * n + i)] + reset * part);
            k.gates[i] = reset, k.gates[n + i] = keep, k.gates[2 * n + i] = fresh;
            k.cell[i] = part;
            y = (1 - keep) * fresh + keep * h[std::size_t(i)];
        } else {
            y = l.cell == CUDNN_RNN_TANH ? std::tanh(sum(0)) : std::max(0.0, sum(0));
            k.gates[i] = y;
        }
        k.raw[i] = y;
    }
    return out;
}
/// The gates' gradients from that of the output; `gc` is the cell's and becomes that of the step before; adds to `gh`
/// what goes to the state directly.
void cell_backward(const Recurrence& l, const Numbers& g, const Numbers& h, const Numbers& c, Numbers& gc, Numbers& gh,
                   const Kept& k) {
    const int n = l.hidden;
    for (int i = 0; i < n; ++i) {
        const auto e = std::size_t(i);
        const auto give = [&](int gate, double v, double to_state) {
            k.input_gradients[gate * n + i] = v;
            k.state_gradients[gate * n + i] = to_state;
        };
        if (l.cell == CUDNN_LSTM) {
            const double in = k.gates[i], forget = k.gates[n + i], fresh = k.gates[2 * n + i],
                         open = k.gates[3 * n + i], shown = std::tanh(k.cell[i]),
                         of_cell = gc[e] + g[e] * open * (1 - shown * shown), gi = of_cell * fresh * in * (1 - in),
                         gf = of_cell * c[e] * forget * (1 - forget), gn = of_cell * in * (1 - fresh * fresh),
                         go = g[e] * shown * open * (1 - open);
            give(0, gi, gi), give(1, gf, gf), give(2, gn, gn), give(3, go, go);
            gc[e] = of_cell * forget;
        } else if (l.cell == CUDNN_GRU) {
            const double reset = k.gates[i], keep = k.gates[n + i], fresh = k.gates[2 * n + i],
                         gn = g[e] * (1 - keep) * (1 - fresh * fresh), gz = g[e] * (h[e] - fresh) * keep * (1 - keep),
                         gr = gn * k.cell[i] * reset * (1 - reset);
            give(0, gr, gr), give(1, gz, gz), give(2, gn, gn * reset);
            gh[e] += g[e] * keep;
        } else {
            const double y = k.gates[i], v = l.cell == CUDNN_RNN_TANH ? g[e] * (1 - y * y) : y > 0 ? g[e] : 0;
            give(0, v, v);
        }
    }
}

} // namespace

void recur(const Recurring& r) {
    const Recurrence& l = r.layer;
    const View x = view_of(r, r.x, true), y = view_of(r, r.y, false), h0 = view_of(r, r.h0, true),
               c0 = view_of(r, r.c0, false), hn = view_of(r, r.hn, false), cn = view_of(r, r.cn, false);
    const Weights w(r, r.weights, true);
    const auto wide = std::size_t(l.gates() * l.hidden);
    std::vector<Numbers> cells(std::size_t(r.rows.batch()), Numbers(std::size_t(l.hidden)));
    if (l.cell == CUDNN_LSTM)
        for (int b = 0; b < r.rows.batch(); ++b) cells[std::size_t(b)] = row_of(c0, b, l.hidden);
    Numbers unkept(std::size_t(l.kept_per_row()) + stage_bytes / sizeof(double));
    Recurring into = r;
    each_row(r.rows, false, [&](std::int64_t row, int b, std::int64_t previous, bool last) {
        if (!r.kept) into.kept = reinterpret_cast<std::byte*>(unkept.data());
        const Kept k(into, r.kept ? row : 0);
        const Numbers in = row_of(x, row, l.in), h = before(r, y, h0, previous, b);
        Numbers of_input(wide), of_state(wide);
        for (int g = 0; g < l.gates(); ++g) {
            w.apply(g, in.data(), &of_input[std::size_t(g * l.hidden)]);
            w.add_bias(g, &of_input[std::size_t(g * l.hidden)]);
            w.apply(l.gates() + g, h.data(), &of_state[std::size_t(g * l.hidden)]);
            w.add_bias(l.gates() + g, &of_state[std::size_t(g * l.hidden)]);
        }
        Numbers out = cell_forward(l, of_input, of_state, h, cells[std::size_t(b)], k);
        if (l.cell == CUDNN_LSTM) cells[std::size_t(b)].assign(k.cell, k.cell + l.hidden);
        if (l.projects()) {
            Numbers less(static_cast<std::size_t>(l.out));
            w.apply(2 * l.gates(), out.data(), less.data());
            out = less;
        }
        write_row(y, row, out.data(), l.out);
        if (last && r.hn) write_row(hn, b, out.data(), l.out);
        if (last && r.cn) write_row(cn, b, cells[std::size_t(b)].data(), l.hidden);
    });
}

void recur_back(const Recurring& r) {
    const Recurrence& l = r.layer;
    const View y = view_of(r, r.y, false), h0 = view_of(r, r.h0, true), c0 = view_of(r, r.c0, false),
               gy = view_of(r, r.gy, false), ghn = view_of(r, r.ghn, false), gcn = view_of(r, r.gcn, false),
               gx = view_of(r, r.gx, false), gh0 = view_of(r, r.gh0, false), gc0 = view_of(r, r.gc0, false);
    const Weights w(r, r.weights, true);
    std::vector<Numbers> states(std::size_t(r.rows.batch())), cells(states);
    each_row(r.rows, true, [&](std::int64_t row, int b, std::int64_t previous, bool last) {
        Numbers &carried = states[std::size_t(b)], &gc = cells[std::size_t(b)];
        const bool lstm = l.cell == CUDNN_LSTM;
        if (last) {
            carried = row_of(ghn, b, l.out);
            gc = lstm ? row_of(gcn, b, l.hidden) : Numbers();
        }
        const Kept k(r, row);
        Numbers g = row_of(gy, row, l.out), through(static_cast<std::size_t>(l.hidden));
        for (std::size_t i = 0; i < g.size(); ++i) k.output_gradients[i] = g[i] += carried[i];
        if (l.projects()) w.apply_turned(2 * l.gates(), g.data(), through.data());
        else through = g;
        const Numbers h = before(r, y, h0, previous, b);
        Numbers c;
        if (lstm && previous < 0) c = row_of(c0, b, l.hidden);
        else if (lstm) c.assign(Kept(r, previous).cell, Kept(r, previous).cell + l.hidden);
        carried.assign(std::size_t(l.out), 0);
        cell_backward(l, through, h, c, gc, carried, k);
        Numbers to_input(static_cast<std::size_t>(l.in));
        for (int gate = 0; gate < l.gates(); ++gate) {
            w.apply_turned(gate, k.input_gradients + gate * l.hidden, to_input.data());
            w.apply_turned(l.gates() + gate, k.state_gradients + gate * l.hidden, carried.data());
        }
        write_row(gx, row, to_input.data(), l.in);
        if (previous >= 0) return;
        if (r.gh0) write_row(gh0, b, carried.data(), l.out);
        if (r.gc0 && lstm) write_row(gc0, b, gc.data(), l.hidden);
    });
}

void recur_back_to_weights(const Recurring& r) {
    const Recurrence& l = r.layer;
    const View x = view_of(r, r.x, true), y = view_of(r, r.y, false), h0 = view_of(r, r.h0, true);
    const Weights sums(r, r.gweights, false);
    each_row(r.rows, false, [&](std::int64_t row, int b, std::int64_t previous, bool) {
        const Kept k(r, row);
        const Numbers in = row_of(x, row, l.in), h = before(r, y, h0, previous, b);
        for (int g = 0; g < l.gates(); ++g) {
            sums.add_product(g, k.input_gradients + g * l.hidden, in.data());
            sums.add_product(l.gates() + g, k.state_gradients + g * l.hidden, h.data());
        }
        if (l.projects()) sums.add_product(2 * l.gates(), k.output_gradients, k.raw);
    });
}

} // namespace reel::cuda::emulation::dnn
