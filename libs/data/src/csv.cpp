#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/data/csv.hpp>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "file_bytes.hpp"

namespace reel::data {

namespace {

/// The next line without its ending; moves `rest` behind it.
std::string_view take_line(std::string_view& rest) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}
std::string_view trimmed(std::string_view s) {
    while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
    while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
    return s;
}

} // namespace

Tensor read_csv(const std::string& path, const CsvOptions& options) {
    std::string text = read_file_bytes(path);
    if (is_gzip(text)) {
        std::string plain;
        REEL_CHECK(gunzip(text, plain), path, ": the gzip data is damaged or cut off (after ",
                   std::count(plain.begin(), plain.end(), '\n'), " whole lines)");
        text = std::move(plain);
    }
    std::vector<double> values;
    std::int64_t columns = options.columns, rows = 0, number = 0;
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view line = take_line(rest);
        ++number;
        if (trimmed(line).empty() || (number == 1 && options.skip_header)) continue;
        std::int64_t fields = 0;
        for (std::size_t begin = 0; begin <= line.size(); ++fields) {
            const std::size_t end = std::min(line.find(options.delimiter, begin), line.size());
            const std::string_view field = trimmed(line.substr(begin, end - begin));
            double v = 0;
            const auto [stop, code] = std::from_chars(field.data(), field.data() + field.size(), v);
            REEL_CHECK_VALUE(code == std::errc() && stop == field.data() + field.size(), path, ": line ", number,
                             ", field ", fields + 1, ": '", field.substr(0, 40), "' is not a number");
            values.push_back(v);
            begin = end + 1;
        }
        if (columns == 0) columns = fields;
        REEL_CHECK_VALUE(fields == columns, path, ": line ", number, " has ", fields, " fields, expected ", columns);
        ++rows;
    }
    REEL_CHECK_VALUE(rows > 0, path, ": there are no rows");
    Tensor table = reel::empty({rows, columns}, kDouble);
    std::copy(values.begin(), values.end(), table.data_ptr<double>());
    return table.to(options.dtype);
}

} // namespace reel::data
