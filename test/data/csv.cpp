// Reading tables: plain and gzipped, and every way in which a file can be bad.
#include <reel/data/csv.hpp>

#include <boost/test/unit_test.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>

#include <reel/autograd/ops.hpp>

using namespace reel;

namespace {
struct Files {
    Files() : folder(std::filesystem::temp_directory_path() / ("reel_csv_" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(folder);
    }
    ~Files() { std::filesystem::remove_all(folder); }
    std::string write(const std::string& name, const std::string& bytes) {
        const std::string path = (folder / name).string();
        std::ofstream(path, std::ios::binary) << bytes;
        return path;
    }
    std::filesystem::path folder;
};
std::string zipped(const std::string& text) {
    namespace io = boost::iostreams;
    std::istringstream in(text);
    std::ostringstream out;
    io::filtering_istream filter;
    filter.push(io::gzip_compressor());
    filter.push(in);
    io::copy(filter, out);
    return out.str();
}
template <class E = ValueError>
void fails(const std::string& path, const std::string& message, data::CsvOptions options = {}) {
    BOOST_CHECK_EXCEPTION(data::read_csv(path, options), E, [&](const Error& e) {
        const bool same = e.msg() == path + ": " + message;
        if (!same) BOOST_TEST_MESSAGE("got: " << e.msg());
        return same;
    });
}
} // namespace

BOOST_FIXTURE_TEST_SUITE(csv, Files)

BOOST_AUTO_TEST_CASE(plain_and_gzipped_files_read_alike) {
    const std::string text = "1, 2.5,-3e2\r\n4,5,6\n\n7,8,9";
    for (const std::string& bytes : {text, zipped(text)}) {
        const Tensor t = data::read_csv(write("a.csv", bytes));
        BOOST_TEST((t.sizes() == IntArrayRef({3, 3})));
        BOOST_TEST((t.scalar_type() == kFloat));
        BOOST_TEST(t.data_ptr<float>()[1] == 2.5f);
        BOOST_TEST(t.data_ptr<float>()[2] == -300.f);
        BOOST_TEST(t.data_ptr<float>()[8] == 9.f);
    }
}
BOOST_AUTO_TEST_CASE(bad_lines_are_named) {
    fails(write("b", "1,2\n3,x\n"), "line 2, field 2: 'x' is not a number");
    fails(write("c", "1,2\n3,4,5\n"), "line 2 has 3 fields, expected 2");
    fails(write("d", "1,2\n3,\n"), "line 2, field 2: '' is not a number");
    fails(write("e", "\n\n"), "there are no rows");
    data::CsvOptions three;
    three.columns = 3;
    fails(write("f", "1,2\n"), "line 1 has 2 fields, expected 3", three);
}
BOOST_AUTO_TEST_CASE(a_missing_file_is_named) {
    fails<Error>((folder / "none.csv").string(), "cannot be opened for reading");
}
BOOST_AUTO_TEST_CASE(a_gzip_file_cut_anywhere_or_with_a_flipped_bit_is_refused) {
    std::string text;
    for (int i = 0; i < 200; ++i) text += std::to_string(i) + "," + std::to_string(i * i) + "\n";
    const std::string good = zipped(text);
    for (std::size_t n = 2; n < good.size(); n += 7)
        BOOST_CHECK_THROW(data::read_csv(write("cut", good.substr(0, n))), Error);
    BOOST_CHECK_THROW(data::read_csv(write("cut", good.substr(0, good.size() - 1))), Error);
    std::string flipped = good;
    flipped[flipped.size() / 2] ^= 4;
    BOOST_CHECK_THROW(data::read_csv(write("flipped", flipped)), Error);
}

BOOST_AUTO_TEST_SUITE_END()
