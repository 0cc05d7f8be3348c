// Operands on meta, which have shapes and dtypes alone: ops that can say the result's do, others refuse, nothing
// crashes.
#include "bad_input_helpers.hpp"

#include <reel/autograd/grad_mode.hpp>

using namespace bad_input;

namespace {
/// Every tensor of a value, with the way to it.
void tensors_of(const Value& v, std::vector<Tensor>& out) {
    if (v.isTensor()) out.push_back(v.toTensor());
    else if (v.isSequence())
        for (const Value& e : v.elements()) tensors_of(e, out);
}
Value moved(const Value& v) {
    if (v.isTensor()) {
        const Tensor& t = v.toTensor();
        return Value(t.requires_grad() ? t.detach().to(Device(kMeta)).requires_grad_() : t.to(Device(kMeta)));
    }
    if (!v.isSequence()) return v;
    std::vector<Value> list;
    for (const Value& e : v.elements()) list.push_back(moved(e));
    return Value::list(std::move(list));
}
/// The op says on meta what it makes on the CPU: as many tensors of the same shapes and dtypes.
bool agrees(const char* op, const Args& args, const Kwargs& kwargs = {}) {
    Args there;
    Kwargs named;
    for (const Value& v : args) there.push_back(moved(v));
    for (const auto& [key, value] : kwargs) named.set(key, moved(value));
    std::vector<Tensor> here, meta;
    tensors_of(call(op, args, kwargs), here);
    try {
        tensors_of(call(op, there, named), meta);
    } catch (const Error& e) {
        BOOST_TEST_MESSAGE(op << " throws " << e.what());
        return false;
    }
    bool same = here.size() == meta.size() && !here.empty();
    for (std::size_t i = 0; same && i < here.size(); ++i) {
        same = meta[i].is_meta() && here[i].sizes().equals(meta[i].sizes()) &&
               here[i].scalar_type() == meta[i].scalar_type();
        if (!same)
            BOOST_TEST_MESSAGE(op << ": " << here[i].sizes() << " " << here[i].scalar_type() << " here, "
                                  << meta[i].sizes() << " " << meta[i].scalar_type() << " on " << meta[i].device());
    }
    return same;
}
Value t(IntArrayRef sizes, ScalarType dtype = kFloat) { return Value(rand(sizes).to(dtype)); }
Value list(std::vector<Value> v) { return Value::list(std::move(v)); }
Value positive() {
    const Tensor a = rand({3, 3}, kDouble);
    return Value(a.matmul(a.t()) + eye(3, std::nullopt, kDouble));
}
} // namespace

BOOST_AUTO_TEST_SUITE(bad_input_meta)

BOOST_AUTO_TEST_CASE(there_is_no_data_to_point_to) {
    const Tensor x = on_meta({2, 3});
    BOOST_TEST(
        message<NotImplementedError>([&] { x.data_ptr(); }) ==
        "no data on device meta: a tensor of shape [2, 3] there has a shape and a dtype alone, and this asks for "
        "its values; use to_empty() to get memory on another device");
    BOOST_TEST(refuses<NotImplementedError>([&] { x.data_ptr<float>(); }, "no data on device meta"));
    BOOST_TEST(refuses<NotImplementedError>([&] { on_meta({}).item(); }, "meta"));
    BOOST_TEST(refuses<NotImplementedError>([&] { nonzero(x); }, "nonzero: no kernel for device meta"));
}

