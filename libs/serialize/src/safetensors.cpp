// Reading and writing safetensors files.
#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/serialize/safetensors.hpp>

#include <algorithm>
#include <cstring>
#include <map>

#include <boost/json.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_factory.hpp>

#include "json_keys.hpp"
#include "mapped_file.hpp"

namespace reel::serialize {

namespace json = boost::json;

namespace {

constexpr std::uint64_t header_limit = 100'000'000;

struct TypeName {
    const char* name;
    ScalarType type;
};
constexpr TypeName type_names[] = {{"F64", kDouble}, {"F32", kFloat}, {"BF16", kBFloat16},    {"F16", kHalf},
                                   {"I64", kLong},   {"I32", kInt},   {"I16", kShort},        {"I8", kChar},
                                   {"U8", kByte},    {"BOOL", kBool}, {"C64", kComplexFloat}, {"C128", kComplexDouble}};
const char* type_name(ScalarType t) {
    for (const TypeName& n : type_names)
        if (n.type == t) return n.name;
    REEL_THROW(TypeError, "safetensors: no name for dtype ", t);
}

struct Entry {
    std::string name;
    ScalarType dtype = ScalarType::Undefined;
    std::vector<std::int64_t> sizes;
    std::uint64_t begin = 0, end = 0;
};

} // namespace

struct SafetensorsFile::Impl {
    std::shared_ptr<MappedFile> mapping;
    std::string path;
    std::vector<std::string> keys;
    std::map<std::string, Entry, std::less<>> entries;
    Metadata metadata;
    std::uint64_t data_start = 0;

