// Arithmetic over the sizes of inputs, as exported programs write it: `Add(Symbol('s10'), Integer(1))` of sizes,
// `s10 + 1` of ranges, `L['a'][0].size()[1] % 4 == 0` of guards (rules SC-111, SC-112).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reel::jit {

class SizeExpression {
public:
    /// Of a symbol (`s10`) or of a size (`a_0.1`: dimension 1 of what the program calls a_0); none when unknown.
    using Lookup = std::function<std::optional<std::int64_t>(const std::string&)>;

    SizeExpression() = default;
    /// ValueError naming what cannot be read.
    static SizeExpression parse(std::string_view text);
    /// The value; comparisons give 0 or 1. None when something in it is unknown, or there is none (division by zero).
    std::optional<std::int64_t> evaluate(const Lookup& lookup) const;
    /// The symbol's name when it is nothing but one.
    const std::string* symbol() const { return op_ == Op::Name ? &name_ : nullptr; }
    const std::string& text() const { return text_; }

private:
    enum class Op : std::uint8_t {
        Number,
        Name,
        Add,
        Sub,
        Mul,
        FloorDiv,
        Mod,
        Pow,
        Max,
        Min,
        Neg,
        Not,
        And,
        Or,
        Eq,
        Ne,
        Lt,
        Le,
        Gt,
        Ge
    };
    class Parser;
    Op op_ = Op::Number;
    std::int64_t number_ = 0;
    std::string name_, text_;
    std::vector<SizeExpression> operands_;
};

} // namespace reel::jit