BOOST_AUTO_TEST_CASE(ops_say_shape_and_dtype) {
    const Value x = t({2, 3}), m = t({3, 3}), l = Value(zeros({2}, kLong)), image = t({2, 3, 4, 4});
    for (const char* op :
         {"exp",       "neg",           "relu",    "sum",           "mean",  "prod",     "all",      "any",
          "amax",      "amin",          "aminmax", "max",           "min",   "argmax",   "argmin",   "median",
          "nanmedian", "mode",          "nansum",  "std",           "var",   "std_mean", "var_mean", "sort",
          "argsort",   "count_nonzero", "norm",    "logsumexp_all", "clone", "flip_all"}) {
        if (!ops::registry().find(op)) continue;
        BOOST_TEST(agrees(op, {x}), op);
    }
    for (const char* op : {"softmax", "log_softmax", "cumsum", "cumprod", "cummax", "cummin", "logcumsumexp", "argmax",
                           "max", "min", "median", "mode", "logsumexp"})
        BOOST_TEST(agrees(op, {x, Value(std::int64_t(1))}), op);
    for (const char* op : {"add", "sub", "mul", "div", "maximum", "eq", "pow", "atan2", "fmod", "remainder"})
        BOOST_TEST(agrees(op, {x, t({3})}), op);
    BOOST_TEST(agrees("mm", {x, m}));
    BOOST_TEST(agrees("bmm", {t({2, 3, 4}), t({2, 4, 5})}));
    BOOST_TEST(agrees("matmul", {t({5, 2, 3}), m}));
    BOOST_TEST(agrees("addmm", {m, m, m}));
    BOOST_TEST(agrees("dot", {t({3}), t({3})}));
    BOOST_TEST(agrees("einsum", {Value("ij,jk->ik"), x, m}));
    BOOST_TEST(agrees("where", {Value(zeros({2, 3}, kBool)), x, x}));
    BOOST_TEST(agrees("masked_fill", {x, Value(zeros({2, 3}, kBool)), Value(1.)}));
    BOOST_TEST(agrees("index_select", {x, Value(std::int64_t(1)), l}));
    BOOST_TEST(agrees("gather", {x, Value(std::int64_t(1)), Value(zeros({2, 1}, kLong))}));
    BOOST_TEST(agrees("scatter_add", {x, Value(std::int64_t(1)), Value(zeros({2, 1}, kLong)), x}));
    BOOST_TEST(agrees("index_add", {x, Value(std::int64_t(0)), l, x}));
    BOOST_TEST(agrees("cat", {list({x, x})}));
    BOOST_TEST(agrees("stack", {list({x, x})}));
    BOOST_TEST(agrees("topk", {x, Value(std::int64_t(2))}));
    BOOST_TEST(agrees("tril", {m}));
    BOOST_TEST(agrees("quantile", {x, t({2})}));
    BOOST_TEST(agrees("cdist", {x, m}));
    BOOST_TEST(agrees("searchsorted", {t({5}), x}));
    BOOST_TEST(agrees("isin", {x, x}));
    BOOST_TEST(agrees("bernoulli", {x}));
    BOOST_TEST(agrees("nn.functional.interpolate", {image, ints({8, 8})}));
    BOOST_TEST(agrees("nn.functional.grid_sample", {image, t({2, 5, 5, 2})}));
    BOOST_TEST(agrees("nn.functional.pad", {image, ints({1, 1})}));
    for (const char* op : {"fft.fft", "fft.rfft", "fft.ifft", "fft.irfft", "fft.hfft", "fft.fft2", "fft.rfft2"})
        BOOST_TEST(agrees(op, {x}), op);
}

