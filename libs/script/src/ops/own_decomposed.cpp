// Operators that no function of the reference's Python calls by name: they are what decomposed programs, older archives
// and the library's own helpers consist of.
#include <algorithm>

#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/index.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include <reel/script/operator.hpp>

#include "ops/own.hpp"

namespace reel::jit::own {

namespace {

using Span = std::span<IValue>;
using Int = std::int64_t;

const ops::Op& op(const char* name) { return ops::registry().at(name); }
IValue run(const char* name, std::vector<IValue> arguments) { return find_operator(name)->run(arguments); }

/// The operator named, with the tensors at the front as numbers (`linspace` between two tensors).
template <std::size_t n> IValue of_numbers(const char* name, Span a) {
    std::vector<IValue> arguments(a.begin(), a.end());
    for (std::size_t i = 0; i < n; ++i)
        if (arguments[i].isTensor()) {
            const Tensor& t = arguments[i].toTensor();
            REEL_CHECK(t.dim() == 0, name, ": the ", i == 0 ? "start" : "end", " has shape ", t.sizes(),
                       "; expected a tensor without dimensions");
            arguments[i] = t.item();
        }
    return run(name, std::move(arguments));
}
IValue linspace(Span a) { return of_numbers<2>("aten::linspace", a); }
IValue logspace(Span a) { return of_numbers<2>("aten::logspace", a); }

/// self, weight, bias, pad: dimensions are time, batch, channel; the weight's those of the window, input and output.
IValue conv_tbc(Span a) {
    const Tensor &x = a[0].toTensor(), &weight = a[1].toTensor();
    REEL_CHECK(x.dim() == 3 && weight.dim() == 3, "conv_tbc: input has shape ", x.sizes(), " and weight ",
               weight.sizes(), "; expected 3 dimensions each");
    static const ops::Op& conv = op("nn.functional.conv1d");
    return conv.call({x.permute({1, 2, 0}), weight.permute({2, 1, 0}), a[2], 1, a[3]}).toTensor().permute({2, 0, 1});
}
/// self, indices, max_norm, norm_type
IValue embedding_renorm(Span a) {
    const NoGradGuard no_grad;
    return run("aten::embedding_renorm_", {a[0].toTensor().detach().clone(), a[1], a[2], a[3]});
}
/// self, size, memory_format: as many elements as before, and more of any value.
IValue resized(const Tensor& self, const std::vector<Int>& size) {
    const NoGradGuard no_grad;
    Tensor out = self.detach().clone(MemoryFormat::Contiguous);
    return out.resize_(size);
}
IValue resize(Span a) { return resized(a[0].toTensor(), a[1].toIntVector()); }
IValue resize_as(Span a) { return resized(a[0].toTensor(), a[1].toTensor().sizes().vec()); }
/// self, A, upper, transpose, unitriangular
IValue triangular_solve(Span a) {
    static const ops::Op& solve = op("linalg.solve_triangular");
    const Tensor& matrix = a[1].toTensor();
    const bool transposed = a[3].toBool();
    Kwargs options;
    options.set("upper", a[2].toBool() != transposed);
    options.set("unitriangular", a[4]);
    return IValue::tuple({solve.call({transposed ? matrix.transpose(-2, -1) : matrix, a[0]}, options), matrix.clone()});
}

std::vector<indexing::TensorIndex> places(const IValue& indices) {
    std::vector<indexing::TensorIndex> out;
    for (const IValue& v : indices.elements()) {
        if (v.isNone()) out.emplace_back(indexing::Slice());
        else out.emplace_back(v.toTensor());
    }
    return out;
}
/// Where the mask does not hold, an index may be anything; zero is always one.
IValue checked_indices(const Tensor& self, const Tensor& mask, const IValue& indices) {
    Args out;
    Int d = 0;
    for (const IValue& v : indices.elements()) {
        out.push_back(
            v.isNone()
                ? v
                : IValue(v.toTensor().masked_fill(mask.logical_not(), 0).clamp(-self.size(d), self.size(d) - 1)));
        ++d;
    }
    return IValue::list(std::move(out));
}
/// self, mask, indices, fill
IValue masked_index(Span a) {
    const Tensor &self = a[0].toTensor(), &mask = a[1].toTensor();
    const Tensor found = self.index(places(checked_indices(self, mask, a[2])));
    return found.masked_fill(mask.logical_not(), a[3].toScalar());
}
/// self, mask, indices, values
IValue masked_index_add(Span a) {
    const Tensor &self = a[0].toTensor(), &mask = a[1].toTensor();
    const Tensor values = a[3].toTensor().masked_fill(mask.logical_not(), 0);
    return run("aten::index_put", {self, checked_indices(self, mask, a[2]), values, true});
}

/// grad_output, output, dim, input_dtype
IValue softmax_backward(Span a) {
    const Tensor &out = a[1].toTensor(), part = a[0].toTensor() * out;
    return part - out * part.sum({a[2].toInt()}, true);
}
IValue log_softmax_backward(Span a) {
    const Tensor& grad = a[0].toTensor();
    return grad - a[1].toTensor().exp() * grad.sum({a[2].toInt()}, true);
}
/// grad_output, mask, scale
IValue dropout_backward(Span a) { return a[0].toTensor() * a[1].toTensor() * a[2].toDouble(); }
/// grad_output, output
IValue tanh_backward(Span a) {
    const Tensor& out = a[1].toTensor();
    return a[0].toTensor() * (1 - out * out);
}
IValue sigmoid_backward(Span a) {
    const Tensor& out = a[1].toTensor();
    return a[0].toTensor() * (1 - out) * out;
}
/// grad_output, self, threshold
IValue threshold_backward(Span a) { return a[0].toTensor().masked_fill(a[1].toTensor().le(a[2].toScalar()), 0); }

/// v, pow, dim
IValue norm_except_dim(Span a) {
    static const ops::Op& norm = op("linalg.vector_norm");
    const Tensor& v = a[0].toTensor();
    const Int dim = a[2].toInt();
    if (dim == -1) return norm.call({v, double(a[1].toInt())});
    REEL_CHECK_INDEX(dim >= 0 && dim < v.dim(), "norm_except_dim: dim is ", dim, "; v has shape ", v.sizes());
    std::vector<Int> others;
    for (Int i = 0; i < v.dim(); ++i)
        if (i != dim) others.push_back(i);
    return others.empty() ? IValue(v.abs()) : norm.call({v, double(a[1].toInt()), IValue(others), true});
}
IValue shape_as_tensor(Span a) {
    const Tensor& t = a[0].toTensor();
    Tensor out = empty({t.dim()}, TensorOptions(kLong));
    std::copy(t.sizes().begin(), t.sizes().end(), out.data_ptr<Int>());
    return out;
}
/// self, pad, mode, value: modes are constant, reflect, replicate and circular.
IValue pad_enum(Span a) {
    static const ops::Op& pad = op("nn.functional.pad");
    static constexpr const char* modes[] = {"constant", "reflect", "replicate", "circular"};
    const Int mode = a[2].toInt();
    REEL_CHECK_VALUE(mode >= 0 && mode < 4, "_pad_enum: mode is ", mode, "; expected 0 to 3");
    return pad.call({a[0], a[1], modes[mode], a[3]});
}
IValue pad_circular(Span a) {
    static const ops::Op& pad = op("nn.functional.pad");
    return pad.call({a[0], a[1], "circular"});
}
IValue is_all(Span a) {
    static const ops::Op& all = op("all");
    return all.call({a[0]});
}
IValue is_any(Span a) {
    static const ops::Op& any = op("any");
    return any.call({a[0]});
}
/// size, min, max
IValue check_range(Span a) {
    const double n = a[0].toScalar().toDouble();
    REEL_CHECK((a[1].isNone() || n >= double(a[1].toInt())) && (a[2].isNone() || n <= double(a[2].toInt())),
               "a size is ", n, "; the program was exported for one from ", a[1].isNone() ? "any" : str(a[1].toInt()),
               " to ", a[2].isNone() ? "any" : str(a[2].toInt()));
    return {};
}
/// tensors, dim, num_chunks: the chunks of each, padded with zeros and laid flat, side by side.
IValue chunk_cat(Span a) {
    static const ops::Op& cat = op("cat");
    const Int chunks = a[2].toInt();
    REEL_CHECK_VALUE(chunks >= 1, "_chunk_cat: num_chunks is ", chunks, "; expected at least 1");
    Args parts;
    Int dim = a[1].toInt();
    for (const Tensor& t : a[0].toTensorVector()) {
        REEL_CHECK(dim >= -t.dim() && dim < t.dim(), "_chunk_cat: dim is ", dim, "; expected a dimension of ",
                   t.sizes());
        if (dim < 0) dim += t.dim();
        const Int each = (t.size(dim) + chunks - 1) / chunks;
        std::vector<Int> size = t.sizes().vec();
        size[std::size_t(dim)] = each * chunks;
        Tensor wide = t;
        if (each * chunks != t.size(dim)) {
            size[std::size_t(dim)] -= t.size(dim);
            wide = cat.call({IValue::list({t, t.new_zeros(size)}), dim}).toTensor();
        }
        std::vector<Int> flat(t.sizes().begin(), t.sizes().begin() + std::ptrdiff_t(dim));
        flat.push_back(chunks);
        flat.push_back(-1);
        parts.push_back(wide.reshape(flat));
    }
    return cat.call({IValue::list(std::move(parts)), dim + 1});
}
/// What `nn.init` does in a script: in place, and not on the tape.
IValue without_gradients(const char* name, Span a) {
    const NoGradGuard no_grad;
    return run(name, std::vector<IValue>(a.begin(), a.end()));
}
template <ScalarType type> IValue cast(Span a) { return a[0].toTensor().to(type); }

constexpr Line lines[] = {
    {"aten::linspace.Tensor_Tensor", linspace},
    {"aten::linspace.Tensor_Scalar", linspace},
    {"aten::linspace.Scalar_Tensor", linspace},
    {"aten::logspace.Tensor_Tensor", logspace},
    {"aten::logspace.Tensor_Scalar", logspace},
    {"aten::logspace.Scalar_Tensor", logspace},
    {"aten::conv_tbc", conv_tbc},
    {"aten::embedding_renorm", embedding_renorm},
    {"aten::resize", resize},
    {"aten::resize_as", resize_as},
    {"aten::triangular_solve", triangular_solve},
    {"aten::_unsafe_masked_index", masked_index},
    {"aten::_unsafe_masked_index_put_accumulate", masked_index_add},
    {"aten::_softmax_backward_data", softmax_backward},
    {"aten::_log_softmax_backward_data", log_softmax_backward},
    {"aten::native_dropout_backward", dropout_backward},
    {"aten::tanh_backward", tanh_backward},
    {"aten::sigmoid_backward", sigmoid_backward},
    {"aten::threshold_backward", threshold_backward},
    {"aten::norm_except_dim", norm_except_dim},
    {"aten::_shape_as_tensor", shape_as_tensor},
    {"aten::_pad_enum", pad_enum},
    {"aten::_pad_circular", pad_circular},
    {"aten::_is_all_true", is_all},
    {"aten::_is_any_true", is_any},
    {"aten::sym_constrain_range", check_range, true},
    {"aten::sym_constrain_range_for_size", check_range, true},
    {"aten::_chunk_cat", chunk_cat},
    {"aten::_no_grad_fill_", [](Span a) { return without_gradients("aten::fill_.Scalar", a); }},
    {"aten::_no_grad_zero_", [](Span a) { return without_gradients("aten::zero_", a); }},
    {"aten::_no_grad_uniform_", [](Span a) { return without_gradients("aten::uniform_", a); }, true},
    {"aten::_no_grad_normal_", [](Span a) { return without_gradients("aten::normal_", a); }, true},
    {"aten::random",
     [](Span a) {
         return run("aten::random_", {a[0].toTensor().clone(), a[1]});
     },
     true},
    {"aten::random.to",
     [](Span a) {
         return run("aten::random_.to", {a[0].toTensor().clone(), a[1], a[2]});
     },
     true},
    {"aten::random.from",
     [](Span a) {
         return run("aten::random_.from", {a[0].toTensor().clone(), a[1], a[2], a[3]});
     },
     true},
    {"aten::_cast_Byte", cast<kByte>},
    {"aten::_cast_Char", cast<kChar>},
    {"aten::_cast_Short", cast<kShort>},
    {"aten::_cast_Int", cast<kInt>},
    {"aten::_cast_Long", cast<kLong>},
    {"aten::_cast_Half", cast<kHalf>},
    {"aten::_cast_Float", cast<kFloat>},
    {"aten::_cast_Double", cast<kDouble>},
};

} // namespace

std::span<const Line> decomposed() { return lines; }

} // namespace reel::jit::own
