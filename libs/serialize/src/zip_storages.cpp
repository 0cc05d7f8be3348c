#include "zip_storages.hpp"

#include <reel/autograd/error.hpp>

namespace reel::serialize {

std::uint64_t storage_bytes(const StorageRequest& r, PickleReader& reader) {
    if (r.count < 0) reader.fail(str("storage '", r.key, "' states ", r.count, " elements"));
    std::uint64_t bytes;
    if (__builtin_mul_overflow(std::uint64_t(r.count), r.item(), &bytes) || bytes >> 62)
        reader.fail(str("storage '", r.key, "' states ", r.count, " elements, whose byte count overflows"));
    return bytes;
}
void check_storage_again(StorageInfo& s, const StorageRequest& r, std::uint64_t bytes, PickleReader& reader) {
    if (s.bytes != bytes)
        reader.fail(str("storage '", r.key, "' has ", s.bytes, " bytes in one place and ", bytes, " in another"));
    if (r.dtype == FileDtype::None) return;
    if (s.dtype == FileDtype::None) s.dtype = r.dtype;
    else if (s.dtype != r.dtype)
        reader.fail(str("storage '", r.key, "' has two dtypes, ", info(s.dtype).name, " and ", info(r.dtype).name));
}

std::uint32_t ZipStorages::storage(const StorageRequest& r, PickleReader& reader) {
    const std::uint64_t bytes = storage_bytes(r, reader);
    if (const auto it = known_.find(r.key); it != known_.end()) {
        check_storage_again(tree_.storages[it->second], r, bytes, reader);
        return it->second;
    }
    if (r.key.empty() || r.key.size() > 1000 ||
        r.key.find_first_of(std::string_view("/\\\0:", 4)) != std::string::npos ||
        r.key.find_first_not_of('.') == std::string::npos)
        reader.fail("the storage key '" + r.key + "' is not a plain name");
    StorageInfo s;
    s.key = r.key;
    s.location = r.location;
    s.dtype = r.dtype;
    s.bytes = bytes;
    s.member = zip_.find(folder_ + r.key);
    if (s.member >= 0) {
        const std::uint64_t there = zip_.members()[std::size_t(s.member)].size;
        if (there != bytes)
            reader.fail(str("storage '", r.key, "' states ", bytes, " bytes, but its member has ", there));
    } else if (bytes) reader.fail(str("the member '", folder_, r.key, "' of storage '", r.key, "' is missing"));
    tree_.storages.push_back(std::move(s));
    return known_[r.key] = std::uint32_t(tree_.storages.size() - 1);
}

} // namespace reel::serialize
