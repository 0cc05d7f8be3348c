// From what a distribution was given to the tensors that it keeps.
#pragma once

#include <initializer_list>
#include <vector>

#include <reel/distributions/parameter.hpp>

#include "support.hpp"

namespace reel::distributions::detail {

/// What must hold of every element of a parameter, and how an error puts it.
struct Condition {
    const char* expected;
    Tensor (*holds)(const Tensor&);
};
extern const Condition a_number, positive, not_negative, a_probability;

struct Adopted {
    const char* name;
    const Parameter& given;
    Tensor& kept;
    Condition condition;
    bool counts = false; ///< integers are taken, too, and become numbers of the others' dtype
};
/// Fills what is kept: numbers as tensors like the others, all at their common shape, which is returned. With
/// `validate` conditions are checked. Errors: ValueError for an undefined parameter, for shapes that cannot be
/// broadcast and for a condition that does not hold, TypeError for tensors that are not floating.
std::vector<std::int64_t> adopt(const char* distribution, bool validate, std::initializer_list<Adopted> parameters);

/// Are logits given? ValueError for both and for neither.
bool takes_logits(const char* distribution, const Parameter& probs, const Parameter& logits);
/// The given one of both, for `adopt`; the condition is that of probabilities.
inline Adopted chances(bool logits, const Parameter& probs, const Parameter& logits_given, Tensor& kept,
                       Condition condition) {
    if (logits) return {"logits", logits_given, kept, a_number};
    return {"probs", probs, kept, condition};
}
/// The given one of both, whose last dimension counts categories. ValueError without that, TypeError unless floating.
Tensor rows_of_chances(const char* distribution, bool logits, const Parameter& probs, const Parameter& logits_given);

} // namespace reel::distributions::detail
