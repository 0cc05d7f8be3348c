// Memory for registers and arguments, one stack per thread: no allocation per call or step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include <reel/autograd/value.hpp>

namespace reel::jit {

/// Values lie in chunks that never move.
class ValueStack {
public:
    static ValueStack& of_thread() {
        thread_local ValueStack stack;
        return stack;
    }
    /// Room for `n` values side by side, until the end of the scope; values that were put there are destroyed then.
    class Room {
    public:
        Room(ValueStack& stack, std::size_t n) : stack_(stack), chunk_(stack.chunk_), top_(stack.top_) {
            begin_ = stack.take(n);
        }
        Room(const Room&) = delete;
        ~Room() {
            std::destroy_n(begin_, count_);
            stack_.chunk_ = chunk_;
            stack_.top_ = top_;
        }
        template <class... A> void add(A&&... value) { new (begin_ + count_++) IValue(std::forward<A>(value)...); }
        IValue* begin() const { return begin_; }
        std::size_t size() const { return count_; }

    private:
        ValueStack& stack_;
        std::size_t chunk_, top_;
        IValue* begin_;
        std::size_t count_ = 0;
    };

private:
    struct Chunk {
        std::unique_ptr<std::byte[]> memory;
        std::size_t size = 0;
    };
    IValue* take(std::size_t n) {
        while (chunk_ < chunks_.size() && top_ + n > chunks_[chunk_].size) {
            ++chunk_;
            top_ = 0;
        }
        if (chunk_ == chunks_.size()) {
            const std::size_t size = std::max<std::size_t>(n, 2048);
            chunks_.push_back({std::make_unique<std::byte[]>(size * sizeof(IValue)), size});
        }
        IValue* const at = reinterpret_cast<IValue*>(chunks_[chunk_].memory.get()) + top_;
        top_ += n;
        return at;
    }
    std::vector<Chunk> chunks_;
    std::size_t chunk_ = 0, top_ = 0;
};

} // namespace reel::jit
