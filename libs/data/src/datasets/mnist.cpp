#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/data/datasets/mnist.hpp>

#include <filesystem>

#include "file_bytes.hpp"

namespace reel::data::datasets {

namespace {

/// A file of the IDX format: bytes with their sizes.
struct Idx {
    std::string path, bytes;
    std::vector<std::int64_t> sizes;
    const unsigned char* begin() const {
        return reinterpret_cast<const unsigned char*>(bytes.data()) + 4 + 4 * sizes.size();
    }
};

/// The path of the file, plain or zipped, in `root` or where torchvision puts it.
std::string find_file(const std::string& root, const std::string& name) {
    namespace fs = std::filesystem;
    const fs::path here(root);
    for (const fs::path& folder : {here, here / "MNIST" / "raw"})
        for (const char* ending : {"", ".gz"}) {
            std::error_code ignored;
            const fs::path path = folder / (name + ending);
            if (fs::is_regular_file(path, ignored)) return path.string();
        }
    REEL_THROW(
        Error, "MNIST: ", (here / name).string(),
        " does not exist, nor with .gz, nor in MNIST/raw: put the four files of the set "
        "(train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte, t10k-labels-idx1-ubyte) into '",
        root, "', or pass the folder that holds them");
}

Idx read_idx(const std::string& root, const std::string& name, std::size_t dims) {
    Idx r;
    r.path = find_file(root, name);
    r.bytes = read_file_bytes(r.path);
    if (is_gzip(r.bytes)) {
        std::string plain;
        REEL_CHECK_VALUE(gunzip(r.bytes, plain), "MNIST: ", r.path,
                         ": the gzip data is damaged or cut off; fetch the file again");
        r.bytes = std::move(plain);
    }
    const auto word = [&](std::size_t i) {
        const auto* p = reinterpret_cast<const unsigned char*>(r.bytes.data()) + 4 * i;
        return std::uint32_t(p[0]) << 24 | std::uint32_t(p[1]) << 16 | std::uint32_t(p[2]) << 8 | std::uint32_t(p[3]);
    };
    const std::uint32_t magic = 0x800 + std::uint32_t(dims); // unsigned bytes, so many dims
    const std::size_t header = 4 + 4 * dims;
    REEL_CHECK_VALUE(r.bytes.size() >= header, "MNIST: ", r.path, " has ", r.bytes.size(),
                     " bytes, too few for the header of an IDX file");
    REEL_CHECK_VALUE(word(0) == magic, "MNIST: ", r.path, " begins with ", word(0), ", expected ", magic,
                     ": it is not an IDX file of ", dims == 1 ? "labels" : "images");
    std::uint64_t count = 1;
    for (std::size_t d = 0; d < dims; ++d) {
        r.sizes.push_back(word(d + 1));
        REEL_CHECK_VALUE(word(d + 1) > 0 && count <= (std::uint64_t(1) << 40) / word(d + 1), "MNIST: ", r.path,
                         ": size ", word(d + 1), " of dim ", d, " cannot be");
        count *= word(d + 1);
    }
    REEL_CHECK_VALUE(r.bytes.size() - header == count, "MNIST: ", r.path, " holds ", r.bytes.size() - header,
                     " bytes of data, its header promises ", count, ": it is cut off or damaged; fetch it again");
    return r;
}

} // namespace

MNIST::MNIST(const std::string& root, Mode mode) : mode_(mode) {
    const std::string set = mode == Mode::kTrain ? "train" : "t10k";
    const Idx images = read_idx(root, set + "-images-idx3-ubyte", 3);
    const Idx labels = read_idx(root, set + "-labels-idx1-ubyte", 1);
    REEL_CHECK_VALUE(images.sizes[0] == labels.sizes[0], "MNIST: ", images.path, " has ", images.sizes[0], " images, ",
                     labels.path, " has ", labels.sizes[0], " labels");
    images_ = reel::empty({images.sizes[0], 1, images.sizes[1], images.sizes[2]}, kFloat);
    float* pixel = images_.data_ptr<float>();
    for (std::int64_t i = 0, n = images_.numel(); i < n; ++i) pixel[i] = float(images.begin()[i]) / 255.0f;
    targets_ = reel::empty({labels.sizes[0]}, kLong);
    std::int64_t* target = targets_.data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < labels.sizes[0]; ++i) target[i] = labels.begin()[i];
}
Example<> MNIST::get(std::size_t index) {
    REEL_CHECK_INDEX(index < std::size_t(images_.size(0)), "MNIST: image ", index, " of ", images_.size(0));
    return {images_[std::int64_t(index)], targets_[std::int64_t(index)]};
}
std::optional<std::size_t> MNIST::size() const { return std::size_t(images_.size(0)); }

} // namespace reel::data::datasets
