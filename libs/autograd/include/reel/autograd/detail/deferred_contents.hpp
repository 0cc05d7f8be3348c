// What the memory of a storage is going to hold once somebody asks for it.
#pragma once

#include <mutex>

#include <reel/autograd/storage.hpp>

namespace reel::detail {

/// Knows all elements of a storage that nobody has asked for yet. It keeps whatever it needs for them, unchanged, so
/// that the time of asking makes no difference.
class DeferredContents {
public:
    virtual ~DeferredContents() = default;
    /// Writes all of the storage's bytes; called once at most. Throws nothing.
    virtual void write(char* into) const = 0;

private:
    friend class reel::Storage;
    mutable std::mutex mutex_;
};

} // namespace reel::detail
