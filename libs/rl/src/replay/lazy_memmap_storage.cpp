#include <reel/rl/replay/lazy_memmap_storage.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <reel/autograd/error.hpp>
#include <reel/autograd/tensor_factory.hpp>

namespace reel::rl {
namespace {

/// The key as the name of a file: parts joined by dots, other signs than letters, digits, '_' and '-' in hexadecimal.
std::string file_name(const NestedKey& key) {
    constexpr const char* digits = "0123456789abcdef";
    std::string name;
    for (const std::string& part : key.path()) {
        if (!name.empty()) name += '.';
        for (const char c : part) {
            const bool plain =
                (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
            if (plain) name += c;
            else (name += '%') += {digits[std::uint8_t(c) >> 4], digits[std::uint8_t(c) & 15]};
        }
    }
    return name + ".memmap";
}
/// Makes a folder and those above it.
void make_folders(const std::string& path) {
    for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
        const std::string part = path.substr(0, end);
        REEL_CHECK(::mkdir(part.c_str(), 0777) == 0 || errno == EEXIST, "LazyMemmapStorage: cannot make the folder ",
                   part, ": ", std::strerror(errno));
        if (end == std::string::npos) return;
    }
}
std::string temporary_folder() {
    const char* tmp = std::getenv("TMPDIR");
    std::string path = std::string(tmp && *tmp ? tmp : "/tmp") + "/reel-replay-XXXXXX";
    REEL_CHECK(::mkdtemp(path.data()), "LazyMemmapStorage: cannot make a folder like ", path, ": ",
               std::strerror(errno));
    return path;
}
/// A new file of this size, its space taken, mapped. Undefined errors leave no file behind.
void* map_new_file(const std::string& path, std::size_t bytes, bool existsok) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | (existsok ? 0 : O_EXCL), 0666);
    REEL_CHECK(fd >= 0 || errno != EEXIST, "LazyMemmapStorage: ", path,
               " is there already; give another scratch_dir, or existsok to overwrite it");
    REEL_CHECK(fd >= 0, "LazyMemmapStorage: cannot make ", path, ": ", std::strerror(errno));
    int error = ::ftruncate(fd, off_t(bytes)) == 0 ? ::posix_fallocate(fd, 0, off_t(bytes)) : errno;
    void* data = MAP_FAILED;
    if (!error) {
        data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (data == MAP_FAILED) error = errno;
    }
    ::close(fd);
    if (error) ::unlink(path.c_str());
    REEL_CHECK(!error, "LazyMemmapStorage: cannot map ", bytes, " bytes of ", path, ": ", std::strerror(error));
    return data;
}

} // namespace

struct LazyMemmapStorage::Files {
    struct File {
        std::string path;
        void* data; ///< kept mapped by the tensor
        std::size_t bytes;
    };
    std::string folder;
    bool existsok, temporary;
    std::vector<File> files;

    void remove() {
        for (const File& f : files) ::unlink(f.path.c_str());
        files.clear();
    }
    ~Files() {
        if (!temporary || folder.empty()) return;
        remove();
        ::rmdir(folder.c_str());
    }
};

LazyMemmapStorage::LazyMemmapStorage(std::int64_t max_size, std::string scratch_dir, bool existsok)
    : TensorStorage(max_size) {
    const bool temporary = scratch_dir.empty();
    files_.reset(new Files{std::move(scratch_dir), existsok, temporary, {}});
}
LazyMemmapStorage::~LazyMemmapStorage() = default;
LazyMemmapStorage::LazyMemmapStorage(LazyMemmapStorage&&) noexcept = default;
const std::string& LazyMemmapStorage::scratch_dir() const { return files_->folder; }

Tensor LazyMemmapStorage::allocate(const NestedKey& key, const std::vector<std::int64_t>& sizes, const Tensor& like) {
    if (files_->files.empty()) {
        if (files_->temporary && files_->folder.empty()) files_->folder = temporary_folder();
        else make_folders(files_->folder);
    }
    std::size_t bytes = like.element_size();
    for (const std::int64_t n : sizes) bytes *= std::size_t(n);
    if (bytes == 0) return from_blob(nullptr, sizes, TensorOptions(like.scalar_type()));
    const std::string path = files_->folder + "/" + file_name(key);
    void* data = map_new_file(path, bytes, files_->existsok);
    files_->files.push_back({path, data, bytes});
    return from_blob(
        data, sizes, [bytes](void* p) { ::munmap(p, bytes); }, TensorOptions(like.scalar_type()));
}
void LazyMemmapStorage::release() { files_->remove(); }
void LazyMemmapStorage::flush() const {
    for (const Files::File& f : files_->files)
        REEL_CHECK(::msync(f.data, f.bytes, MS_SYNC) == 0, "LazyMemmapStorage: cannot write ", f.path, ": ",
                   std::strerror(errno));
}

} // namespace reel::rl
