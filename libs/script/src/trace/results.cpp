// Arguments and results of the whole.
#include <reel/autograd/error.hpp>

#include "trace/tracer.hpp"

namespace reel::jit::trace_impl {

void Tracer::add_input(const IValue& value, const std::string& name) {
    jit::Value* const v = graph_->add_input(name);
    if (value.isTensor()) {
        v->set_type(TensorType::of(value.toTensor()));
        return keep(value.toTensor(), v);
    }
    REEL_CHECK_TYPE(value.isSequence() && !value.elements().empty(), "jit::trace: the input '", name,
                    "' expects a tensor, or a tuple or list of tensors, got ", value.repr());
    std::vector<TypePtr> types;
    for (const IValue& e : value.elements()) {
        REEL_CHECK_TYPE(e.isTensor(), "jit::trace: the input '", name, "' holds ", e.repr(), "; expected tensors");
        types.push_back(TensorType::of(e.toTensor()));
    }
    v->set_type(value.isTuple() ? Type::Tuple(types) : Type::List(Type::Tensor()));
    Node* const unpack = insert(value.isTuple() ? prim::TupleUnpack : prim::ListUnpack, {v});
    for (const IValue& e : value.elements()) bind(*unpack, e.toTensor());
}
jit::Value* Tracer::output_of(const IValue& v, bool strict) {
    if (v.isTensor()) {
        const auto known = values_.find(v.toTensor().unsafeGetTensorImpl());
        REEL_CHECK(known != values_.end() || members_.count(v.toTensor().unsafeGetTensorImpl()),
                   "jit::trace: a result, ", v.repr(),
                   ", came from calls that the trace did not see; call ops by name "
                   "(jit::tracing::call(\"relu\", {x})) and modules by jit::tracing::call(module, {x})");
        return value_of(v.toTensor());
    }
    std::vector<jit::Value*> elements;
    std::vector<TypePtr> types;
    if (v.isGenericDict()) {
        REEL_CHECK(!strict, "jit::trace: the result is a dict, whose keys are fixed in the trace; give "
                            "TraceOptions{.strict = false} to allow it, or return a tuple");
        for (const auto& [key, value] : v.toGenericDict()) {
            elements.push_back(constant_value(key));
            elements.push_back(output_of(value, strict));
        }
        Node* const n = insert(prim::DictConstruct, elements, 1);
        n->output()->set_type(Type::Dict(Type::String(), Type::Tensor()));
        return n->output();
    }
    REEL_CHECK_TYPE(v.isSequence() && !v.elements().empty(), "jit::trace: the result is ", v.repr(),
                    "; expected tensors, or tuples, lists or dicts of them");
    for (const IValue& e : v.elements()) {
        elements.push_back(output_of(e, strict));
        types.push_back(elements.back()->type());
    }
    if (v.isList() && strict)
        REEL_WARN("jit::trace: the result is a list, whose length is fixed in the trace; return a tuple");
    Node* const n = insert(v.isTuple() ? prim::TupleConstruct : prim::ListConstruct, elements, 1);
    n->output()->set_type(v.isTuple() ? Type::Tuple(types) : Type::List(Type::Tensor()));
    return n->output();
}
void Tracer::add_output(const IValue& value, bool strict) {
    const Untraced own;
    graph_->add_output(output_of(value, strict));
}

} // namespace reel::jit::trace_impl
