// Sample calls made by hand: random numbers, layouts, indices and what else no reference case covers.
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "sample.hpp"

namespace properties {

namespace {

/// Numbers of no pattern, the same in every run.
Tensor numbers(IntArrayRef sizes, ScalarType dtype = kDouble) {
    return noise_like(empty(sizes, dtype), std::uint64_t(7 + sizes.size()));
}
Tensor longs(std::initializer_list<std::int64_t> values) {
    return tensor(std::vector<std::int64_t>(values), TensorOptions(kLong));
}
Value list(std::initializer_list<std::int64_t> values) { return Value(std::vector<std::int64_t>(values)); }

/// The arguments of one call each.
struct Made {
    const char* op;
    Args args;
    Kwargs kwargs = {};
};

std::vector<Made> random_calls() {
    const Tensor x = numbers({3, 4}), p = x.sigmoid();
    return {{"alpha_dropout", {x, 0.4, true}},
            {"feature_alpha_dropout", {x, 0.4, true}},
            {"dropout", {x, 0.4, true}},
            {"feature_dropout", {numbers({2, 3, 4}), 0.4, true}},
            {"nn.functional.rrelu", {x}, {{"training", true}}},
            {"bernoulli", {p}},
            {"bernoulli", {p, 0.3}},
            {"multinomial", {p, 2}},
            {"normal", {x, 0.5}},
            {"normal", {0.5, p}},
            {"normal", {x, p}},
            {"bernoulli_", {x, 0.3}},
            {"exponential_", {x, 2.0}},
            {"normal_", {x, 1.0, 2.0}},
            {"normal_", {numbers({4, 4}), 1.0, 2.0}},
            {"normal_", {numbers({2, 2}, kComplexDouble)}},
            {"random_", {x, 0, 5}},
            {"random_", {x, 5}},
            {"random_", {x}},
            {"uniform_", {x, -1.0, 2.0}},
            {"rand", {list({2, 3})}},
            {"randn", {list({2, 3})}},
            {"randint", {5, list({2, 3})}},
            {"randint", {-5, 5, list({2, 3})}},
            {"randperm", {5}},
            {"rand_like", {x}},
            {"randn_like", {x}},
            {"randint_like", {x, 5}},
            {"normal", {0.5, 2.0, list({2, 3})}}};
}

std::vector<Made> layout_calls() {
    const Tensor x = numbers({3, 4});
    return {{"alias", {x}},
            {"adjoint", {numbers({2, 3}, kComplexDouble)}},
            {"copy_", {x, numbers({4})}},
            {"fill_diagonal_", {x, 2.0}},
            {"resize_", {x, list({2, 3})}},
            {"resize_as_", {x, numbers({2, 3})}},
            {"type_as", {x, numbers({2})}},
            {"empty", {list({2, 3})}},
            {"empty_like", {x}},
            {"new_empty", {x, list({2, 3})}},
            {"empty_permuted", {list({2, 3}), list({1, 0})}},
            {"empty_strided", {list({2, 3}), list({1, 2})}}};
}

std::vector<Made> index_calls() {
    const Tensor x = numbers({3, 4}), mask = x > 0;
    return {{"index", {x, Value::list({Value(longs({0, 2, 2}))})}},
            {"index", {x, Value::list({Value(), Value(longs({3, 1}))})}},
            {"index", {x, Value::list({Value(mask)})}},
            {"binary_cross_entropy", {x.sigmoid(), x.sin().sigmoid()}},
            {"embedding", {numbers({4, 3}), longs({0, 2, 2}), -1, false}},
            {"nonzero_numpy", {mask}},
            {"_unique2", {longs({3, 1, 3})}},
            {"unique_with_all", {x}},
            {"unique_consecutive_with_all", {x}},
            {"unique_dim", {x, 0}},
            {"vander", {numbers({3})}}};
}

/// Calls in C++, whose order of arguments is libtorch's; by name it is PyTorch's.
std::vector<Sample> ordered_calls() {
    const Tensor x = numbers({3, 4}), mask = x > 0, rows = longs({0, 2, 2}), table = numbers({4, 3});
    const auto at = [](const Args& a, std::size_t i) -> const Tensor& { return a.at(i).toTensor(); };
    std::vector<Sample> out;
    const auto add = [&](const char* op, const char* how, Args args, std::function<Value(const Args&)> call) {
        out.push_back({op, str("by hand, ", how), std::move(args), {}, std::move(call), false});
        // By definition, gradients of padding are zero and those by frequency are divided by it.
        out.back().by_convention = std::string_view(how).find("padd") != std::string_view::npos;
    };
    add("where", "tensors", {mask, x, numbers({4})},
        [=](const Args& a) -> Value { return where(at(a, 0), at(a, 1), at(a, 2)); });
    add("where", "complex", {mask, numbers({3, 4}, kComplexDouble), x},
        [=](const Args& a) -> Value { return where(at(a, 0), at(a, 1), at(a, 2)); });
    add("where", "places", {mask}, [=](const Args& a) -> Value { return Value(where(at(a, 0))); });
    add("nn.functional.embedding", "plain", {table, rows},
        [=](const Args& a) -> Value { return embedding(at(a, 0), at(a, 1)); });
    add("nn.functional.embedding", "padding, by frequency", {table, rows},
        [=](const Args& a) -> Value { return functional_embedding(at(a, 1), at(a, 0), 0, std::nullopt, 2., true); });
    const Tensor chances = sigmoid(numbers({3, 1})), truth = sigmoid(numbers({3}));
    for (const char* reduction : {"none", "mean"})
        add("binary_cross_entropy", reduction, {chances, truth},
            [=](const Args& a) -> Value { return binary_cross_entropy(at(a, 0), at(a, 1), Tensor(), reduction); });
    for (const char* mode : {"sum", "mean", "max"})
        add("nn.functional.embedding_bag", mode, {table, rows, longs({0, 1})}, [=](const Args& a) -> Value {
            return functional_embedding_bag(at(a, 1), at(a, 0), at(a, 2), std::nullopt, 2., false, mode);
        });
    add("nn.functional.embedding_bag", "weighted", {table, rows, longs({0, 1}), numbers({3})},
        [=](const Args& a) -> Value {
            return functional_embedding_bag(at(a, 1), at(a, 0), at(a, 2), std::nullopt, 2., false, "sum", false,
                                            at(a, 3));
        });
    add("nn.functional.embedding_bag", "mean by frequency, padded", {table, rows, longs({0, 1})},
        [=](const Args& a) -> Value {
            return functional_embedding_bag(at(a, 1), at(a, 0), at(a, 2), std::nullopt, 2., true, "mean", false,
                                            Tensor(), false, 0);
        });
    return out;
}

} // namespace

void add_made_samples(std::vector<Sample>& list) {
    for (const auto& calls : {random_calls(), layout_calls(), index_calls()})
        for (const Made& m : calls) list.push_back({m.op, "by hand", m.args, m.kwargs, {}, false});
    for (Sample& s : ordered_calls()) list.push_back(std::move(s));
}

} // namespace properties
