#include "data.hpp"

#include <vector>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/data/csv.hpp>

namespace digits {

using reel::Tensor;
using reel::data::TensorDataset;

namespace {
constexpr std::int64_t pixels = 64, side = 8;
} // namespace

Digits load_digits(const std::string& path) {
    reel::data::CsvOptions csv;
    csv.columns = pixels + 1;
    const Tensor table = reel::data::read_csv(path, csv);
    const auto cell = table.accessor<float, 2>();
    std::vector<std::int64_t> train, test;
    for (std::int64_t row = 0; row < table.size(0); ++row) {
        for (std::int64_t c = 0; c <= pixels; ++c) {
            const float v = cell[row][c], most = c < pixels ? 16 : 9;
            REEL_CHECK_VALUE(v >= 0 && v <= most && v == float(int(v)), path, ": row ", row + 1, ", field ", c + 1,
                             " is ", v, "; expected a whole number from 0 to ", most);
        }
        (row % 5 == 4 ? test : train).push_back(row);
    }
    REEL_CHECK_VALUE(test.size() > 1, path, ": has only ", table.size(0), " rows, too few to hold out a fifth");
    const Tensor images = (table.narrow(1, 0, pixels) / 16.0).reshape({-1, 1, side, side}).contiguous();
    const TensorDataset all(images, table.select(1, pixels).to(reel::kLong).contiguous());
    return {all.rows(reel::tensor(train)), all.rows(reel::tensor(test))};
}
TensorDataset below(const TensorDataset& all, std::int64_t classes) {
    return all.rows(reel::nonzero(reel::lt(all.target(), classes)).select(1, 0).contiguous());
}

} // namespace digits
