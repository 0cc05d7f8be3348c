// Iterators of loaders.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include <reel/autograd/error.hpp>

namespace reel::data {

namespace detail {
/// What batches come from: a loader.
template <class Batch> class BatchSource {
public:
    virtual std::optional<Batch> next_batch() = 0;
    virtual void pass_abandoned() = 0;

protected:
    ~BatchSource() = default;
};

/// One pass over a loader, which all copies of its iterator share.
template <class Batch> class Pass {
public:
    explicit Pass(BatchSource<Batch>& source) : source_(&source) {}
    ~Pass() {
        if (source_) source_->pass_abandoned();
    }
    Pass(const Pass&) = delete;
    bool at_end() {
        fetch_first();
        return ended_;
    }
    /// Whether batches are still to come, as far as is known without asking for one.
    bool in_flight() const { return source_ != nullptr; }
    Batch& get() {
        fetch_first();
        REEL_CHECK(!ended_, "data loader: Attempted to dereference iterator that was past the end");
        return *batch_;
    }
    void next() {
        fetch_first();
        REEL_CHECK(!ended_, "data loader: Attempted to increment iterator past the end");
        fetch();
    }
    /// The source is going, or has ended the pass: the batch at hand is the last one.
    void close() { source_ = nullptr; }

private:
    void fetch_first() {
        if (!started_) fetch();
    }
    void fetch() {
        std::optional<Batch> batch;
        if (source_) batch = source_->next_batch(); // when it throws, the batch at hand stays
        started_ = true;
        batch_.reset();
        if (batch) batch_.emplace(std::move(*batch));
        else {
            ended_ = true;
            source_ = nullptr;
        }
    }
    BatchSource<Batch>* source_;
    std::optional<Batch> batch_;
    bool started_ = false, ended_ = false;
};
} // namespace detail

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
