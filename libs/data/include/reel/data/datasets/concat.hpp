// Datasets one after the other.
#pragma once

#include <initializer_list>
#include <iterator>

#include <reel/data/datasets/base.hpp>
#include <reel/data/detail/concat_parts.hpp>

namespace reel::data::datasets {

/// The elements of several datasets of one type, in order; a batch is a vector of examples (collate after
/// concatenating). Errors: ValueError for no datasets or one without a size, IndexError beyond the end.
template <class D> class ConcatDataset : public BatchDataset<ConcatDataset<D>, typename detail::examples_of<D>::type> {
public:
    using Batch = typename detail::examples_of<D>::type;

    explicit ConcatDataset(std::vector<D> datasets) : datasets_(std::move(datasets)) {
        std::vector<std::optional<std::size_t>> sizes;
        for (const D& d : datasets_) sizes.push_back(d.size());
        ends_ = detail::concat_ends(sizes);
    }
    ConcatDataset(std::initializer_list<D> datasets) : ConcatDataset(std::vector<D>(datasets)) {}

    Batch get_batch(ArrayRef<std::size_t> request) override {
        Batch batch;
        batch.reserve(request.size());
        for (std::size_t i = 0; i < request.size();) { // neighbours of one part are fetched together
            const std::size_t part = detail::concat_part(ends_, request[i]);
            std::vector<std::size_t> rows;
            for (; i < request.size() && detail::concat_part(ends_, request[i]) == part; ++i)
                rows.push_back(request[i] - begin_of(part));
            if constexpr (detail::is_vector<typename D::BatchType>::value) {
                Batch some = datasets_[part].get_batch(ArrayRef<std::size_t>(rows));
                std::move(some.begin(), some.end(), std::back_inserter(batch));
            } else {
                for (const std::size_t row : rows) batch.push_back(datasets_[part].get(row));
            }
        }
        return batch;
    }
    std::optional<std::size_t> size() const override { return ends_.back(); }
    const std::vector<D>& datasets() const { return datasets_; }
    /// The sizes added up, as Python names them.
    const std::vector<std::size_t>& cumulative_sizes() const { return ends_; }

private:
    std::size_t begin_of(std::size_t part) const { return part == 0 ? 0 : ends_[part - 1]; }
    std::vector<D> datasets_;
    std::vector<std::size_t> ends_;
};

} // namespace reel::data::datasets
namespace reel::data {
using datasets::ConcatDataset;
}
