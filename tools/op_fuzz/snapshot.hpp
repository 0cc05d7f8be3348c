// What a call may not do to memory: change operands that it refuses, or return what lies outside of its storage.
#pragma once

#include <string>
#include <vector>

#include "op_fuzz/call.hpp"

namespace op_fuzz {

/// The operands' metadata and bytes (of storages up to a few KiB).
class Snapshot {
public:
    explicit Snapshot(const std::vector<reel::Tensor>& tensors);
    /// What changed since, empty when nothing did.
    std::string difference() const;

private:
    struct State {
        reel::Tensor tensor;
        std::vector<std::int64_t> sizes, strides;
        std::int64_t offset;
        std::uint32_t version;
        std::vector<char> bytes;
    };
    static State state_of(const reel::Tensor& t);
    std::vector<State> states_;
};

/// Why a tensor of `v` reaches beyond its storage, empty when none does. Reads the first and last bytes.
std::string outside_storage(const reel::Value& v);

} // namespace op_fuzz