    template <class... A> void check(bool ok, const A&... text) const {
        REEL_CHECK_VALUE(ok, "safetensors: ", path, ": ", text...);
    }
    const Entry& at(std::string_view key) const {
        const auto it = entries.find(key);
        REEL_CHECK_WITH(KeyError, it != entries.end(), "safetensors: ", path, " has no tensor '", key, "'");
        return it->second;
    }
    /// A bool that is neither 0 nor 1 is undefined behaviour in C++.
    void check_bools(const Entry& e) const {
        if (e.dtype != kBool) return;
        const char* p = mapping->data() + data_start;
        check(std::all_of(p + e.begin, p + e.end, [](char c) { return c == 0 || c == 1; }), "tensor '", e.name,
              "' has a bool byte that is neither 0 nor 1");
    }
    Entry parse_entry(std::string_view name, const json::value& v) const {
        check(v.is_object(), "entry '", name, "' is not an object");
        Entry e;
        e.name = std::string(name);
        const json::object& o = v.get_object();
        const json::value* dtype = o.if_contains("dtype");
        const json::value* shape = o.if_contains("shape");
        const json::value* offsets = o.if_contains("data_offsets");
        check(dtype && dtype->is_string() && shape && shape->is_array() && offsets && offsets->is_array() &&
                  offsets->get_array().size() == 2 && o.size() == 3,
              "entry '", name, "' must have dtype, shape and two data_offsets");
        for (const TypeName& t : type_names)
            if (std::string_view(dtype->get_string().data(), dtype->get_string().size()) == t.name) e.dtype = t.type;
        check(e.dtype != ScalarType::Undefined, "entry '", name, "' has the unknown dtype ",
              std::string(dtype->get_string()));
        std::uint64_t n = 1;
        bool empty = false;
        check(shape->get_array().size() <= 64, "entry '", name, "' has more than 64 dimensions");
        for (const json::value& s : shape->get_array()) {
            const std::int64_t size = s.is_int64() ? s.get_int64() : -1; // 2.0 is not a size
            check(size >= 0, "entry '", name, "' has a shape that is not a list of sizes");
            empty |= size == 0;
            // an empty dimension must not excuse a product that does not exist
            check(!__builtin_mul_overflow(n, std::uint64_t(std::max<std::int64_t>(size, 1)), &n), "entry '", name,
                  "' is too large");
            e.sizes.push_back(size);
        }
        check(!__builtin_mul_overflow(n, std::uint64_t(elementSize(e.dtype)), &n), "entry '", name, "' is too large");
        if (empty) n = 0;
        std::uint64_t range[2];
        for (int i = 0; i < 2; ++i) {
            const json::value& x = offsets->get_array()[std::size_t(i)];
            const bool ok = x.is_uint64() || (x.is_int64() && x.get_int64() >= 0);
            check(ok, "entry '", name, "' has data_offsets that are not two byte counts");
            range[i] = x.is_uint64() ? x.get_uint64() : std::uint64_t(x.get_int64());
        }
        e.begin = range[0];
        e.end = range[1];
        check(e.begin <= e.end && e.end - e.begin == n, "entry '", name, "' needs ", n,
              " bytes but its data_offsets are [", e.begin, ", ", e.end, "]");
        return e;
    }
};

SafetensorsFile::SafetensorsFile(const std::string& path) {
    auto impl = std::make_shared<Impl>();
    impl->path = path;
    impl->mapping = std::make_shared<MappedFile>(path);
    const MappedFile& file = *impl->mapping;
    impl->check(file.size() >= 8, "is cut off: ", file.size(), " bytes, a header length needs 8");
    std::uint64_t length;
    std::memcpy(&length, file.data(), 8);
    impl->check(length <= header_limit, "the header length ", length, " is over ", header_limit,
                ": not a safetensors file?");
    impl->check(length <= file.size() - 8, "is cut off: the header has ", length, " bytes, the file ", file.size());
    impl->data_start = 8 + length;
    const std::uint64_t data_bytes = file.size() - impl->data_start;
    impl->check(length && file.data()[8] == '{', "the header does not begin with '{'");
    boost::system::error_code ec;
    json::parse_options options;
    options.max_depth = 8;
    const json::value header = json::parse({file.data() + 8, length}, ec, {}, options);
    impl->check(!ec && header.is_object(), "the header is not a JSON object", ec ? ": " + ec.message() : "");
    std::string twice;
    impl->check(!has_duplicate_key({file.data() + 8, length}, twice), "the key '", twice,
                "' occurs twice (duplicate key)");
    std::vector<const Entry*> order;
    for (const auto& [name, v] : header.get_object()) {
        if (name == "__metadata__") {
            impl->check(v.is_object(), "__metadata__ is not an object");
            for (const auto& [k, text] : v.get_object()) {
                impl->check(text.is_string(), "__metadata__ entry '", std::string(k), "' is not a string");
                impl->metadata.emplace_back(std::string(k), std::string(text.get_string()));
            }
            continue;
        }
        Entry e = impl->parse_entry(std::string_view(name.data(), name.size()), v);
        impl->check(e.end <= data_bytes, "is cut off: tensor '", e.name, "' ends at byte ", e.end, " of ", data_bytes);
        const auto [it, fresh] = impl->entries.emplace(e.name, std::move(e));
        impl->check(fresh, "the name '", it->first, "' occurs twice");
        order.push_back(&it->second);
    }
    std::stable_sort(order.begin(), order.end(), [](const Entry* a, const Entry* b) {
        return a->begin != b->begin ? a->begin < b->begin : a->end < b->end;
    });
    std::uint64_t at = 0;
    for (const Entry* e : order) {
        impl->check(e->begin == at, "tensor '", e->name, "' starts at byte ", e->begin, ", expected ", at,
                    e->begin < at ? ": tensors overlap" : ": there is a hole");
        at = e->end;
        impl->keys.push_back(e->name);
    }
    impl->check(at == data_bytes, "has ", data_bytes - at, " bytes after the last tensor");
    impl_ = std::move(impl);
}
SafetensorsFile::~SafetensorsFile() = default;
SafetensorsFile::SafetensorsFile(SafetensorsFile&&) noexcept = default;
SafetensorsFile& SafetensorsFile::operator=(SafetensorsFile&&) noexcept = default;

const std::vector<std::string>& SafetensorsFile::keys() const { return impl_->keys; }
bool SafetensorsFile::contains(std::string_view key) const { return impl_->entries.find(key) != impl_->entries.end(); }
const Metadata& SafetensorsFile::metadata() const { return impl_->metadata; }
const std::string* SafetensorsFile::metadata(std::string_view key) const {
    for (const auto& [k, v] : impl_->metadata)
        if (k == key) return &v;
    return nullptr;
}
ScalarType SafetensorsFile::dtype(std::string_view key) const { return impl_->at(key).dtype; }
std::vector<std::int64_t> SafetensorsFile::sizes(std::string_view key) const { return impl_->at(key).sizes; }
Tensor SafetensorsFile::tensor(std::string_view key) const {
    const Entry& e = impl_->at(key);
    impl_->check_bools(e);
    Tensor t = reel::empty(e.sizes, TensorOptions(e.dtype));
    if (e.end > e.begin)
        std::memcpy(t.data_ptr(), impl_->mapping->data() + impl_->data_start + e.begin, e.end - e.begin);
    return t;
}
Tensor SafetensorsFile::mapped(std::string_view key) const {
    const Entry& e = impl_->at(key);
    char* data = impl_->mapping->data() + impl_->data_start + e.begin;
    const std::size_t alignment = std::min<std::size_t>(elementSize(e.dtype), 8);
    impl_->check_bools(e);
    if (e.begin == e.end || reinterpret_cast<std::uintptr_t>(data) % alignment) return tensor(key);
    return from_blob(
        data, e.sizes, [keep = impl_->mapping](void*) {}, TensorOptions(e.dtype));
}

OrderedDict<std::string, Tensor> load_file(const std::string& path) {
    const SafetensorsFile file(path);
    OrderedDict<std::string, Tensor> out("Tensor");
    for (const std::string& key : file.keys()) out.insert(key, file.tensor(key));
    return out;
}

void save_file(const OrderedDict<std::string, Tensor>& tensors, const std::string& path, const Metadata& metadata) {
    const NoGradGuard no_grad;
    std::vector<std::pair<const std::string*, Tensor>> dense;
    for (const auto& item : tensors) {
        REEL_CHECK_WITH(KeyError, !item.key().empty() && item.key() != "__metadata__", "save_file: '", item.key(),
                        "' is not a tensor name");
        REEL_CHECK_VALUE(item.value().defined(), "save_file: tensor '", item.key(), "' is undefined");
        dense.emplace_back(&item.key(), item.value().detach().cpu().contiguous());
    }
    std::stable_sort(dense.begin(), dense.end(),
                     [](const auto& a, const auto& b) { return a.second.itemsize() > b.second.itemsize(); });
    json::object header;
    if (!metadata.empty()) {
        json::object m;
        for (const auto& [k, v] : metadata) m[k] = v;
        header["__metadata__"] = std::move(m);
    }
    std::uint64_t at = 0;
    for (const auto& [name, t] : dense) {
        const std::uint64_t n = t.nbytes();
        header[*name] = json::object{{"dtype", type_name(t.scalar_type())},
                                     {"shape", json::array(t.sizes().begin(), t.sizes().end())},
                                     {"data_offsets", json::array{at, at + n}}};
        at += n;
    }
    std::string text = json::serialize(header);
    text.append((64 - (8 + text.size()) % 64) % 64, ' ');
    const std::uint64_t length = text.size();
    std::vector<std::string_view> parts{{reinterpret_cast<const char*>(&length), 8}, text};
    for (const auto& [name, t] : dense)
        if (t.nbytes()) parts.emplace_back(static_cast<const char*>(t.data_ptr()), t.nbytes());
    write_file_atomically(path, parts);
}

} // namespace reel::serialize
