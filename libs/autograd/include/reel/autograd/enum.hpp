// Named choices of options: one tag type each, so that an option field can hold exactly the choices that exist.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

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

/// Reductions for the positional functions in the root namespace.
namespace Reduction {
/// libtorch's numbers, which are also the texts that losses take: `mse_loss(input, target, Reduction::Sum)`.
class Reduction {
public:
    constexpr Reduction(std::int64_t number, std::string_view text) : number_(number), text_(text) {}
    constexpr operator std::int64_t() const { return number_; }
    constexpr operator std::string_view() const { return text_; }

private:
    std::int64_t number_;
    std::string_view text_;
};
inline constexpr Reduction None(0, "none"), Mean(1, "mean"), Sum(2, "sum");
} // namespace Reduction

/// One of the named choices `Tags`; converts from each of them and compares with it: `options.mode() == kBilinear`.
/// A std::variant of empty structs would do; it costs users' compilers ten times as much.
template <class... Tags> class Choice {
public:
    template <class Tag>
    requires((std::is_same_v<Tag, Tags> || ...)) constexpr Choice(Tag) : index_(index_of<Tag>()) {}
    /// The constant's name: `kMean`.
    constexpr const char* name() const {
        constexpr const char* names[] = {Tags::text...};
        return names[index_];
    }
    friend constexpr bool operator==(Choice, Choice) = default;

private:
    template <class Tag> static constexpr std::uint8_t index_of() {
        constexpr bool same[] = {std::is_same_v<Tag, Tags>...};
        std::uint8_t i = 0;
        while (!same[i]) ++i;
        return i;
    }
    std::uint8_t index_;
};

namespace enumtype {
/// The constant's name: `kMean`.
template <class... T> std::string get_enum_name(Choice<T...> v) { return v.name(); }
/// The same for a variant of choices.
template <template <class...> class Variant, class... T>
requires(requires { T::text; } && ...) std::string get_enum_name(const Variant<T...>& v) {
    return visit([](const auto& choice) { return std::string(choice.text); }, v);
}
template <class... T> Reduction::Reduction reduction_get_enum(Choice<T...> v) {
    const std::string name = v.name();
    if (name == "kNone") return Reduction::None;
    if (name == "kMean") return Reduction::Mean;
    REEL_CHECK(name == "kSum", name, " is not a reduction");
    return Reduction::Sum;
}
} // namespace enumtype

} // namespace reel
