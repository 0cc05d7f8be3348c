// What a trace knows of a tensor.
#include <reel/script/type.hpp>

namespace reel::jit {

namespace {
// The words of the IR: `Float(2, 3, ...)`, `Long(...)`.
const char* dtype_word(ScalarType dtype) {
    switch (dtype) {
    case kUInt8:
        return "Byte";
    case kInt8:
        return "Char";
    case kInt16:
        return "Short";
    case kInt32:
        return "Int";
    case kInt64:
        return "Long";
    case kFloat16:
        return "Half";
    case kFloat32:
        return "Float";
    case kFloat64:
        return "Double";
    case kComplex64:
        return "ComplexFloat";
    case kComplex128:
        return "ComplexDouble";
    case kBool:
        return "Bool";
    case kBFloat16:
        return "BFloat16";
    default:
        return "Tensor";
    }
}

std::string joined(const std::vector<std::int64_t>& numbers) {
    std::string out;
    for (std::int64_t n : numbers) {
        if (!out.empty()) out += ", ";
        out += std::to_string(n);
    }
    return out;
}
} // namespace

TensorType::TensorType(std::optional<Profile> profile) : Type(TypeKind::Tensor), profile_(std::move(profile)) {}

std::string TensorType::str() const {
    if (!profile_) return "Tensor";
    // A tensor without dimensions shows neither sizes nor strides.
    std::string shape = profile_->sizes.empty()
                            ? std::string()
                            : joined(profile_->sizes) + ", strides=[" + joined(profile_->strides) + "], ";
    std::string requires_grad;
    if (profile_->requires_grad) requires_grad = *profile_->requires_grad ? "requires_grad=1, " : "requires_grad=0, ";
    return std::string(dtype_word(profile_->dtype)) + "(" + shape + requires_grad + "device=" + profile_->device.str() +
           ")";
}

TypePtr TensorType::of(const reel::Tensor& tensor) {
    if (!tensor.defined()) return Type::Tensor();
    auto sizes = tensor.sizes();
    auto strides = tensor.strides();
    return std::make_shared<TensorType>(Profile{tensor.scalar_type(),
                                                {sizes.begin(), sizes.end()},
                                                {strides.begin(), strides.end()},
                                                tensor.requires_grad(),
                                                tensor.device()});
}

} // namespace reel::jit
