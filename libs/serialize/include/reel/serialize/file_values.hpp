// Values that files hold and `Value` has no kind for. They come and go boxed: `value.get<reel::serialize::Bytes>()`.
#pragma once

#include <string>
#include <vector>

#include <reel/autograd/value.hpp>

namespace reel::serialize {

/// Python's `bytes` or `bytearray`.
struct Bytes {
    std::string data;
    bool is_bytearray = false;
};
/// Python's `set`, in the file's order.
struct ValueSet {
    std::vector<Value> elements;
};
/// An integer beyond 64 bits, in decimal.
struct BigInt {
    std::string digits;
};
/// A `torch.layout`: `strided`, `sparse_coo`, ...
struct Layout {
    std::string name;
};
/// A `collections.OrderedDict` with attributes, as `state_dict()` gives it in Python: `_metadata` is one. A plain
/// `ValueDict` with attributes is written as the same, one without as a `dict`.
struct OrderedDictValue {
    ValueDict items, attributes;
};

} // namespace reel::serialize
