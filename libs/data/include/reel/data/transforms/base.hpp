// What every transform is.
#pragma once

#include <utility>
#include <vector>

namespace reel::data::transforms {

/// Makes a batch of another. Loaders with workers give each worker a copy.
template <class InputBatch, class OutputBatch> class BatchTransform {
public:
    using InputBatchType = InputBatch;
    using OutputBatchType = OutputBatch;
    virtual ~BatchTransform() = default;
    virtual OutputBatch apply_batch(InputBatch input_batch) = 0;
};

/// Makes an example of another; a batch is transformed example by example.
template <class Input, class Output> class Transform : public BatchTransform<std::vector<Input>, std::vector<Output>> {
public:
    using InputType = Input;
    using OutputType = Output;
    virtual OutputType apply(InputType input) = 0;
    std::vector<Output> apply_batch(std::vector<Input> input_batch) override {
        std::vector<Output> output_batch;
        output_batch.reserve(input_batch.size());
        for (auto&& input : input_batch) output_batch.push_back(apply(std::move(input)));
        return output_batch;
    }
};

} // namespace reel::data::transforms