BOOST_AUTO_TEST_CASE(layers_say_shape_and_dtype) {
    const Value x = t({2, 3}), image = t({2, 3, 4, 4}), w = t({3});
    BOOST_TEST(agrees("nn.functional.linear", {x, t({4, 3}), t({4})}));
    BOOST_TEST(agrees("nn.functional.conv2d", {image, t({5, 3, 2, 2}), t({5})}));
    BOOST_TEST(agrees("nn.functional.conv_transpose2d", {image, t({3, 5, 2, 2}), t({5})}));
    BOOST_TEST(agrees("nn.functional.max_pool2d", {image, Value(std::int64_t(2))}));
    BOOST_TEST(agrees("nn.functional.avg_pool2d", {image, Value(std::int64_t(2))}));
    BOOST_TEST(agrees("nn.functional.adaptive_avg_pool2d", {image, ints({1, 2})}));
    BOOST_TEST(agrees("nn.functional.layer_norm", {x, ints({3}), w, w}));
    BOOST_TEST(agrees("nn.functional.batch_norm", {image, w, w, w, w}, {{"training", Value(true)}}));
    BOOST_TEST(agrees("nn.functional.batch_norm", {image, w, w}));
    BOOST_TEST(agrees("nn.functional.group_norm", {image, Value(std::int64_t(3)), w, w}));
    BOOST_TEST(agrees("nn.functional.instance_norm", {image}));
    BOOST_TEST(agrees("nn.functional.dropout", {x}));
    BOOST_TEST(agrees("nn.functional.cross_entropy", {x, Value(zeros({2}, kLong))}));
    BOOST_TEST(agrees("nn.functional.nll_loss", {x, Value(zeros({2}, kLong)), w}, {{"reduction", Value("none")}}));
    BOOST_TEST(agrees("nn.functional.mse_loss", {x, x}));
    BOOST_TEST(agrees("nn.functional.binary_cross_entropy", {x, x}));
    BOOST_TEST(agrees("nn.functional.multi_margin_loss", {x, Value(zeros({2}, kLong))}));
    BOOST_TEST(agrees("nn.functional.scaled_dot_product_attention", {image, image, image}));
    BOOST_TEST(agrees("nn.functional.local_response_norm", {image, Value(std::int64_t(2))}));
    const Tensor rows = embedding(on_meta({5, 3}), on_meta({2, 4}, kLong));
    REEL_TEST_SIZES(rows, 2, 4, 3);
}

BOOST_AUTO_TEST_CASE(factorizations_say_shape_and_dtype) {
    const Value a = positive(), b = t({3, 2}, kDouble), wide = t({2, 3, 5}, kDouble);
    for (const char* op : {"linalg.inv",
                           "linalg.det",
                           "linalg.slogdet",
                           "linalg.cholesky",
                           "linalg.cholesky_ex",
                           "linalg.eigh",
                           "linalg.eigvalsh",
                           "linalg.eig",
                           "linalg.eigvals",
                           "linalg.svd",
                           "linalg.svdvals",
                           "linalg.qr",
                           "linalg.lu",
                           "linalg.lu_factor",
                           "linalg.lu_factor_ex",
                           "linalg.ldl_factor",
                           "linalg.pinv",
                           "linalg.inv_ex",
                           "linalg.matrix_rank",
                           "logdet",
                           "geqrf",
                           "linalg.polar",
                           "linalg.matrix_sqrth",
                           "cholesky_inverse",
                           "linalg.cond"})
        BOOST_TEST(agrees(op, {a}), op);
    for (const char* op : {"linalg.svd", "linalg.svdvals", "linalg.qr", "linalg.lu", "linalg.pinv"})
        BOOST_TEST(agrees(op, {wide}), op);
    BOOST_TEST(agrees("linalg.solve", {a, b}));
    BOOST_TEST(agrees("linalg.solve_ex", {a, b}));
    BOOST_TEST(agrees("cholesky_solve", {b, a}));
    BOOST_TEST(agrees("linalg.solve_triangular", {a, b}, {{"upper", Value(true)}}));
    BOOST_TEST(agrees("linalg.lstsq", {a, b}));
}

BOOST_AUTO_TEST_CASE(nothing_is_drawn_and_nothing_kept) {
    manual_seed(3);
    const double next = rand({1}, kDouble).item<double>();
    manual_seed(3);
    const Tensor x = on_meta({1000, 1000});
    x.normal_();
    x.uniform_();
    x.fill_(2).zero_();
    rand({100}, TensorOptions(kFloat).device(Device(kMeta)));
    BOOST_TEST(rand({1}, kDouble).item<double>() == next);
    BOOST_TEST(x._version() == 4);
}

