// Iterators of loaders.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include <reel/autograd/error.hpp>
#include <reel/data/detail/pass.hpp>

namespace reel::data {

/// An input iterator over the batches of one pass. The first batch is asked for when the iterator is first read, moved
/// or compared with the end. Copies stand at the same place and move together. A pass whose iterators are all gone is
/// over. Errors: Error for moving or reading it at the end.
template <class Batch> class Iterator {
public:
    using difference_type = std::ptrdiff_t;
    using value_type = Batch;
    using pointer = Batch*;
    using reference = Batch&;
    using iterator_category = std::input_iterator_tag;

    Iterator() = default; ///< the end
    explicit Iterator(std::shared_ptr<detail::Pass<Batch>> pass) : pass_(std::move(pass)) {}

    Iterator& operator++() {
        REEL_CHECK(pass_, "data loader: Incrementing the DataLoader's past-the-end iterator is not allowed");
        pass_->next();
        return *this;
    }
    void operator++(int) { ++*this; }
    Batch& operator*() const {
        REEL_CHECK(pass_, "data loader: Dereferencing the DataLoader's past-the-end iterator is not allowed");
        return pass_->get();
    }
    Batch* operator->() const { return &**this; }
    /// Equal when both are at the end, or belong to one pass.
    bool operator==(const Iterator& o) const { return pass_ == o.pass_ || (at_end() && o.at_end()); }

private:
    bool at_end() const { return !pass_ || pass_->at_end(); }
    std::shared_ptr<detail::Pass<Batch>> pass_;
};

} // namespace reel::data
