// Putting entries into dictionaries: what fits, and what is made to fit.
#pragma once

#include "tensordict/dict_impl.hpp"

namespace reel::rl::detail {

/// `value` under `key` of `root`; dictionaries on the way are made. Nothing has changed when it throws: Error for sizes
/// that do not begin with the batch size, KeyError for a path through a tensor, ValueError for an undefined tensor and
/// for a dictionary that would contain itself.
void store(const char* op, const TensorDict& root, const NestedKey& key, Entry value);
/// Throws what `store` would.
void check_storable(const char* op, const TensorDict& root, const NestedKey& key, const Entry& value);

/// What `store` checks and does once it stands in the dictionary that gets the entry.
void check_fits(const char* op, const DictImpl& into, const Path& key, const Entry& value);
/// On its device, with its batch size.
Entry fitted(const DictImpl& into, Entry value);

/// The tensor that is there, for writing into it.
Tensor writable(const char* op, const TensorDict& root, const NestedKey& key, const Tensor& value);
/// Error unless `value` broadcasts into `sizes`.
void check_copy(const char* op, const Path& key, IntArrayRef sizes, const Tensor& value);

} // namespace reel::rl::detail
