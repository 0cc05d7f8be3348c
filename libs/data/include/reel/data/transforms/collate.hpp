// Transforms that make one value of a batch.
#pragma once

#include <reel/data/example.hpp>
#include <reel/data/transforms/lambda.hpp>

namespace reel::data::transforms {

/// Base of transforms that make one `T` of a batch.
template <class T, class BatchType = std::vector<T>> using Collation = BatchTransform<BatchType, T>;
/// One made of a function: `Collate<Example<>>([](std::vector<Example<>> examples) { ... })`.
template <class T, class BatchType = std::vector<T>> using Collate = BatchLambda<BatchType, T>;

} // namespace reel::data::transforms
