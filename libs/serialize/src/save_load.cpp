#include <reel/serialize/save_load.hpp>

#include <bit>
#include <istream>
#include <ostream>
#include <unordered_map>

#include "archive_names.hpp"
#include "atomic_file.hpp"
#include "pickle_writer.hpp"
#include "pt_value.hpp"
#include "zip_reader.hpp"
#include "zip_writer.hpp"

namespace reel {

using namespace serialize;

namespace {
struct Archive {
    Pickled pickled;
    std::vector<std::string> names;
    ZipWriter zip;
    Archive(const Value& value, const SaveOptions& options, const std::string& root)
        : pickled(pickle_value(value, options)) {
        static_assert(std::endian::native == std::endian::little);
        const auto add = [&](const std::string& name, std::string_view data) {
            names.push_back(name);
            zip.add(root + "/" + name, data);
        };
        add("data.pkl", pickled.pickle);
        add(".format_version", "1");
        add(".storage_alignment", "64");
        add("byteorder", "little");
        for (std::size_t k = 0; k < pickled.storages.size(); ++k)
            add("data/" + std::to_string(k), pickled.storages[k].bytes);
        add("version", "3\n");
        zip.add_late(root + "/.data/serialization_id", [this] { return serialization_id(names, zip); });
    }
    Archive(const Archive&) = delete;
};
Value read(const PtReader& file, const LoadOptions& options) { return to_value(file, options); }
Value read_bytes(std::string name, std::string bytes, const LoadOptions& options) {
    PtOptions o;
    o.check_crc = options.check_crc;
    return read(PtReader(std::make_shared<MappedFile>(std::move(name), std::move(bytes)), o), options);
}
constexpr const char* stream_name = "the stream";
/// From where the stream stands; one that an earlier load left at its end is read again from its beginning.
std::string rest_of(std::istream& stream) {
    if (stream.eof() && !stream.bad()) {
        stream.clear();
        stream.seekg(0);
    }
    REEL_CHECK(stream.good(),
               "load: the stream cannot be read (it failed before, or has been read and cannot go back)");
    std::string bytes;
    char block[1 << 16];
    while (stream.read(block, sizeof block) || stream.gcount()) bytes.append(block, std::size_t(stream.gcount()));
    REEL_CHECK(!stream.bad(), "load: reading the stream failed after ", bytes.size(), " bytes");
    return bytes;
}
void write(const Value& value, const SaveOptions& options, const ZipWriter::Sink& sink) {
    Archive archive(value, options, "archive");
    archive.zip.write(sink);
}

/// A copy with all tensors on `device`; what is one tensor stays one.
class Mover {
public:
    explicit Mover(Device device) : device_(device) {}
    Value operator()(const Value& v) {
        if (v.isTensor()) return v.toTensor().defined() ? Value(tensor(v.toTensor())) : v;
        if (v.isSequence()) {
            std::vector<Value> elements;
            for (const Value& e : v.elements()) elements.push_back((*this)(e));
            return v.isList() ? Value::list(std::move(elements)) : Value::tuple(std::move(elements));
        }
        if (!v.isGenericDict()) return v;
        ValueDict out;
        for (const auto& [key, value] : v.toGenericDict()) out.set(key, (*this)(value));
        for (const auto& [name, value] : v.toGenericDict().attributes())
            out.set_attribute(name.toStringRef(), (*this)(value));
        return Value(std::move(out));
    }

private:
    Tensor tensor(const Tensor& t) {
        Tensor& moved = moved_[t.unsafeGetTensorImpl()];
        if (!moved.defined()) {
            moved = t.detach().to(device_);
            if (t.requires_grad()) moved.requires_grad_();
        }
        return moved;
    }
    Device device_;
    std::unordered_map<const TensorImpl*, Tensor> moved_;
};
InputArchive archive_of(Value value, std::string origin, const std::optional<Device>& device) {
    if (device && !device->is_cpu()) value = Mover(*device)(value);
    return InputArchive(std::move(value), std::move(origin));
}
} // namespace

Value load(const std::string& path, const LoadOptions& options) {
    PtOptions o;
    o.check_crc = options.check_crc;
    return read(PtReader(path, o), options);
}
Value load(std::istream& stream, const LoadOptions& options) {
    return read_bytes(stream_name, rest_of(stream), options);
}
void save(const Value& value, const std::string& path, const SaveOptions& options) {
    Archive archive(value, options, archive_root(path));
    AtomicFile file(path);
    archive.zip.write([&](std::string_view bytes) { file.write(bytes); });
    file.commit();
}
void save(const Value& value, std::ostream& stream, const SaveOptions& options) {
    write(value, options, [&, n = std::size_t(0)](std::string_view bytes) mutable {
        stream.write(bytes.data(), std::streamsize(bytes.size()));
        REEL_CHECK(stream.good(), "save: the stream took no more than ", n, " bytes");
        n += bytes.size();
    });
    stream.flush();
    REEL_CHECK(stream.good(), "save: flushing the stream failed");
}
void save(const Value& value, const WriteCallback& callback, const SaveOptions& options) {
    REEL_CHECK_VALUE(callback, "save: the callback is empty");
    write(value, options, [&](std::string_view bytes) {
        const std::size_t taken = callback(bytes.data(), bytes.size());
        REEL_CHECK(taken == bytes.size(), "save: the callback took ", taken, " of ", bytes.size(), " bytes");
    });
}
std::vector<char> pickle_save(const Value& value) {
    std::vector<char> out;
    write(value, {}, [&](std::string_view bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); });
    return out;
}
Value pickle_load(const std::vector<char>& data) {
    return read_bytes("the data", std::string(data.begin(), data.end()), {});
}

