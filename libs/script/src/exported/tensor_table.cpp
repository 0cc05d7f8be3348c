#include "exported/tensor_table.hpp"

#include <map>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_impl.hpp>

#include "exported/numbers.hpp"

namespace reel::jit {

namespace json = boost::json;

namespace {
json::array as_ints(IntArrayRef values) {
    json::array out;
    for (const std::int64_t v : values) out.push_back(json::object{{"as_int", v}});
    return out;
}
/// Does the tensor lie at the beginning of its storage without gaps, in whatever order of dimensions?
bool is_dense(const Tensor& t) {
    std::int64_t last = 0;
    for (std::int64_t d = 0; d < t.dim(); ++d) last += (t.size(d) - 1) * t.stride(d);
    return t.storage_offset() == 0 && (t.numel() == 0 ? t.is_contiguous() : last + 1 == t.numel());
}
/// The first `n` bytes of a storage.
Tensor bytes_of(const StoragePtr& storage, std::size_t n) {
    Tensor all{TensorImplPtr(new TensorImpl(storage, kByte, storage->device()))};
    all.impl()->set_geometry({std::int64_t(n)}, {1}, 0);
    return all.to(kCPU);
}
} // namespace

json::object device_json(Device device) {
    return {{"type", Device(device.type()).str()},
            {"index", device.has_index() ? json::value(std::int64_t(device.index())) : json::value()}};
}
json::object tensor_meta(const Tensor& t) {
    return {{"dtype", exported_dtype_number(t.scalar_type())},
            {"sizes", as_ints(t.sizes())},
            {"requires_grad", t.requires_grad()},
            {"device", device_json(t.device())},
            {"strides", as_ints(t.strides())},
            {"storage_offset", json::object{{"as_int", t.storage_offset()}}},
            {"layout", 7}};
}

TensorTable::TensorTable(const OrderedDict<std::string, Tensor>& tensors, const std::string& prefix,
                         const std::set<std::string>& parameters, const OrderedDict<std::string, Tensor>& file) {
    const NoGradGuard no_grad;
    std::map<const Storage*, std::size_t> users;
    std::map<const Storage*, std::string> paths;
    std::map<const TensorImpl*, bool> seen;
    for (const auto& t : tensors)
        if (!std::exchange(seen[t->impl().get()], true)) ++users[t->impl()->storage().get()];
    for (const auto& item : tensors) {
        Tensor t = *item;
        const bool needs_grad = t.requires_grad();
        const StoragePtr storage = t.impl()->storage();
        auto [path, fresh] = paths.emplace(storage.get(), prefix + std::to_string(members.size()));
        const Tensor* const read = file.find(item.key());
        const bool shared = users[storage.get()] > 1 || (read && read->impl()->storage() == storage);
        if (!shared && !is_dense(t)) t = t.detach().clone(MemoryFormat::Contiguous);
        if (fresh)
            members.push_back({path->second, shared ? bytes_of(storage, storage->nbytes())
                                                    : bytes_of(t.impl()->storage(), t.nbytes())});
        json::object meta = tensor_meta(t);
        meta["requires_grad"] = needs_grad;
        entries[item.key()] = json::object{{"path_name", path->second},
                                           {"is_param", parameters.contains(item.key())},
                                           {"use_pickle", false},
                                           {"tensor_meta", std::move(meta)}};
    }
}

} // namespace reel::jit
