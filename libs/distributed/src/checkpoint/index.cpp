#include "checkpoint/index.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>

#include <zlib.h>

#include <reel/autograd/error.hpp>
#include <reel/serialize/run_checkpoint.hpp>

namespace reel::distributed::checkpoint {

namespace {
constexpr const char* format_name = "reel.distributed.checkpoint";
constexpr std::int64_t format_version = 1;
std::string path_of(const std::string& directory) { return (std::filesystem::path(directory) / index_name).string(); }
} // namespace

std::string shard_name(std::int64_t number, std::int64_t rank, std::int64_t world) {
    char text[96];
    std::snprintf(text, sizeof text, "%06lld-rank%lldof%lld.safetensors", static_cast<long long>(number),
                  static_cast<long long>(rank), static_cast<long long>(world));
    return text;
}
bool is_shard_name(const std::string& file) {
    const std::size_t digits = std::size_t(
        std::find_if(file.begin(), file.end(), [](unsigned char c) { return !std::isdigit(c); }) - file.begin());
    if (digits >= 6 && file.compare(digits, 5, "-rank") == 0) return file.find(".safetensors") != std::string::npos;
    return file.starts_with(std::string(index_name) + ".tmp-");
}
std::vector<std::int64_t> sums_of(const void* data, std::size_t bytes) {
    std::vector<std::int64_t> sums;
    const auto* at = static_cast<const unsigned char*>(data);
    for (std::size_t begin = 0; begin < bytes; begin += sum_bytes)
        sums.push_back(std::int64_t(::crc32(0, at + begin, unsigned(std::min(sum_bytes, bytes - begin)))));
    return sums;
}

Value to_value(const StoredTensor& t) {
    std::vector<Value> pieces;
    for (const Piece& p : t.pieces)
        pieces.emplace_back(ValueDict{
            {"file", p.file}, {"key", p.key}, {"begin", p.begin}, {"rows", p.rows}, {"crc32", Value(p.sums)}});
    return ValueDict{{"dtype", t.dtype}, {"sizes", Value(t.sizes)}, {"pieces", Value::list(std::move(pieces))}};
}
StoredTensor stored_tensor(const Value& value) {
    const ValueDict& dict = value.toGenericDict();
    StoredTensor t{dict.at("dtype").toDtype(), dict.at("sizes").toIntVector(), {}};
    for (const Value& v : dict.at("pieces").elements()) {
        const ValueDict& p = v.toGenericDict();
        t.pieces.push_back({p.at("file").toStringRef(), p.at("key").toStringRef(), p.at("begin").toInt(),
                            p.at("rows").toInt(), p.at("crc32").toIntVector()});
    }
    return t;
}

void write_index(const Index& index, const std::string& directory) {
    ValueDict objects, tensors;
    for (const auto& item : index.objects)
        objects.set(item.key(), ValueDict{{"local", item->local}, {"values", Value::list(item->values)}});
    for (const auto& item : index.tensors) tensors.set(item.key(), to_value(*item));
    serialize::save_checkpoint({{"format", format_name},
                                {"version", format_version},
                                {"number", index.number},
                                {"world", index.world},
                                {"objects", Value(std::move(objects))},
                                {"tensors", Value(std::move(tensors))}},
                               path_of(directory));
}
Index read_index(const std::string& directory) {
    const std::string path = path_of(directory);
    REEL_CHECK(std::filesystem::exists(path), "checkpoint: '", directory,
               "' holds no complete checkpoint: there is no ", index_name, " in it");
    const ValueDict dict = serialize::load_checkpoint(path);
    const Value* const format = dict.find("format");
    REEL_CHECK_VALUE(format && format->isString() && format->toStringRef() == format_name, path,
                     ": is a checkpoint of one process, no index of several ranks' files; serialize::load_checkpoint "
                     "reads it");
    REEL_CHECK_VALUE(dict.at("version").toInt() == format_version, path, ": has version ", dict.at("version").toInt(),
                     " of its format; expected ", format_version);
    Index index;
    index.number = dict.at("number").toInt();
    index.world = dict.at("world").toInt();
    for (const auto& [name, value] : dict.at("objects").toGenericDict())
        index.objects.insert(name.toStringRef(), StoredObject{value.toGenericDict().at("local").toBool(),
                                                              value.toGenericDict().at("values").elements()});
    for (const auto& [name, value] : dict.at("tensors").toGenericDict())
        index.tensors.insert(name.toStringRef(), stored_tensor(value));
    return index;
}

} // namespace reel::distributed::checkpoint
