// Dictionaries as arguments and results of modules: values with a place for every tensor.
#include <reel/autograd/value.hpp>
#include <reel/rl/tensordict.hpp>

#include "tensordict/storing.hpp"

namespace reel::rl {

using namespace detail;

namespace {

constexpr const char *batch_size_attribute = "batch_size", *device_attribute = "device", *origin_attribute = "origin";

/// The dictionary that a value was made of, and the tensors that it had then.
struct Origin {
    TensorDict dict;
    std::vector<Tensor> tensors;
};
void collect(const ValueDict& dict, std::vector<Tensor>& tensors) {
    for (const auto& [key, value] : dict)
        if (value.isTensor()) tensors.push_back(value.toTensor());
        else if (value.isGenericDict()) collect(value.toGenericDict(), tensors);
}
bool unchanged(const Origin& origin, const ValueDict& dict) {
    std::vector<Tensor> now;
    collect(dict, now);
    if (now.size() != origin.tensors.size()) return false;
    for (std::size_t i = 0; i < now.size(); ++i)
        if (!now[i].is_same(origin.tensors[i])) return false;
    return true;
}

ValueDict values_of(const TensorDict& dict) {
    const DictImpl& impl = DictImpl::of(dict);
    ValueDict values;
    for (const DictImpl::Slot& slot : impl.slots)
        values.set(Value(slot.name),
                   slot.entry.is_tensor() ? Value(slot.entry.tensor()) : Value(values_of(slot.entry.dict())));
    values.set_attribute(batch_size_attribute, Value(impl.batch_size));
    if (impl.device) values.set_attribute(device_attribute, Value(*impl.device));
    return values;
}
TensorDict dict_of(const ValueDict& values, const Path& path) {
    const Value* sizes = values.attribute(batch_size_attribute);
    const Value* device = values.attribute(device_attribute);
    const TensorDict result(sizes ? IntArrayRef(sizes->toIntVector()).vec() : std::vector<std::int64_t>(),
                            device ? std::optional<Device>(device->toDevice()) : std::nullopt);
    DictImpl::of(result).slots.reserve(values.size());
    for (const auto& [key, value] : values) {
        REEL_CHECK_TYPE(key.isString(), "TensorDict: expected names of entries, got a dict with the key ", key.repr());
        const Path own(path, key.toStringRef());
        REEL_CHECK_TYPE(value.isTensor() || value.isGenericDict() || value.isNone(), "TensorDict: expected a tensor ",
                        "or a dict of tensors for ", own.str(), ", got ", value.repr());
        if (value.isTensor()) store("from_value", result, key.toStringRef(), value.toTensor());
        else if (value.isGenericDict())
            store("from_value", result, key.toStringRef(), dict_of(value.toGenericDict(), own));
    }
    return result;
}

} // namespace

TensorDict::operator Value() const {
    ValueDict values = values_of(*this);
    Origin origin{*this, {}};
    collect(values, origin.tensors);
    values.set_attribute(origin_attribute, Value::box(std::move(origin)));
    return Value(std::move(values));
}
TensorDict TensorDict::from_value(const Value& value) {
    if (const TensorDict* boxed = value.try_get<TensorDict>()) return *boxed;
    REEL_CHECK_TYPE(value.isGenericDict(), "expected a TensorDict or a dict of tensors, got ", value.repr());
    const ValueDict& values = value.toGenericDict();
    const Value* origin = values.attribute(origin_attribute);
    if (const Origin* from = origin ? origin->try_get<Origin>() : nullptr; from && unchanged(*from, values))
        return from->dict;
    return dict_of(values, Path());
}

} // namespace reel::rl