BOOST_AUTO_TEST_CASE(gradients_have_shapes_too) {
    const Tensor x = on_meta({4, 3}).requires_grad_(), w = on_meta({2, 3}).requires_grad_();
    const Tensor loss =
        cross_entropy(gelu(linear(layer_norm(x, {3}), w)), on_meta({4}, kLong)) + x.clamp_min(0).prod(1).sum();
    loss.backward();
    REEL_TEST_SIZES(x.grad(), 4, 3);
    REEL_TEST_SIZES(w.grad(), 2, 3);
    BOOST_TEST(x.grad().is_meta());
    const Tensor image = on_meta({2, 3, 6, 6}).requires_grad_(), k = on_meta({4, 3, 3, 3}).requires_grad_();
    max_pool2d(conv2d(image, k), 2).sum().backward();
    REEL_TEST_SIZES(k.grad(), 4, 3, 3, 3);
}

BOOST_AUTO_TEST_CASE(mixed_with_data_it_is_refused_or_stays_there) {
    const Tensor here = ones({3}), there = on_meta({3});
    BOOST_TEST(refuses<Error>([&] { mm(ones({2, 2}), on_meta({2, 2})); }, "meta"));
    BOOST_TEST(refuses<Error>([&] { here.clone().div_(there); }, "meta"));
    BOOST_TEST(refuses<Error>([&] { here.clone().masked_fill_(on_meta({3}, kBool), 1); }, "meta"));
    BOOST_TEST(refuses<Error>([&] { index_select(here, 0, on_meta({2}, kLong)); }, "meta"));
    BOOST_TEST(refuses<Error>([&] { here.clone().copy_(there); }, "meta"));
}

namespace {
/// Something of the type that an argument asks for.
Value something(const ops::Argument& a, const Tensor& tensor, const Tensor& other) {
    const std::string& type = a.type;
    if (type.starts_with("Tensor[") || type.starts_with("Tensor?[")) return list({Value(tensor), Value(other)});
    if (type.starts_with("Tensor"))
        return Value(a.name == "index" || a.name == "indices" || a.name == "target" ? other : tensor);
    if (type.starts_with("int[")) return ints({1});
    if (type.starts_with("int")) return Value(std::int64_t(1));
    if (type.starts_with("float[")) return list({Value(0.5)});
    if (type.starts_with("float") || type.starts_with("Scalar")) return Value(0.5);
    if (type.starts_with("bool")) return Value(true);
    if (type.starts_with("str")) return a.has_default ? a.default_value : Value("mean");
    return a.default_value;
}
/// Calls one schema, and its gradient where there is one. True when it returned.
bool survives(const ops::Schema& s, const Tensor& tensor, const Tensor& other) {
    std::vector<Value> bound;
    for (const ops::Argument& a : s.arguments)
        bound.push_back(a.has_default && !a.type.starts_with("Tensor") ? a.default_value : something(a, tensor, other));
    try {
        std::vector<Tensor> out;
        tensors_of(s.call(bound), out);
        for (const Tensor& y : out)
            if (y.defined() && y.requires_grad()) y.sum().backward();
        return true;
    } catch (const Error&) {
        return false;
    }
}
} // namespace

BOOST_AUTO_TEST_CASE(no_op_crashes) {
    int returned = 0, tried = 0;
    for (const std::string& name : ops::registry().names())
        for (const ops::Schema& s : ops::registry().at(name).schemas) {
            for (const ScalarType dtype : {kFloat, kDouble, kLong, kBool, kComplexFloat})
                for (const std::vector<std::int64_t>& sizes :
                     std::vector<std::vector<std::int64_t>>{{3, 3}, {2, 3, 3}, {3}, {}, {1, 3, 3, 3}}) {
                    const Tensor meta = on_meta(sizes, dtype), index = on_meta(sizes, kLong), here = ones(sizes, dtype);
                    if (isDifferentiableType(dtype)) meta.requires_grad_();
                    ++tried;
                    returned += survives(s, meta, index);
                    survives(s, here, index);
                    survives(s, meta, here);
                }
        }
    BOOST_TEST_MESSAGE(returned << " of " << tried << " calls returned");
    BOOST_TEST(returned > tried / 4);
}

BOOST_AUTO_TEST_SUITE_END()
