#include "listing.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include <reel/autograd/error.hpp>
#include <reel/serialize/safetensors.hpp>

#include "elements.hpp"
#include "npz_reader.hpp"
#include "pt_reader.hpp"
#include "sha256.hpp"

namespace reel_file {

using namespace reel::serialize;

namespace {

constexpr std::uint64_t expanded_limit = 5'000'000;

std::string shape_text(const std::vector<std::int64_t>& v) {
    std::string out = "[";
    for (std::size_t i = 0; i < v.size(); ++i) out += (i ? ", " : "") + std::to_string(v[i]);
    return out + "]";
}

/// Dense elements of an array that is complete in memory.
void dense_fields(std::ostream& out, FileDtype dtype, const char* data, std::uint64_t bytes) {
    Sha256 hash;
    hash.update(data, bytes);
    out << ", \"sha256\": \"" << hash.hex() << "\", \"first\": [";
    const std::size_t item = info(dtype).size;
    for (std::uint64_t k = 0; k < 4 && k * item < bytes; ++k)
        out << (k ? ", " : "") << json_element(dtype, data + k * item);
    out << "]";
}

/// Storages of an opened file, read when first asked for; at most one copied one is held.
class Storages {
public:
    explicit Storages(const PtReader& file) : file_(file), checked_(file.tree().storages.size()) {}
    const char* bytes(std::size_t index) {
        if (char* mapped = file_.mapped_storage(index)) {
            if (!checked_[index]) file_.check_storage(index);
            checked_[index] = true;
            return mapped;
        }
        if (held_ != std::int64_t(index)) {
            held_ = -1;
            buffer_.reset();
            buffer_.reset(new char[file_.tree().storages[index].bytes + 1]);
            file_.read_storage(index, buffer_.get());
            held_ = std::int64_t(index);
        }
        return buffer_.get();
    }

private:
    const PtReader& file_;
    std::vector<bool> checked_;
    std::unique_ptr<char[]> buffer_;
    std::int64_t held_ = -1;
};

/// Gives the elements of a strided tensor in row-major order, conjugated and negated as its flags say.
void each_element(const TensorInfo& t, const char* storage, std::uint64_t most,
                  const std::function<void(const char*)>& give) {
    const std::size_t item = info(t.dtype).size, dims = t.sizes.size();
    std::vector<std::int64_t> at(dims, 0);
    std::uint64_t numel = 1;
    for (const std::int64_t s : t.sizes) numel *= std::uint64_t(s);
    numel = std::min(numel, most);
    std::int64_t offset = t.offset;
    char copy[16];
    for (std::uint64_t k = 0; k < numel; ++k) {
        std::memcpy(copy, storage + std::size_t(offset) * item, item);
        // the sign is the top bit of the last byte of each part
        const bool complex = is_complex(t.dtype);
        if (t.neg && complex) copy[item / 2 - 1] ^= char(0x80);
        if (t.neg != t.conj) copy[item - 1] ^= char(0x80);
        give(copy);
        for (std::size_t d = dims; d-- > 0;) {
            offset += t.strides[d];
            if (++at[d] < t.sizes[d]) break;
            offset -= t.strides[d] * t.sizes[d];
            at[d] = 0;
        }
    }
}
bool is_dense(const TensorInfo& t) {
    std::int64_t expected = 1;
    for (std::size_t d = t.sizes.size(); d-- > 0; expected *= t.sizes[d])
        if (t.sizes[d] != 1 && t.strides[d] != expected) return false;
    return !t.conj && !t.neg;
}
std::uint64_t numel(const TensorInfo& t) {
    std::uint64_t n = 1;
    for (const std::int64_t s : t.sizes) n *= std::uint64_t(s);
    return n;
}

class PtJson {
public:
    PtJson(std::ostream& out, const PtReader& file) : out_(out), file_(file), tree_(file.tree()), storages_(file) {}
    void write() {
        if (expanded(*tree_.root) > expanded_limit)
            REEL_THROW(ValueError, file_.path(), ": holds more than ", expanded_limit,
                       " objects once its shared values are written out (too many objects once expanded)");
        value(*tree_.root);
    }

private:
    std::uint64_t expanded(const Node& n) {
        if (n.items.empty() && !n.attributes) return 1;
        const auto [it, fresh] = sizes_.emplace(&n, 1);
        if (!fresh) return it->second;
        std::uint64_t total = 1;
        for (const Node* child : n.items) total = std::min(total + expanded(*child), 2 * expanded_limit);
        if (n.attributes) total += expanded(*n.attributes);
        return sizes_[&n] = total;
    }
    void sequence(const char* key, const Node& n) {
        out_ << "{\"" << key << "\": [";
        for (std::size_t i = 0; i < n.items.size(); ++i) {
            if (i) out_ << ", ";
            value(*n.items[i]);
        }
        out_ << "]}";
    }
    void attributes(const Node& n) {
        if (!n.attributes) return;
        out_ << ", \"attributes\": {";
        for (std::size_t i = 0; i + 1 < n.attributes->items.size(); i += 2) {
            out_ << (i ? ", " : "") << json_string(n.attributes->items[i]->text) << ": ";
            value(*n.attributes->items[i + 1]);
        }
        out_ << "}";
    }
    void dict(const char* key, const Node& n) {
        out_ << "{\"" << key << "\": [";
        for (std::size_t i = 0; i + 1 < n.items.size(); i += 2) {
            out_ << (i ? ", [" : "[");
            value(*n.items[i]);
            out_ << ", ";
            value(*n.items[i + 1]);
            out_ << "]";
        }
        out_ << "]";
        attributes(n);
        out_ << "}";
    }
    void hex(const char* key, const std::string& bytes) {
        out_ << "{\"" << key << "\": \"";
        for (const char c : bytes) out_ << "0123456789abcdef"[std::uint8_t(c) >> 4] << "0123456789abcdef"[c & 15];
        out_ << "\"}";
    }
    void text(const char* key, const std::string& s) { out_ << "{\"" << key << "\": " << json_string(s) << "}"; }
    std::size_t number_of(std::uint32_t storage) { return numbers_.emplace(storage, numbers_.size()).first->second; }
    void tensor(const Node& n) {
        const TensorInfo& t = tree_.tensors[n.index];
        const StorageInfo& s = tree_.storages[t.storage];
        static constexpr const char* classes[] = {"Tensor", "Parameter", "Buffer"};
        out_ << "{\"tensor\": {\"class\": \"" << classes[std::size_t(t.cls)] << "\", \"dtype\": \""
             << info(t.dtype).name << "\", \"shape\": " << shape_text(t.sizes)
             << ", \"stride\": " << shape_text(t.strides) << ", \"offset\": " << t.offset
             << ", \"storage\": " << number_of(t.storage) << ", \"storage_bytes\": " << s.bytes
             << ", \"requires_grad\": " << (t.requires_grad ? "true" : "false");
        if (t.conj) out_ << ", \"conj\": true";
        if (t.neg) out_ << ", \"neg\": true";
        attributes(n);
        const std::size_t item = info(t.dtype).size;
        const std::uint64_t count = numel(t);
        if (count * item > (1u << 26) && count * item > 4 * s.bytes) {
            // a small storage seen many times over is not written out
            out_ << ", \"sha256\": null, \"first\": null}}";
            return;
        }
        const char* data = count ? storages_.bytes(t.storage) : nullptr;
        if (is_dense(t) || !count) dense_fields(out_, t.dtype, data + std::size_t(t.offset) * item, count * item);
        else {
            Sha256 hash;
            std::string block, first;
            std::size_t given = 0;
            each_element(t, data, ~std::uint64_t(0), [&](const char* p) {
                if (given++ < 4) first += (first.empty() ? "" : ", ") + json_element(t.dtype, p);
                block.append(p, item);
                if (block.size() >= 65536) hash.update(block.data(), block.size()), block.clear();
            });
            hash.update(block.data(), block.size());
            out_ << ", \"sha256\": \"" << hash.hex() << "\", \"first\": [" << first << "]";
        }
        out_ << "}}";
    }
    void storage(const Node& n) {
        const StorageInfo& s = tree_.storages[n.index];
        Sha256 hash;
        if (s.bytes) hash.update(storages_.bytes(n.index), s.bytes);
        out_ << "{\"storage\": {\"storage\": " << number_of(n.index) << ", \"dtype\": \""
             << info(n.dtype() == FileDtype::None ? FileDtype::UInt8 : n.dtype()).name
             << "\", \"storage_bytes\": " << s.bytes << ", \"sha256\": \"" << hash.hex() << "\"}}";
    }
    void value(const Node& n) {
        switch (n.kind) {
        case NodeKind::None:
            out_ << "null";
            break;
        case NodeKind::Bool:
            out_ << (n.tag ? "true" : "false");
            break;
        case NodeKind::Int:
            out_ << json_int(n.i);
            break;
        case NodeKind::BigInt:
            return text("int", n.text);
        case NodeKind::Float:
            out_ << json_float(n.d[0]);
            break;
        case NodeKind::Complex:
            out_ << json_complex(n.d[0], n.d[1]);
            break;
        case NodeKind::String:
            out_ << json_string(n.text);
            break;
        case NodeKind::Bytes:
            return hex("bytes", n.text);
        case NodeKind::Bytearray:
            return hex("bytearray", n.text);
        case NodeKind::List:
            return sequence("list", n);
        case NodeKind::Tuple:
            return sequence("tuple", n);
        case NodeKind::Size:
            return sequence("size", n);
        case NodeKind::Set:
            return sequence("set", n);
        case NodeKind::Dict:
            return dict("dict", n);
        case NodeKind::OrderedDict:
            return dict("ordered_dict", n);
        case NodeKind::Counter:
            return dict("counter", n);
        case NodeKind::Tensor:
            return tensor(n);
        case NodeKind::Storage:
            return storage(n);
        case NodeKind::Dtype:
            return text("dtype", info(n.dtype()).name);
        case NodeKind::Device:
            return text("device", n.text);
        case NodeKind::Layout:
            return text("layout", n.text);
        default:
            REEL_THROW(Error, file_.path(), ": internal error: ", kind_name(n.kind), " in a checked file");
        }
    }
    std::ostream& out_;
    const PtReader& file_;
    const FileTree& tree_;
    Storages storages_;
    std::unordered_map<const Node*, std::uint64_t> sizes_;
    std::unordered_map<std::uint32_t, std::size_t> numbers_;
};

/// Arrays that know their name, dtype, shape and dense elements: the other formats.
struct Array {
    std::string name;
    FileDtype dtype;
    std::vector<std::int64_t> shape;
    std::uint64_t bytes;
    int fortran; ///< -1: the format does not say
};
using GiveArray = std::function<void(const Array&, const char* data)>;

void each_safetensor(const std::string& path, const GiveArray& give) {
    const SafetensorsFile file(path);
    std::vector<std::string> names = file.keys();
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
        const reel::Tensor t = file.tensor(name);
        give({name, file_dtype_of(t.scalar_type()), file.sizes(name), t.nbytes(), -1},
             t.nbytes() ? static_cast<const char*>(t.data_ptr()) : "");
    }
}
void each_npz(const std::string& path, const GiveArray& give) {
    const NpzReader file(path);
    for (const NpzReader::Array& a : file.arrays()) {
        const std::unique_ptr<char[]> data(new char[a.header.bytes + 1]);
        file.read(a, data.get());
        give({a.name, a.header.dtype, a.header.shape, a.header.bytes, a.header.fortran}, data.get());
    }
}
void each_npy(const std::string& path, const GiveArray& give) {
    const MappedFile file(path);
    if (!file.size()) REEL_THROW(ValueError, path, ": the npy file is cut off: it is empty");
    const NpyHeader h = parse_npy_header(file.bytes(), path);
    if (file.size() - h.data != h.bytes)
        REEL_THROW(ValueError, path, ": its shape needs ", h.bytes, " bytes, ", file.size() - h.data, " are there");
    const std::unique_ptr<char[]> data(new char[h.bytes + 1]);
    npy_elements(h, file.data() + h.data, data.get());
    give({"", h.dtype, h.shape, h.bytes, h.fortran}, data.get());
}
void each_array(const std::string& path, const std::string& format, const GiveArray& give) {
    if (format == "npy") each_npy(path, give);
    else if (format == "npz") each_npz(path, give);
    else each_safetensor(path, give);
}
bool is_pt(const std::string& format) { return format != "npy" && format != "npz" && format != "safetensors"; }

std::string size_text(std::uint64_t bytes) {
    if (bytes < 10'000) return std::to_string(bytes) + " bytes";
    const char* unit = "kMGT";
    double v = double(bytes) / 1000;
    while (v >= 1000 && unit[1]) v /= 1000, ++unit;
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %cB", v, *unit);
    return text;
}
void row(std::ostream& out, const std::string& name, const std::string& dtype, const std::vector<std::int64_t>& shape,
         std::uint64_t bytes, const std::string& first, const std::string& notes) {
    std::string left = "  " + name;
    left.resize(std::max<std::size_t>(left.size() + 1, 40), ' ');
    std::string middle = dtype + " " + shape_text(shape);
    middle.resize(std::max<std::size_t>(middle.size() + 1, 26), ' ');
    out << left << middle << size_text(bytes) << "  " << first << notes << '\n';
}

class PtTable {
public:
    PtTable(std::ostream& out, const PtReader& file) : out_(out), file_(file), tree_(file.tree()), storages_(file) {}
    void write() { value(*tree_.root, ""); }

private:
    static std::string printable(std::string s) {
        for (char& c : s)
            if (std::uint8_t(c) < 32 || c == 127) c = '?';
        return s.size() > 60 ? s.substr(0, 60) + "..." : s;
    }
    static std::string step(const Node& key) {
        if (key.kind == NodeKind::String) return printable(key.text);
        if (key.kind == NodeKind::Int) return std::to_string(key.i);
        return printable(canonical_key(key).substr(1));
    }
    void line(const std::string& path, const std::string& text) {
        std::string left = "  " + (path.empty() ? "value" : path);
        left.resize(std::max<std::size_t>(left.size() + 1, 40), ' ');
        out_ << left << text << '\n';
    }
    void value(const Node& n, const std::string& path) {
        if (++lines_ > 100'000) REEL_THROW(ValueError, file_.path(), ": holds more than 100000 values; use --json");
        const auto below = [&](const std::string& s) { return path.empty() ? s : path + "." + s; };
        switch (n.kind) {
        case NodeKind::Dict:
        case NodeKind::OrderedDict:
        case NodeKind::Counter:
            if (n.items.empty()) return line(path, "{}");
            for (std::size_t i = 0; i + 1 < n.items.size(); i += 2) value(*n.items[i + 1], below(step(*n.items[i])));
            return;
        case NodeKind::List:
        case NodeKind::Tuple:
        case NodeKind::Size:
        case NodeKind::Set: {
            std::string all;
            bool plain = n.items.size() <= 16;
            for (const Node* e : n.items) plain = plain && e->kind >= NodeKind::None && e->kind <= NodeKind::String;
            if (!plain) {
                for (std::size_t i = 0; i < n.items.size(); ++i) value(*n.items[i], below(std::to_string(i)));
                return;
            }
            for (const Node* e : n.items) all += (all.empty() ? "" : ", ") + scalar(*e);
            return line(path, n.kind == NodeKind::List  ? "[" + all + "]"
                              : n.kind == NodeKind::Set ? "{" + all + "}"
                                                        : "(" + all + ")");
        }
        case NodeKind::Tensor: {
            const TensorInfo& t = tree_.tensors[n.index];
            std::string first, notes;
            const std::uint64_t count = numel(t);
            if (count)
                each_element(t, storages_.bytes(t.storage), 4,
                             [&](const char* p) { first += plain_element(t.dtype, p) + " "; });
            if (count > 4) first += "... ";
            if (t.cls == TensorClass::Parameter) notes += " parameter";
            if (t.requires_grad) notes += " requires_grad";
            const auto [it, fresh] = owner_.emplace(t.storage, path);
            if (!fresh) notes += " shares memory with " + it->second;
            row(out_, path.empty() ? "value" : path, info(t.dtype).name, t.sizes, count * info(t.dtype).size, first,
                notes);
            return;
        }
        case NodeKind::Storage:
            return line(path, "storage, " + size_text(tree_.storages[n.index].bytes));
        default:
            return line(path, scalar(n));
        }
    }
    static std::string scalar(const Node& n) {
        switch (n.kind) {
        case NodeKind::None:
            return "None";
        case NodeKind::Bool:
            return n.tag ? "True" : "False";
        case NodeKind::Int:
            return std::to_string(n.i);
        case NodeKind::Float: {
            char text[32];
            std::snprintf(text, sizeof text, "%.12g", n.d[0]);
            return text;
        }
        case NodeKind::Complex: {
            char text[64];
            std::snprintf(text, sizeof text, "%.12g%+.12gj", n.d[0], n.d[1]);
            return text;
        }
        case NodeKind::String:
            return "'" + printable(n.text) + "'";
        case NodeKind::Bytes:
        case NodeKind::Bytearray:
            return std::to_string(n.text.size()) + " bytes";
        case NodeKind::Dtype:
            return info(n.dtype()).name;
        default:
            return printable(n.text);
        }
    }
    std::ostream& out_;
    const PtReader& file_;
    const FileTree& tree_;
    Storages storages_;
    std::unordered_map<std::uint32_t, std::string> owner_;
    std::uint64_t lines_ = 0;
};
} // namespace

std::string format_of(const std::string& path) {
    const std::size_t dot = path.rfind('.'), slash = path.rfind('/');
    const std::string extension =
        dot == std::string::npos || (slash != std::string::npos && dot < slash) ? "" : path.substr(dot + 1);
    if (extension == "npy" || extension == "npz" || extension == "safetensors") return extension;
    std::string head(512, '\0');
    std::ifstream in(path, std::ios::binary);
    in.read(head.data(), std::streamsize(head.size()));
    head.resize(std::size_t(in.gcount()));
    if (head.substr(0, 4) == std::string("PK\x03\x04", 4)) {
        if (extension != "pt" && extension != "pth" && extension != "bin" && extension != "ckpt") {
            try {
                if (NpzReader(path).arrays().size()) return "npz";
            } catch (const reel::Error&) { // some other archive
            }
        }
        return "zip";
    }
    if (head.substr(0, 1) == "\x80" && head.substr(0, 32).find("\x8a\x0a\x6c\xfc\x9c") != std::string::npos)
        return "legacy";
    if (head.size() > 262 && head.substr(257, 5) == "ustar") return "tar";
    if (extension == "pt" || extension == "pth") return "other";
    if (head.substr(0, 6) == "\x93NUMPY") return "npy";
    if (head.size() > 9 && head[8] == '{' && !head[7] && !head[6]) return "safetensors";
    return "other";
}

void write_json(std::ostream& out, const std::string& path, const std::string& format) {
    if (is_pt(format)) {
        const PtReader file(path);
        PtJson(out, file).write();
        return;
    }
    if (format != "npy") out << "{\"dict\": [";
    bool first = true;
    each_array(path, format, [&](const Array& a, const char* data) {
        if (format != "npy") out << (first ? "[" : ", [") << json_string(a.name) << ", ";
        first = false;
        out << "{\"tensor\": {";
        if (a.fortran >= 0) out << "\"class\": \"Array\", ";
        out << "\"dtype\": \"" << info(a.dtype).name << "\", \"shape\": " << shape_text(a.shape);
        if (a.fortran >= 0) out << ", \"fortran_order\": " << (a.fortran ? "true" : "false");
        dense_fields(out, a.dtype, data, a.bytes);
        out << "}}";
        if (format != "npy") out << "]";
    });
    if (format != "npy") out << "]}";
}

void write_table(std::ostream& out, const std::string& path, const std::string& format) {
    out << path << ": " << format << '\n';
    if (is_pt(format)) {
        const PtReader file(path);
        PtTable(out, file).write();
        return;
    }
    each_array(path, format, [&](const Array& a, const char* data) {
        std::string first;
        const std::size_t item = info(a.dtype).size;
        for (std::uint64_t k = 0; k < 4 && k * item < a.bytes; ++k)
            first += plain_element(a.dtype, data + k * item) + " ";
        if (a.bytes > 4 * item) first += "... ";
        row(out, a.name.empty() ? "array" : a.name, info(a.dtype).name, a.shape, a.bytes, first, "");
    });
}

} // namespace reel_file
