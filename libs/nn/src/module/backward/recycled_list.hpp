// A list of tensors whose memory is used again.
#pragma once

#include <reel/nn/fwd.hpp>

namespace reel::nn::detail {

/// A list made for the duration of a hook's call: its memory comes from a small store of this thread's, and goes back
/// there with the list.
class RecycledList {
public:
    RecycledList();
    RecycledList(const RecycledList& o);
    RecycledList(RecycledList&& o) noexcept : list(std::move(o.list)) {}
    RecycledList& operator=(const RecycledList&) = delete;
    ~RecycledList();
    variable_list list;
};

} // namespace reel::nn::detail
