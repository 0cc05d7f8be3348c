// The MNIST files.
#include <reel/data/datasets/mnist.hpp>

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/device/array.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/data/dataloader.hpp>
#include <reel/data/transforms.hpp>

using namespace reel;
using namespace reel::data;
namespace fs = std::filesystem;

namespace {
/// A folder of small files in the format of the set; goes with its contents.
struct Folder {
    fs::path path;
    Folder() {
        std::string name = (fs::temp_directory_path() / "reel-mnist-XXXXXX").string();
        BOOST_REQUIRE(mkdtemp(name.data()) != nullptr);
        path = name;
    }
    ~Folder() { fs::remove_all(path); }
    void write(const std::string& name, const std::string& bytes) const {
        fs::create_directories((path / name).parent_path());
        std::ofstream(path / name, std::ios::binary) << bytes;
    }
    void write_gz(const std::string& name, const std::string& bytes) const {
        std::ofstream file(path / name, std::ios::binary);
        boost::iostreams::filtering_ostreambuf out;
        out.push(boost::iostreams::gzip_compressor());
        out.push(file);
        boost::iostreams::copy(boost::iostreams::array_source(bytes.data(), bytes.size()), out);
    }
};
std::string word(unsigned v) { return {char(v >> 24), char(v >> 16), char(v >> 8), char(v)}; }
/// Image i is filled with i.
std::string images(unsigned n) {
    std::string r = word(2051) + word(n) + word(28) + word(28);
    for (unsigned i = 0; i < n; ++i) r += std::string(28 * 28, char(i));
    return r;
}
std::string labels(unsigned n) {
    std::string r = word(2049) + word(n);
    for (unsigned i = 0; i < n; ++i) r += char(i % 10);
    return r;
}
auto says(const std::string& text) {
    return [text](const Error& e) {
        BOOST_TEST_MESSAGE(e.msg());
        return e.msg().find(text) != std::string::npos;
    };
}
} // namespace

BOOST_AUTO_TEST_SUITE(mnist, *boost::unit_test::label("threads"))

BOOST_AUTO_TEST_CASE(images_and_labels_plain_and_zipped) {
    const Folder f;
    f.write("train-images-idx3-ubyte", images(256));
    f.write("train-labels-idx1-ubyte", labels(256));
    f.write_gz("t10k-images-idx3-ubyte.gz", images(7));
    f.write_gz("t10k-labels-idx1-ubyte.gz", labels(7));
    datasets::MNIST train(f.path.string()), test(f.path.string(), datasets::MNIST::Mode::kTest);
    BOOST_TEST((train.is_train() && !test.is_train()));
    BOOST_TEST(*train.size() == 256u);
    BOOST_TEST(*test.size() == 7u);
    BOOST_TEST((train.images().sizes() == IntArrayRef({256, 1, 28, 28}) && train.images().scalar_type() == kFloat));
    const Example<> e = train.get(255);
    BOOST_TEST(reel::equal(e.data, reel::ones({1, 28, 28})));
    BOOST_TEST((e.target.dim() == 0 && e.target.scalar_type() == kLong && e.target.item<std::int64_t>() == 5));
    BOOST_TEST(train.get(51).data[0][3][4].item<float>() == 51 / 255.0f);
    BOOST_CHECK_EXCEPTION(test.get(7), IndexError, says("MNIST: image 7 of 7"));
}
BOOST_AUTO_TEST_CASE(the_loop_of_libtorchs_examples) {
    const Folder f;
    f.write("MNIST/raw/train-images-idx3-ubyte", images(100));
    f.write("MNIST/raw/train-labels-idx1-ubyte", labels(100));
    auto dataset = datasets::MNIST(f.path.string()).map(transforms::Normalize<>(0.5, 0.5)).map(transforms::Stack<>());
    const std::size_t n = dataset.size().value();
    for (const std::size_t workers : {0, 2}) {
        const auto loader = make_data_loader(dataset, DataLoaderOptions().batch_size(64).workers(workers));
        std::size_t seen = 0;
        double sum = 0;
        for (Example<>& batch : *loader) {
            BOOST_TEST((batch.data.dim() == 4 && batch.target.sizes() == IntArrayRef(batch.data.size(0))));
            seen += std::size_t(batch.data.size(0));
            sum += reel::sum(batch.data.select(3, 0).select(2, 0)).item<double>();
        }
        BOOST_TEST(seen == n);
        BOOST_TEST(sum == 2 * (99 * 50 / 255.0) - 100, boost::test_tools::tolerance(1e-5));
    }
}
BOOST_AUTO_TEST_CASE(errors_name_the_file_and_what_to_do) {
    const Folder f;
    const std::string root = f.path.string();
    BOOST_CHECK_EXCEPTION(datasets::MNIST{root}, Error, says(root + "/train-images-idx3-ubyte does not exist"));
    BOOST_CHECK_EXCEPTION(datasets::MNIST{root}, Error,
                          says("into '" + root + "', or pass the folder that holds them"));
    f.write("train-labels-idx1-ubyte", labels(3));
    f.write("train-images-idx3-ubyte", labels(3) + std::string(20, '\0'));
    BOOST_CHECK_EXCEPTION(
        datasets::MNIST{root}, ValueError,
        says("train-images-idx3-ubyte begins with 2049, expected 2051: it is not an IDX file of images"));
    f.write("train-images-idx3-ubyte", "short");
    BOOST_CHECK_EXCEPTION(datasets::MNIST{root}, ValueError, says("has 5 bytes, too few for the header"));
    f.write("train-images-idx3-ubyte", images(3).substr(0, 2000));
    BOOST_CHECK_EXCEPTION(datasets::MNIST{root}, ValueError,
                          says("holds 1984 bytes of data, its header promises 2352: it is cut off or damaged"));
    f.write("train-images-idx3-ubyte", images(4));
    BOOST_CHECK_EXCEPTION(datasets::MNIST{root}, ValueError, says("has 4 images, "));
    f.write("train-images-idx3-ubyte", word(2051) + word(0xffffffff) + word(0xffffffff) + word(0xffffffff));
    BOOST_CHECK_EXCEPTION(datasets::MNIST{root}, ValueError, says("size 4294967295 of dim 1 cannot be"));
    f.write("train-images-idx3-ubyte", "\x1f\x8b" + std::string(40, 'x'));
    BOOST_CHECK_EXCEPTION(datasets::MNIST{root}, ValueError, says("the gzip data is damaged or cut off"));
}

BOOST_AUTO_TEST_SUITE_END()
