// Functions of the library of which a call chooses one: by flags that must be constant (`return_indices=True`), or by
// the types of the arguments (`interpolate` of one size or of several).
#pragma once

#include <string>
#include <vector>

namespace reel::jit::emit {

/// An argument that is a constant bool, false where it is not given.
struct ChoosingFlag {
    const char* name;
    std::size_t position;
};
/// A function of a module's text under several names. With flags: `names[i]` is taken where bit k of i is the value of
/// flag k. Without: the first whose arguments fit, at first without conversions.
struct ChoiceTable {
    const char *module, *name;
    std::vector<ChoosingFlag> flags;
    std::vector<const char*> names;
};
/// Null when the function is not one of several.
const ChoiceTable* library_choice(const std::string& module, const std::string& name);

} // namespace reel::jit::emit
