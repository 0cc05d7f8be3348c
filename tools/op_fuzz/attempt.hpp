// Running one call: forward, in place, backward, double backward, and what came of each.
#pragma once

#include <functional>
#include <string>

#include <reel/autograd/op.hpp>

#include "op_fuzz/call.hpp"
#include "op_fuzz/dice.hpp"

namespace op_fuzz {

enum class Stage { Draw, Forward, InPlace, Backward, DoubleBackward };
constexpr int stages = 5;
const char* name_of(Stage s);

/// `Fine`, `Refused` (a typed error) and `OutOfMemory` are as it should be; `Endless` is a call on an expanded operand
/// of astronomic size that was stopped. The rest are findings.
enum class Outcome {
    Fine,
    Refused,
    OutOfMemory,
    Endless,
    Foreign,
    OperandChanged,
    OutsideStorage,
    Message,
    Printed,
    Crash,
    Hang
};
constexpr int outcomes = 11;
const char* name_of(Outcome o);
inline bool is_finding(Outcome o) { return o > Outcome::Endless; }

/// Told when a stage begins, and what came of it.
struct Observer {
    std::function<void(Stage)> begins;
    std::function<void(Stage, Outcome, const std::string& text)> ended;
};

/// Runs every stage that the op and the outputs allow.
void attempt(const reel::ops::Op& op, const Call& call, const Observer& observer);

} // namespace op_fuzz
