// Stacking dictionaries while they come.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <reel/rl/tensordict.hpp>

namespace reel::rl::detail {

/// Tensors for `count` dictionaries along a new batch dimension, into which they are copied one by one: what `stack`
/// makes of all, without keeping them. The first of a round decides on names, shapes and dtypes.
class Rows {
public:
    /// `whose` begins messages; direct entries named `without` are left out (empty: none).
    Rows(std::string whose, std::string without = {});

    /// Forgets what was written. `dim` is where the new dimension stands.
    void start(std::int64_t count, std::int64_t dim);
    /// Errors: KeyError for an entry that the first dictionary has and this one lacks or the other way round, Error for
    /// one of another shape or dtype. Gradients are not followed.
    void write(std::int64_t row, const TensorDict& dict);
    /// All rows; none were left out.
    TensorDict take();

private:
    struct Leaf {
        NestedKey key;
        Tensor first; ///< what the first dictionary had there
        Tensor all;
        std::int64_t blocks = 0, bytes = 0; ///< a row is `blocks` stretches of `bytes`; 0 blocks: not by bytes
    };
    struct Node {
        NestedKey key;
        std::size_t size;
    };
    void plan(const TensorDict& dict);
    void add_leaf(NestedKey key, const Tensor& tensor);
    void add_node(const NestedKey& key, const TensorDict& dict);
    void copy(Leaf& leaf, std::int64_t row, const Tensor& value) const;
    std::size_t size_of(const TensorDict& dict) const;
    [[noreturn]] void refuse_names(const TensorDict& dict, std::int64_t row) const;

    std::string whose_, without_;
    std::int64_t count_ = 0, dim_ = 0;
    bool planned_ = false;
    std::size_t size_ = 0; ///< direct entries
    std::vector<std::int64_t> batch_size_;
    std::vector<Node> nodes_;
    std::vector<Leaf> leaves_;
};

} // namespace reel::rl::detail
