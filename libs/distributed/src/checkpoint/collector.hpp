// What one rank contributes to a checkpoint.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <reel/autograd/ordered_dict.hpp>
#include <reel/autograd/tensor.hpp>

#include "checkpoint/index.hpp"
#include "checkpoint/item.hpp"

namespace reel::distributed::checkpoint {

/// Takes the tensors of all items, decides what this rank writes, and writes it.
class Collector {
public:
    Collector(std::int64_t number, std::int64_t rank, std::int64_t world);
    /// The item's state, with marks.
    Value collect(const detail::Item& item);
    /// Writes this rank's file, where it has something to write.
    void write(const std::string& directory);
    const OrderedDict<std::string, StoredTensor>& tensors() const { return tensors_; }
    const std::string& file() const { return file_; }

private:
    Value take(const OutgoingTensor& tensor, bool local);
    bool writes(const OutgoingTensor& tensor, std::int64_t bytes);
    std::int64_t rank_;
    std::string file_;
    std::vector<std::int64_t> load_; ///< bytes by rank, of what all ranks have
    OrderedDict<std::string, StoredTensor> tensors_{"Tensor of a checkpoint"};
    OrderedDict<std::string, Tensor> own_{"Tensor"};
};

} // namespace reel::distributed::checkpoint
