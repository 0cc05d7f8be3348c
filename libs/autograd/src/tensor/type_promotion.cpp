// The dtype of results: categories first, then dimensioned tensors before 0-dim ones before numbers.
#include <reel/autograd/type_promotion.hpp>

#include "tensor/promotion.hpp"
#include "tensor/raw.hpp"

namespace reel {

namespace {
/// Types by rank of the operand: a lower rank only counts when its category is higher (promotion rules of PyTorch).
struct Kinds {
    ScalarType dim = ScalarType::Undefined, zero = ScalarType::Undefined, number = ScalarType::Undefined;
    static ScalarType join(ScalarType a, ScalarType b) {
        return a == ScalarType::Undefined ? b : b == ScalarType::Undefined ? a : promote_types(a, b);
    }
    void add(const Tensor& t) {
        ScalarType current = t.scalar_type();
        if (t.impl()->is_wrapped_number) {
            if (isComplexType(current)) current = toComplexType(get_default_dtype());
            else if (isFloatingType(current)) current = get_default_dtype();
            number = join(number, current);
        } else (t.dim() > 0 ? dim : zero) = join(t.dim() > 0 ? dim : zero, current);
    }
    static int category(ScalarType t) { return t == kBool ? 0 : isIntegralType(t) ? 1 : isFloatingType(t) ? 2 : 3; }
    static ScalarType combine(ScalarType higher, ScalarType lower) {
        if (higher == ScalarType::Undefined) return lower;
        if (lower == ScalarType::Undefined) return higher;
        if (category(lower) > category(higher)) {
            // complex numbers against floats take the float's precision
            if (isComplexType(lower) && isFloatingType(higher)) return toComplexType(higher);
            return lower;
        }
        return higher;
    }
    ScalarType result() const { return combine(combine(dim, zero), number); }
};
} // namespace

ScalarType result_type(const Tensor& x, const Tensor& o) {
    Kinds kinds;
    kinds.add(x);
    kinds.add(o);
    return kinds.result();
}
ScalarType detail::result_type_of(ArrayRef<const Tensor*> operands) {
    Kinds kinds;
    for (const Tensor* t : operands) kinds.add(*t);
    return kinds.result();
}
ScalarType result_type(const Tensor& x, const Scalar& o) {
    Kinds kinds;
    kinds.add(x);
    // A wrapped number may stand on the other side already.
    kinds.number = Kinds::join(kinds.number, o.isFloatingPoint() ? get_default_dtype()
                                             : o.isComplex()     ? toComplexType(get_default_dtype())
                                                                 : o.type());
    return kinds.result();
}
ScalarType result_type(const Scalar& a, const Tensor& b) { return result_type(b, a); }
ScalarType result_type(const Scalar& a, const Scalar& b) { return result_type(detail::wrapped_number(a), b); }
ScalarType result_type(TensorList tensors) {
    SmallVector<const Tensor*, 4> operands;
    for (const Tensor& t : tensors) operands.push_back(&t);
    return detail::result_type_of(ArrayRef<const Tensor*>(operands.data(), operands.size()));
}
} // namespace reel
