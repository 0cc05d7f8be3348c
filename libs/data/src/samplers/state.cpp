

#include "samplers/state.hpp"

namespace reel::data::samplers {

namespace {
const Value& entry(const Value& state, const char* sampler, const char* key) {
    REEL_CHECK_TYPE(state.isGenericDict(), sampler, ": load_state_dict expects a dict, got ", state.kind_name());
    const Value* v = state.toGenericDict().find(key);
    REEL_CHECK_WITH(KeyError, v, sampler, ": load_state_dict: the state has no '", key,
                    "'; is it that of another kind of sampler?");
    return *v;
}
} // namespace

std::size_t count_in(const Value& state, const char* sampler, const char* key) {
    const Value& v = entry(state, sampler, key);
    // libtorch writes numbers as tensors
    REEL_CHECK_TYPE(v.isInt() || (v.isTensor() && v.toTensor().numel() == 1), sampler, ": load_state_dict: '", key,
                    "' is ", v.repr(), ", expected a whole number");
    const std::int64_t n = v.isInt() ? v.toInt() : v.toTensor().item<std::int64_t>();
    REEL_CHECK_VALUE(n >= 0, sampler, ": load_state_dict: '", key, "' is ", n);
    return std::size_t(n);
}
Tensor indices_in(const Value& state, const char* sampler, const char* key) {
    const Value& v = entry(state, sampler, key);
    REEL_CHECK_TYPE(v.isTensor(), sampler, ": load_state_dict: '", key, "' is ", v.repr(), ", expected a tensor");
    const Tensor t = v.toTensor();
    REEL_CHECK_VALUE(t.dim() == 1 && reel::isIntegralType(t.scalar_type(), false), sampler, ": load_state_dict: '", key,
                     "' is ", v.repr(), ", expected a list of indices");
    if (t.numel() > 0) {
        const std::int64_t least = t.min().item<std::int64_t>();
        REEL_CHECK_VALUE(least >= 0, sampler, ": load_state_dict: '", key, "' holds the negative index ", least);
    }
    return t.detach().clone().contiguous();
}
void put_generator(ValueDict& state, const std::optional<Generator>& generator) {
    if (generator && generator->defined()) state.set("generator", generator->get_state());
}
void get_generator(const Value& state, const char* sampler, const std::optional<Generator>& generator) {
    if (!generator || !generator->defined() || !state.toGenericDict().contains("generator")) return;
    const Value& v = entry(state, sampler, "generator");
    REEL_CHECK_TYPE(v.isTensor(), sampler, ": load_state_dict: 'generator' is ", v.repr(), ", expected its state");
    Generator(*generator).set_state(v.toTensor());
}

std::optional<std::vector<std::size_t>> take_indices(const Tensor& indices, std::size_t& index, std::size_t n) {
    const std::size_t size = std::size_t(indices.size(0));
    if (index >= size) return std::nullopt;
    n = std::min(n, size - index);
    const Tensor some = indices.narrow(0, std::int64_t(index), std::int64_t(n)).to(kLong).contiguous();
    const std::int64_t* p = some.data_ptr<std::int64_t>();
    index += n;
    return std::vector<std::size_t>(p, p + n);
}

} // namespace reel::data::samplers
