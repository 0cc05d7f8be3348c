// Values as a pickle of protocol 2 with storages on the side, opcode by opcode as torch.save writes it (PK-1 to PK-9).
#pragma once

#include <string>
#include <vector>

#include <reel/serialize/save_load.hpp>

namespace reel::serialize {

struct PickledStorage {
    Tensor keep; ///< owns the memory
    std::string_view bytes;
};
struct Pickled {
    std::string pickle;
    std::vector<PickledStorage> storages; ///< number K is `data/K`
};
/// TypeError or ValueError naming the key path of what cannot be written.
Pickled pickle_value(const Value& value, const SaveOptions& options);

} // namespace reel::serialize