namespace serialize {

void OutputArchive::save_to(const std::string& path) const { save(value(), path); }
void OutputArchive::save_to(std::ostream& stream) const { save(value(), stream); }
void OutputArchive::save_to(const WriteCallback& callback) const { save(value(), callback); }

void InputArchive::load_from(const std::string& path, std::optional<Device> device) {
    *this = archive_of(load(path, LoadOptions()), path, device);
}
void InputArchive::load_from(std::istream& stream, std::optional<Device> device) {
    *this = archive_of(load(stream, LoadOptions()), stream_name, device);
}
void InputArchive::load_from(const char* data, std::size_t size, std::optional<Device> device) {
    REEL_CHECK_VALUE(data || !size, "load: ", size, " bytes at a null pointer");
    *this = archive_of(read_bytes("the data", std::string(data, size), {}), "the data", device);
}
void InputArchive::load_from(const ReadCallback& callback, const SizeCallback& size, std::optional<Device> device) {
    REEL_CHECK_VALUE(callback && size, "load: a callback is empty");
    std::string bytes(size(), '\0');
    const std::size_t got = callback(0, bytes.data(), bytes.size());
    REEL_CHECK(got == bytes.size(), "load: the callback gave ", got, " of ", bytes.size(), " bytes");
    *this = archive_of(read_bytes("the data", std::move(bytes), {}), "the data", device);
}

namespace detail {
namespace {
std::string from(const InputArchive& archive) {
    return archive.origin().empty() ? std::string("the archive") : archive.origin();
}
} // namespace

void load_object(Tensor& tensor, const InputArchive& archive) {
    const Value& v = archive.value();
    // a tensor, or an archive that holds one, as libtorch's `archive << tensor` makes it
    REEL_CHECK_TYPE(v.isTensor() || (v.isGenericDict() && v.toGenericDict().contains("0")), "load: ", from(archive),
                    " holds ", v.repr(), ", expected a tensor");
    archive.read("0", tensor);
}
void load_object(std::vector<Tensor>& tensors, const InputArchive& archive) {
    const std::vector<std::string> keys = archive.keys();
    std::vector<Tensor> fresh(keys.size());
    const bool many = archive.value().isSequence() || archive.value().isGenericDict();
    for (std::size_t i = 0; i < keys.size(); ++i)
        REEL_CHECK_TYPE(many && archive.try_read(std::to_string(i), fresh[i]), "load: ", from(archive), " holds ",
                        archive.value().repr(), ", expected a list of tensors");
    tensors.insert(tensors.end(), fresh.begin(), fresh.end());
}
} // namespace detail
} // namespace serialize

} // namespace reel
