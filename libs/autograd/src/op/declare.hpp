// What the ops' own blocks declare, for the registry: tables, since code that fills a thousand schemas is a tenth of
// the library.
#pragma once

#include <span>

#include <reel/autograd/op.hpp>

namespace reel::ops {

/// One block. Names, types and defaults stand in its text, which tools/opgen.py has checked.
struct Declaration {
    const char* text;
    const char* file;
    const char* constant; ///< tensor arguments that no gradient reaches, as "weight, mask"
    Gradient gradient;
    bool has_inplace, takes_out, is_random;
    Value (*call)(std::span<const Value> bound);
    Value (*call_inplace)(std::span<const Value> bound); ///< or null
};

/// The schema that a block stands for.
Schema schema_of(const Declaration& d);

/// Adds the schema of each.
void declare(Registry& r, std::span<const Declaration> all);

} // namespace reel::ops
