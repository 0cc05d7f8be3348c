// Named choices of options: one tag type each, so that an option field can hold exactly the choices that exist.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include <reel/autograd/error.hpp>

namespace reel {

namespace enumtype {}

#define REEL_ENUM(Name)                                                                                                \
    namespace enumtype {                                                                                               \
    struct Name {                                                                                                      \
        static constexpr const char* text = #Name;                                                                     \
    };                                                                                                                 \
    }                                                                                                                  \
    inline constexpr enumtype::Name Name;

// Reductions.
REEL_ENUM(kNone)
REEL_ENUM(kMean)
REEL_ENUM(kSum)
REEL_ENUM(kBatchMean)
REEL_ENUM(kMax)
// Padding.
REEL_ENUM(kZeros)
REEL_ENUM(kReflect)
REEL_ENUM(kReplicate)
REEL_ENUM(kCircular)
REEL_ENUM(kConstant)
REEL_ENUM(kBorder)
REEL_ENUM(kReflection)
REEL_ENUM(kValid)
REEL_ENUM(kSame)
// Resampling.
REEL_ENUM(kNearest)
REEL_ENUM(kNearestExact)
REEL_ENUM(kLinear)
REEL_ENUM(kBilinear)
REEL_ENUM(kBicubic)
REEL_ENUM(kTrilinear)
REEL_ENUM(kArea)
// Non-linearities.
REEL_ENUM(kTanh)
REEL_ENUM(kReLU)
REEL_ENUM(kGELU)
REEL_ENUM(kSigmoid)
REEL_ENUM(kSiLU)
REEL_ENUM(kMish)
REEL_ENUM(kLeakyReLU)
// Initialisation.
REEL_ENUM(kConv1D)
REEL_ENUM(kConv2D)
REEL_ENUM(kConv3D)
REEL_ENUM(kConvTranspose1D)
REEL_ENUM(kConvTranspose2D)
REEL_ENUM(kConvTranspose3D)
REEL_ENUM(kFanIn)
REEL_ENUM(kFanOut)
// Recurrent kinds.
REEL_ENUM(kRNN_TANH)
REEL_ENUM(kRNN_RELU)
REEL_ENUM(kLSTM)
REEL_ENUM(kGRU)
#undef REEL_ENUM

/// Reductions as plain numbers, for the positional functions in the root namespace.
namespace Reduction {
enum Reduction : std::int64_t { None, Mean, Sum };
}

namespace enumtype {
/// The constant's name: `kMean`.
template <class... T> std::string get_enum_name(const std::variant<T...>& v) {
    return std::visit([](const auto& tag) { return std::string(std::decay_t<decltype(tag)>::text); }, v);
}
template <class... T> Reduction::Reduction reduction_get_enum(const std::variant<T...>& v) {
    const std::string name = get_enum_name(v);
    if (name == "kNone") return Reduction::None;
    if (name == "kMean") return Reduction::Mean;
    REEL_CHECK(name == "kSum", name, " is not a reduction");
    return Reduction::Sum;
}
} // namespace enumtype

} // namespace reel
