#include "replay/state.hpp"

#include <cmath>

namespace reel::rl::replay {

const Value& entry(const Value& state, const char* owner, const char* key) {
    REEL_CHECK_TYPE(state.isGenericDict(), owner, ": load_state_dict expects a dict, got ", state.kind_name());
    const Value* v = state.toGenericDict().find(key);
    REEL_CHECK_WITH(KeyError, v, owner, ": load_state_dict: the state has no '", key,
                    "'; was it saved by a buffer of other parts?");
    return *v;
}
std::int64_t count_in(const Value& state, const char* owner, const char* key, std::int64_t most) {
    const Value& v = entry(state, owner, key);
    REEL_CHECK_TYPE(v.isInt(), owner, ": load_state_dict: '", key, "' is ", v.repr(), ", expected a whole number");
    REEL_CHECK_VALUE(v.toInt() >= 0 && v.toInt() <= most, owner, ": load_state_dict: '", key, "' is ", v.toInt(),
                     ", expected 0 to ", most);
    return v.toInt();
}
double number_in(const Value& state, const char* owner, const char* key) {
    const Value& v = entry(state, owner, key);
    REEL_CHECK_TYPE(v.isDouble() || v.isInt(), owner, ": load_state_dict: '", key, "' is ", v.repr(),
                    ", expected a number");
    REEL_CHECK_VALUE(std::isfinite(v.toDouble()) && v.toDouble() >= 0, owner, ": load_state_dict: '", key, "' is ",
                     v.toDouble(), ", expected a finite number that is not negative");
    return v.toDouble();
}
bool flag_in(const Value& state, const char* owner, const char* key) {
    const Value& v = entry(state, owner, key);
    REEL_CHECK_TYPE(v.isBool(), owner, ": load_state_dict: '", key, "' is ", v.repr(), ", expected a bool");
    return v.toBool();
}
Tensor vector_in(const Value& state, const char* owner, const char* key, ScalarType dtype) {
    const Value& v = entry(state, owner, key);
    REEL_CHECK_TYPE(v.isTensor() && v.toTensor().defined() && v.toTensor().scalar_type() == dtype, owner,
                    ": load_state_dict: '", key, "' is ", v.repr(), ", expected a tensor of ", dtype);
    REEL_CHECK_VALUE(v.toTensor().dim() == 1, owner, ": load_state_dict: '", key, "' is ", v.repr(),
                     ", expected one dimension");
    return v.toTensor().detach().contiguous();
}

Value value_of(const TensorDict& dict, std::int64_t rows, bool copies) {
    std::vector<std::int64_t> batch = dict.batch_size();
    if (!batch.empty()) batch[0] = rows;
    ValueDict entries;
    for (const auto& [key, item] : dict.items()) {
        if (item.is_dict()) entries.set(key.back(), value_of(item.dict(), rows, copies));
        else {
            const Tensor part = item.tensor().detach().narrow(0, 0, rows);
            entries.set(key.back(), copies ? part.clone() : part);
        }
    }
    return ValueDict{{"batch_size", batch}, {"entries", std::move(entries)}};
}
TensorDict dict_in(const Value& state, const char* owner) {
    const Value& sizes = entry(state, owner, "batch_size");
    REEL_CHECK_TYPE(sizes.isSequence(), owner, ": load_state_dict: 'batch_size' is ", sizes.repr(),
                    ", expected a list of sizes");
    std::vector<std::int64_t> batch;
    for (const Value& v : sizes.elements()) {
        REEL_CHECK_TYPE(v.isInt(), owner, ": load_state_dict: 'batch_size' holds ", v.repr(), ", expected sizes");
        batch.push_back(v.toInt());
    }
    const Value& entries = entry(state, owner, "entries");
    REEL_CHECK_TYPE(entries.isGenericDict(), owner, ": load_state_dict: 'entries' is ", entries.repr(),
                    ", expected a dict");
    TensorDict dict(batch);
    for (const auto& [key, value] : entries.toGenericDict()) {
        REEL_CHECK_TYPE(key.isString(), owner, ": load_state_dict: an entry is called ", key.repr(),
                        ", expected a string");
        if (value.isTensor()) dict.set(NestedKey(key.toStringRef()), value.toTensor());
        else dict.set(NestedKey(key.toStringRef()), dict_in(value, owner));
    }
    return dict;
}

} // namespace reel::rl::replay
