// What traced programs call: recorded while a trace runs, else just done.
#include <reel/autograd/error.hpp>
#include <reel/autograd/ops/factory/full.hpp>
#include <reel/nn/module.hpp>

#include "trace/tracer.hpp"

namespace reel::jit::tracing {

using trace_impl::Tracer;
using trace_impl::Untraced;

bool is_tracing() { return Tracer::current() != nullptr; }

namespace {
/// Methods of tensors that are no ops.
using Method = IValue (*)(const Tensor& self, const Args& others);
constexpr std::pair<std::string_view, Method> methods[] = {
    {"cpu", [](const Tensor& t, const Args&) { return IValue(t.to(kCPU)); }},
    {"numel", [](const Tensor& t, const Args&) { return IValue(numel(t)); }},
    {"requires_grad_",
     [](const Tensor& t, const Args& on) { return IValue(t.requires_grad_(on.empty() || on[0].toBool())); }},
};
} // namespace

IValue call(std::string_view op, const Args& args, const Kwargs& kwargs) {
    if (const ops::Op* const known = ops::registry().find(op)) return known->call(args, kwargs);
    if (op.ends_with('_'))
        if (const ops::Op* const known = ops::registry().find(op.substr(0, op.size() - 1)))
            return known->call_inplace(args, kwargs);
    for (const auto& [name, method] : methods)
        if (name == op && !args.empty() && args[0].isTensor() && kwargs.empty())
            return method(args[0].toTensor(), Args(args.begin() + 1, args.end()));
    return ops::registry().at(op).call(args, kwargs);
}
Tensor size(const Tensor& t, std::int64_t dim) {
    Tracer* const tracer = Tracer::current();
    if (!tracer) return reel::scalar_tensor(t.size(dim), kLong);
    const Untraced own;
    return tracer->size(t, dim);
}
Tensor numel(const Tensor& t) {
    Tracer* const tracer = Tracer::current();
    if (!tracer) return reel::scalar_tensor(t.numel(), kLong);
    const Untraced own;
    return tracer->numel(t);
}

namespace {
using Kind = indexing::TensorIndex::Kind;
constexpr std::int64_t end_of_all = std::numeric_limits<std::int64_t>::max();

bool is_whole(const indexing::Slice& s) { return !s.start() && !s.stop() && s.step() == 1; }
/// One index after the other, as the reference applies them; tensors are gathered for one `index` at the end.
Tensor apply(Tracer& t, Tensor x, const std::vector<indexing::TensorIndex>& indices, Args& tensors) {
    std::int64_t dim = 0, taken = 0;
    for (const auto& i : indices) taken += i.kind() != Kind::None && i.kind() != Kind::Ellipsis;
    for (const auto& i : indices) {
        switch (i.kind()) {
        case Kind::Integer:
            x = t.aten("aten::select.int", {x, dim, i.integer()}).toTensor();
            break;
        case Kind::Slice: {
            const auto& s = i.slice();
            // a last `:` changes nothing, a leading one is recorded
            if (is_whole(s) && indices.size() == 1) { // x[:] is an alias all the same
            }
            x = t.aten("aten::slice.Tensor", {x, dim, s.start().value_or(0), s.stop().value_or(end_of_all), s.step()})
                    .toTensor();
            ++dim;
            break;
        }
        case Kind::None:
            x = t.aten("aten::unsqueeze", {x, dim}).toTensor();
            ++dim;
            break;
        case Kind::Ellipsis:
            dim += x.dim() - dim - taken;
            break;
        case Kind::Tensor:
            while (std::int64_t(tensors.size()) < dim) tensors.emplace_back();
            tensors.emplace_back(i.tensor());
            ++dim;
            break;
        case Kind::Boolean:
            REEL_THROW(NotImplementedError, "jit::trace: an index that is true or false");
        }
        if (i.kind() != Kind::None && i.kind() != Kind::Ellipsis) --taken;
    }
    return x;
}
/// One number where one tensor points to: the reference fills.
bool fill(Tracer& t, const Tensor& view, const Args& tensors, const IValue& value) {
    const Tensor index = tensors.back().toTensor();
    for (std::size_t i = 0; i + 1 < tensors.size(); ++i)
        if (!tensors[i].isNone()) return false;
    const IValue number = value.isBool() ? IValue(std::int64_t(value.toBool())) : value;
    if (index.scalar_type() == kBool) {
        if (tensors.size() > 1 || index.dim() != view.dim()) return false;
        t.aten("aten::masked_fill_.Scalar", {view, index, number});
    } else if (index.dim() == 1 && index.scalar_type() == kLong) {
        t.aten("aten::index_fill_.int_Scalar", {view, std::int64_t(tensors.size()) - 1, index, number});
    } else return false;
    return true;
}
} // namespace

Tensor index(const Tensor& x, const std::vector<indexing::TensorIndex>& indices) {
    Tracer* const t = Tracer::current();
    if (!t) return x.index(indices);
    const Untraced own;
    Args tensors;
    const Tensor view = apply(*t, x, indices, tensors);
    if (tensors.empty()) return view;
    return t->aten("aten::index.Tensor", {view, IValue::list(std::move(tensors))}).toTensor();
}
void index_put(const Tensor& x, const std::vector<indexing::TensorIndex>& indices, const IValue& value) {
    Tracer* const t = Tracer::current();
    if (!t) {
        if (value.isTensor()) x.index_put_(indices, value.toTensor());
        else x.index_put_(indices, reel::scalar_tensor(value.toScalar(), x.scalar_type()));
        return;
    }
    const Untraced own;
    Args tensors;
    const Tensor view = apply(*t, x, indices, tensors);
    if (!tensors.empty() && !value.isTensor() && fill(*t, view, tensors, value)) return;
    if (!tensors.empty()) {
        const IValue put = value.isTensor() ? value : IValue(reel::scalar_tensor(value.toScalar(), x.scalar_type()));
        t->aten("aten::index_put_", {view, IValue::list(std::move(tensors)), put, false});
    } else if (value.isTensor()) t->aten("aten::copy_", {view, value, false});
    else t->aten("aten::fill_.Scalar", {view, value});
}
Tensor constant(const Tensor& x) {
    Tracer* const t = Tracer::current();
    if (!t) return x;
    REEL_WARN("jit::trace: a tensor of fixed contents becomes a constant of the trace");
    const Untraced own;
    return t->constant(x);
}
std::vector<Tensor> rows(const Tensor& x) {
    Tracer* const t = Tracer::current();
    if (!t) return x.unbind(0);
    REEL_WARN("jit::trace: a loop over the rows of a tensor is unrolled: the trace holds for ", x.size(0), " rows");
    const Untraced own;
    return t->aten("aten::unbind.int", {x, 0}).toTensorVector();
}

void set_name(const Tensor& x, const std::string& name) {
    if (Tracer* const t = Tracer::current()) t->local(name, x);
}

} // namespace reel::jit::tracing
