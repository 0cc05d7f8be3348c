// One pass over a loader.
#pragma once

#include <optional>
#include <utility>

#include <reel/autograd/error.hpp>

namespace reel::data::detail {

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
        if (!replaced_) fetch_first();
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
    /// Another pass took this one's place: the batch at hand is the last one, and asking for more is an error.
    void replace() {
        if (source_) replaced_ = true;
        source_ = nullptr;
    }

private:
    void fetch_first() {
        if (!started_) fetch();
    }
    void fetch() {
        REEL_CHECK(!replaced_,
                   "data loader: begin() has started another pass over this loader, which ended the pass of "
                   "this iterator; give each of two loops that overlap a loader of its own");
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
    bool started_ = false, ended_ = false, replaced_ = false;
};

} // namespace reel::data::detail
