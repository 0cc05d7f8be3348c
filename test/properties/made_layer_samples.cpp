// Sample calls made by hand: factorisations, recurrent layers, normalisation and pooling.
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "sample.hpp"

namespace properties {

namespace {

Tensor numbers(IntArrayRef sizes, std::uint64_t seed = 3, ScalarType dtype = kDouble) {
    return noise_like(empty(sizes, dtype), seed);
}
Tensor longs(std::initializer_list<std::int64_t> values) {
    return tensor(std::vector<std::int64_t>(values), TensorOptions(kLong));
}
Value list(std::initializer_list<std::int64_t> values) { return Value(std::vector<std::int64_t>(values)); }
/// A A^H + 1: positive definite, with eigenvalues apart from each other.
Tensor definite(std::int64_t n, ScalarType dtype = kDouble) {
    const Tensor a = numbers({n, n}, 5, dtype);
    return matmul(a, conj(transpose(a, 0, 1)).resolve_conj()) + eye(n, n, TensorOptions(dtype));
}

struct Made {
    const char* op;
    Args args;
    Kwargs kwargs = {};
};

std::vector<Made> factorisations() {
    std::vector<Made> out;
    for (const ScalarType t : {kDouble, kComplexDouble}) {
        const Tensor square = numbers({3, 3}, 11, t), tall = numbers({4, 3}, 12, t), wide = numbers({3, 4}, 13, t),
                     sides = numbers({4, 2}, 14, t);
        for (const char* op : {"cholesky", "linalg.eigh", "linalg.ldl_factor", "linalg.ldl_factor_ex"})
            out.push_back({op, {definite(3, t)}});
        for (const char* op : {"linalg.eig", "geqrf"}) out.push_back({op, {square}});
        for (const char* op : {"linalg.qr", "qr"})
            for (const Tensor& a : {square, tall, wide}) out.push_back({op, {a}});
        for (const Tensor& a : {square, tall, wide}) {
            out.push_back({"linalg.svd", {a}, {{"full_matrices", false}}});
            out.push_back({"svd", {a}});
        }
        out.push_back({"linalg.lstsq", {tall, sides}});
        out.push_back({"chain_matmul", {Value(std::vector<Tensor>{square, wide, sides})}});
    }
    return out;
}

std::vector<Made> recurrent_layers() {
    const std::int64_t in = 3, hidden = 2, steps = 3, batch = 2;
    std::vector<Made> out;
    const Tensor x = numbers({steps, batch, in}, 20), h = numbers({1, batch, hidden}, 21),
                 c = numbers({1, batch, hidden}, 22), row = numbers({batch, in}, 23), h0 = numbers({batch, hidden}, 24),
                 c0 = numbers({batch, hidden}, 25);
    const auto weights = [&](std::int64_t gates) {
        const std::int64_t g = gates * hidden;
        return std::vector<Tensor>{numbers({g, in}, 30), numbers({g, hidden}, 31), numbers({g}, 32), numbers({g}, 33)};
    };
    const auto layer = [&](const char* op, std::int64_t gates, const Value& state) {
        out.push_back({op, {x, state, Value(weights(gates)), true, 1, 0.0, true, false, false}});
    };
    const auto cell = [&](const char* op, std::int64_t gates, const Value& state) {
        Args args{row, state};
        for (const Tensor& w : weights(gates)) args.push_back(w);
        out.push_back({op, std::move(args)});
    };
    layer("rnn_tanh", 1, h);
    layer("rnn_relu", 1, h);
    layer("gru", 3, h);
    layer("lstm", 4, Value(std::vector<Tensor>{h, c}));
    cell("rnn_tanh_cell", 1, h0);
    cell("rnn_relu_cell", 1, h0);
    cell("gru_cell", 3, h0);
    cell("lstm_cell", 4, Value(std::vector<Tensor>{h0, c0}));
    out.push_back({"_pack_padded_sequence", {x, longs({3, 2}), false}});
    out.push_back({"_pad_packed_sequence", {numbers({5, in}, 26), longs({2, 2, 1}), false, 0.0, 3}});
    return out;
}

std::vector<Made> norms_and_pools() {
    const Tensor x = numbers({2, 3, 4}, 40), weight = numbers({3}, 41), bias = numbers({3}, 42),
                 mean = numbers({3}, 43), var = numbers({3}, 44).abs() + 0.5, line = numbers({2, 3, 6}, 45),
                 plane = numbers({2, 2, 4, 5}, 46), box = numbers({1, 2, 4, 4, 4}, 47);
    std::vector<Made> out;
    for (const char* op : {"batch_norm", "instance_norm"}) {
        out.push_back({op, {x, weight, bias, mean, var, true, 0.1, 1e-5, true}});
        out.push_back({op, {x, weight, bias, mean, var, false, 0.1, 1e-5, true}});
        out.push_back({op, {x, Value(), Value(), Value(), Value(), true, 0.1, 1e-5, true}});
    }
    for (const char* op : {"max_pool1d", "max_pool1d_with_indices"}) out.push_back({op, {line, list({2})}});
    for (const char* op : {"max_pool2d", "max_pool2d_with_indices"}) out.push_back({op, {plane, list({2, 2})}});
    for (const char* op : {"max_pool3d", "max_pool3d_with_indices"}) out.push_back({op, {box, list({2, 2, 2})}});
    out.push_back({"adaptive_max_pool1d", {line, list({4})}});
    out.push_back({"adaptive_max_pool2d", {plane, list({3, 2})}});
    out.push_back({"adaptive_max_pool3d", {box, list({3, 2, 2})}});
    out.push_back({"nn.functional.lp_pool1d", {line, 2.0, list({2})}});
    out.push_back({"nn.functional.lp_pool2d", {plane, 3.0, list({2, 2})}});
    out.push_back({"nn.functional.lp_pool3d", {box, 2.0, list({2, 2, 2})}});
    out.push_back({"nn.functional.triplet_margin_with_distance_loss", {line, line + 0.4, numbers({2, 3, 6}, 49)}});
    out.push_back({"nn.functional.fold", {numbers({1, 8, 4}, 48), list({3, 3}), list({2, 2})}});
    return out;
}

} // namespace

void add_made_layer_samples(std::vector<Sample>& list) {
    for (const auto& calls : {factorisations(), recurrent_layers(), norms_and_pools()})
        for (const Made& m : calls) list.push_back({m.op, "by hand", m.args, m.kwargs, {}, false});
}

} // namespace properties
