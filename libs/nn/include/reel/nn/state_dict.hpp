// State dictionaries: ordered maps of names to values with version metadata (rules M-33 to M-47).
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <vector>

#include <reel/autograd/ordered_dict.hpp>
#include <reel/autograd/value.hpp>

namespace reel::nn {

/// Module path -> `{version: n}`.
using StateMetadata = OrderedDict<std::string, ValueDict>;

/// Insertion-ordered name -> value with metadata. Tensors read out as `Tensor` through `tensor(key)`.
class StateDict : public OrderedDict<std::string, Value> {
public:
    StateDict() : OrderedDict("State dict key") {}
    /// As `from_value`, so that `net->load_state_dict(load("net.pt"))` reads as in Python.
    template <std::same_as<Value> V> StateDict(const V& dict) : StateDict(from_value(dict)) {}
    /// The tensor under `key`; throws KeyError when absent, TypeError when it is another value.
    const Tensor& tensor(const std::string& key) const;
    /// Null when the dictionary carries none (then loaders assume version 1 semantics).
    std::shared_ptr<StateMetadata> metadata;
    /// As a dict value, for archives and hooks; the metadata are its attribute `_metadata`, as in Python.
    Value to_value() const;
    /// The other way, with the metadata if there are any. Errors: TypeError for a value that is no mapping.
    static StateDict from_value(const Value& dict);
};

/// What `load_state_dict` could not match. Prints as a success message when both are empty.
struct IncompatibleKeys {
    std::vector<std::string> missing_keys, unexpected_keys;
};
std::ostream& operator<<(std::ostream& os, const IncompatibleKeys& keys);

} // namespace reel::nn
