// Sample calls made by hand: functions of Python that have names, orders or defaults of their own, draws, low rank.
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "sample.hpp"

namespace properties {

namespace {

Tensor numbers(IntArrayRef sizes, std::uint64_t seed = 9, ScalarType dtype = kDouble) {
    return noise_like(empty(sizes, dtype), seed);
}
Value list(std::initializer_list<std::int64_t> values) { return Value(std::vector<std::int64_t>(values)); }

struct Made {
    const char* op;
    Args args;
    Kwargs kwargs = {};
};

std::vector<Made> names_of_python() {
    const Tensor x = numbers({3, 4}), square = numbers({3, 3}), image = numbers({2, 3, 4}), table = numbers({4, 3});
    const Tensor rows = tensor(std::vector<std::int64_t>{0, 2, 2}, TensorOptions(kLong));
    return {{"relu", {x}},
            {"det", {square}},
            {"inverse", {square}},
            {"slogdet", {square}},
            {"orgqr", {table, numbers({3})}},
            {"swapaxes", {x, 0, 1}},
            {"special.log_softmax", {x, 1}},
            {"nn.functional.softmax", {x, 1}},
            {"nn.functional.log_softmax", {x, 1}},
            {"embedding", {table, rows}},
            {"nn.functional.dropout", {x, 0.4}},
            {"nn.functional.dropout1d", {image, 0.4}},
            {"nn.functional.dropout2d", {numbers({2, 3, 2, 2}), 0.4}},
            {"nn.functional.dropout3d", {numbers({2, 3, 2, 2, 2}), 0.4}},
            {"nn.functional.alpha_dropout", {x, 0.4, true}},
            {"nn.functional.feature_alpha_dropout", {image, 0.4, true}}};
}

std::vector<Made> draws() {
    const Tensor x = numbers({3, 4}), rates = x.exp() * 6, p = x.sigmoid();
    return {{"poisson", {rates}},         {"binomial", {(rates * 3).round(), p}},    {"geometric_", {x, 0.3}},
            {"cauchy_", {x, 1.0, 2.0}},   {"log_normal_", {x, 0.5, 0.25}},           {"bernoulli_", {x, p}},
            {"random_", {x, 5, Value()}}, {"nn.functional.gumbel_softmax", {x, 0.7}}};
}

std::vector<Made> grids_and_pools() {
    const Tensor image = numbers({1, 2, 6, 5}), solid = numbers({1, 5, 4, 6}), theta = numbers({2, 2, 3});
    std::vector<Made> out{{"affine_grid_generator", {theta, list({2, 1, 2, 3}), false}},
                          {"affine_grid_generator", {numbers({1, 3, 4}), list({1, 1, 2, 2, 3}), true}},
                          {"nn.functional.affine_grid", {theta, list({2, 1, 2, 3}), true}},
                          {"cross_map_lrn2d", {numbers({2, 5, 2, 2}), 3, 0.5}}};
    for (const char* op : {"fractional_max_pool2d_with_indices", "nn.functional.fractional_max_pool2d"})
        out.push_back({op, {image, 2, list({3, 3})}});
    for (const char* op : {"fractional_max_pool3d_with_indices", "nn.functional.fractional_max_pool3d"})
        out.push_back({op, {solid, 2, list({3, 2, 4})}});
    return out;
}

std::vector<Made> matrices() {
    const Tensor x = numbers({4, 3}), square = numbers({7, 7});
    return {{"frobenius_norm", {x, list({0, 1})}},
            {"nuclear_norm", {x}},
            {"nuclear_norm", {numbers({2, 4, 3}), list({1, 2})}},
            {"svd_lowrank", {x, 2}},
            {"pca_lowrank", {x, 2}},
            {"lobpcg", {square, 2}, {{"tol", 1e-14}}}};
}

std::vector<Made> memory() {
    const Tensor x = numbers({3, 4}), pairs = numbers({3, 2});
    return {{"is_nonzero", {numbers({1})}},
            {"tolist", {x}},
            {"set_", {x, numbers({5})}},
            {"detach", {x}},
            {"detach_copy", {x}},
            {"select_copy", {x, 0, 1}},
            {"slice_copy", {x, 1, 1, 3}},
            {"split_copy", {x, 2, 1}},
            {"view_as_complex_copy", {pairs}},
            {"view_as_real_copy", {numbers({3}, 4, kComplexDouble)}},
            {"view", {x, Value(kLong)}},
            {"view_copy", {x, Value(kLong)}}};
}

} // namespace

void add_made_python_samples(std::vector<Sample>& list) {
    for (const auto& calls : {names_of_python(), draws(), grids_and_pools(), matrices(), memory()})
        for (const Made& m : calls) list.push_back({m.op, "by hand", m.args, m.kwargs, {}, false});
}

} // namespace properties
