// Fewer threads for one thread's computations.
#pragma once

namespace reel {

/// While it lives, what this thread computes runs on at most `n` threads, whatever `get_num_threads()` says elsewhere:
/// for threads that run beside each other, such as the workers of a data loader. Errors: ValueError unless positive.
class ThreadLimit {
public:
    explicit ThreadLimit(int n);
    ~ThreadLimit();
    ThreadLimit(const ThreadLimit&) = delete;
    ThreadLimit& operator=(const ThreadLimit&) = delete;

private:
    int previous_, previous_omp_;
};

} // namespace reel
