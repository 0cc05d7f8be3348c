// Errors of worker threads.
#pragma once

#include <exception>
#include <string>

#include <reel/autograd/error.hpp>

namespace reel::data {

/// Thrown to a loader's consumer where a worker threw while making the batch; says what the original said and carries
/// it. The pass may be continued with the next batch.
struct WorkerException : public Error {
    explicit WorkerException(std::exception_ptr original);
    ~WorkerException() override;

    std::exception_ptr original_exception;
    std::string message; ///< the same as `what()`
};

} // namespace reel::data
