#include <reel/data/csv.hpp>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>
#include <vector>

#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/device/array.hpp>
#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>

#include <reel/autograd/ops.hpp>

namespace reel::data {

namespace {

std::string read_all(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    REEL_CHECK(in, path, ": cannot be opened for reading");
    std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    REEL_CHECK(!in.bad(), path, ": cannot be read");
    return bytes;
}
bool is_gzip(std::string_view bytes) { return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b'; }

std::string unzip(const std::string& path, const std::string& bytes) {
    namespace io = boost::iostreams;
    std::string text;
    try {
        io::filtering_istreambuf in;
        in.push(io::gzip_decompressor());
        in.push(io::array_source(bytes.data(), bytes.size()));
        io::copy(in, io::back_inserter(text));
    } catch (const std::exception& e) {
        REEL_THROW(Error, path, ": the gzip data is damaged or cut off (after ",
                   std::count(text.begin(), text.end(), '\n'), " whole lines)");
    }
    return text;
}

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
    std::string text = read_all(path);
    if (is_gzip(text)) text = unzip(path, text);
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
