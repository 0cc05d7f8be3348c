#include <reel/autograd/ops/random/random.hpp>
#include <reel/data/datasets/random_split.hpp>

#include <cmath>
#include <numeric>

namespace reel::data::datasets::detail {

using Parts = std::vector<std::vector<std::size_t>>;

Parts random_parts(std::optional<std::size_t> size, const std::vector<std::size_t>& lengths,
                   const std::optional<Generator>& generator) {
    REEL_CHECK_VALUE(size, "random_split: the dataset has no size");
    const std::size_t sum = std::accumulate(lengths.begin(), lengths.end(), std::size_t(0));
    REEL_CHECK_VALUE(sum == *size, "random_split: the lengths sum to ", sum, ", the dataset has ", *size, " elements");
    const Tensor order = reel::randperm(std::int64_t(sum), generator);
    const std::int64_t* at = order.data_ptr<std::int64_t>();
    Parts parts;
    for (const std::size_t n : lengths) {
        parts.emplace_back(at, at + n);
        at += n;
    }
    return parts;
}

Parts random_parts(std::optional<std::size_t> size, const std::vector<double>& fractions,
                   const std::optional<Generator>& generator) {
    REEL_CHECK_VALUE(size, "random_split: the dataset has no size");
    double sum = 0;
    for (const double f : fractions) {
        REEL_CHECK_VALUE(f >= 0 && f <= 1, "random_split: fraction ", f, " is not between 0 and 1");
        sum += f;
    }
    REEL_CHECK_VALUE(std::abs(sum - 1) <= 1e-9, "random_split: the fractions sum to ", sum, ", expected 1");
    std::vector<std::size_t> lengths;
    std::size_t rest = *size;
    for (const double f : fractions) {
        lengths.push_back(std::min(rest, std::size_t(double(*size) * f)));
        rest -= lengths.back();
    }
    for (std::size_t i = 0; rest > 0; i = (i + 1) % lengths.size(), --rest) ++lengths[i];
    return random_parts(size, lengths, generator);
}

} // namespace reel::data::datasets::detail
