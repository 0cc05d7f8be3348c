// Sample calls made by hand: for schemas that only other samples of their op's name leave out.
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>

#include "sample.hpp"

namespace properties {

namespace {

Tensor numbers(IntArrayRef sizes, std::uint64_t seed = 10) { return noise_like(empty(sizes, kDouble), seed); }
Tensor indices(std::vector<std::int64_t> values) { return tensor(std::move(values), TensorOptions(kLong)); }
Value dims(std::initializer_list<std::int64_t> values) { return Value(std::vector<std::int64_t>(values)); }

struct Made {
    const char* op;
    Args args;
    Kwargs kwargs = {};
};

/// Sequences of 3 and 2 steps, packed: the rows of each step together.
std::vector<Made> packed_layers() {
    const Tensor data = numbers({5, 3}), sizes = indices({2, 2, 1}), state = numbers({1, 2, 2}, 11);
    const auto weights = [](std::int64_t gates) {
        return Value::list({Value(numbers({2 * gates, 3}, 12)), Value(numbers({2 * gates, 2}, 13)),
                            Value(numbers({2 * gates}, 14)), Value(numbers({2 * gates}, 15))});
    };
    const Value both = Value::list({Value(state), Value(numbers({1, 2, 2}, 16))});
    return {{"rnn_tanh", {data, sizes, state, weights(1), true, 1, 0.0, false, false}},
            {"rnn_relu", {data, sizes, state, weights(1), true, 1, 0.0, false, false}},
            {"gru", {data, sizes, state, weights(3), true, 1, 0.0, false, false}},
            {"lstm", {data, sizes, both, weights(4), true, 1, 0.0, false, false}}};
}

std::vector<Made> shapes() {
    const Tensor x = numbers({4, 3}), line = numbers({4});
    const Value tensors = Value::list({Value(numbers({})), Value(line)});
    return {{"atleast_1d", {tensors}},
            {"atleast_2d", {tensors}},
            {"atleast_3d", {tensors}},
            {"movedim", {x, 0, 1}},
            {"split", {x}, {{"split_size", dims({1, 3})}}},
            {"tensor_split", {x, indices({1, 2})}},
            {"vsplit", {x, dims({1, 3})}},
            {"einsum", {"ij,jk->ik", Value::list({Value(x), Value(numbers({3, 2}))})}},
            {"tensordot", {x, numbers({3, 2}), dims({1}), dims({0})}},
            {"masked_fill", {x, x.gt(0), numbers({})}}};
}

std::vector<Made> numbers_of_elements() {
    const Tensor x = numbers({4, 3}), line = numbers({4}), edges = tensor({-2., 0., 3.}, kDouble);
    const Tensor signal = numbers({1, 2, 5}), image = numbers({1, 2, 4, 5}), solid = numbers({1, 2, 3, 4, 3});
    Kwargs weight;
    weight.set("weight", Value(line));
    return {{"_unique2", {line}},
            {"bincount", {indices({0, 2, 2, 1}), line}},
            {"clamp", {x, -0.5, 0.5}},
            {"cbrt", {x}},
            {"clip", {x, -0.5, 0.5}},
            {"deg2rad", {x}},
            {"floor", {x}},
            {"binary_cross_entropy", {x.sigmoid(), numbers({4, 3}, 17).sigmoid()}},
            {"histogram", {line, edges}, weight},
            {"histogramdd", {line.reshape({4, 1}), Value::list({Value(edges)})}, weight},
            {"quantile", {x, tensor({0.25, 0.5}, kDouble), 0}},
            {"nanquantile", {x, 0.3, 0}},
            {"nn.functional.conv1d", {signal, numbers({3, 2, 2})}},
            {"nn.functional.conv2d", {image, numbers({3, 2, 2, 3}), Value(), 1, "same"}},
            {"nn.functional.conv3d", {solid, numbers({2, 2, 2, 2, 2})}}};
}

} // namespace

void add_made_schema_samples(std::vector<Sample>& list) {
    for (const auto& group : {packed_layers(), shapes(), numbers_of_elements()})
        for (const Made& m : group) list.push_back({m.op, "by hand", m.args, m.kwargs, {}});
}

} // namespace properties
