// Look-ups whose errors say who looked.
#include "postprocs/needed_entry.hpp"

namespace reel::rl {

Tensor needed_entry(const char* name, const TensorDict& data, const NestedKey& key) {
    const Entry* entry = data.find(key);
    if (!entry) {
        std::string there;
        for (const NestedKey& k : data.keys(true, true)) there += (there.empty() ? "" : ", ") + k.str();
        REEL_THROW(KeyError, name, ": the tensordict has no entry ", key, "; it has ", there.empty() ? "none" : there);
    }
    REEL_CHECK_TYPE(entry->is_tensor(), name, ": the entry ", key, " is a tensordict, expected a tensor");
    return entry->tensor();
}

} // namespace reel::rl
