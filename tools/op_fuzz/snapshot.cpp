// Operands before and after, results against their storages.
#include "op_fuzz/snapshot.hpp"

namespace op_fuzz {

using namespace reel;

Snapshot::State Snapshot::state_of(const Tensor& t) {
    constexpr std::size_t most = 4096;
    State s{t,
            {t.sizes().begin(), t.sizes().end()},
            {t.strides().begin(), t.strides().end()},
            t.storage_offset(),
            t.storage() ? t.storage()->version() : 0,
            {}};
    if (t.is_cpu() && t.storage() && t.storage()->nbytes() <= most) {
        const char* const data = static_cast<const char*>(t.storage()->data());
        if (data) s.bytes.assign(data, data + t.storage()->nbytes());
    }
    return s;
}

Snapshot::Snapshot(const std::vector<Tensor>& tensors) {
    for (const Tensor& t : tensors) states_.push_back(state_of(t));
}

std::string Snapshot::difference() const {
    for (std::size_t i = 0; i < states_.size(); ++i) {
        const State& was = states_[i];
        const State is = state_of(was.tensor);
        const std::string which = str("operand ", i, ": ");
        if (was.sizes != is.sizes)
            return which + str("sizes were ", IntArrayRef(was.sizes), ", are ", IntArrayRef(is.sizes));
        if (was.strides != is.strides || was.offset != is.offset) return which + "strides or offset changed";
        if (was.bytes != is.bytes) return which + "values changed";
        if (was.version != is.version) return which + str("version was ", was.version, ", is ", is.version);
    }
    return {};
}

namespace {

std::string outside(const Tensor& t) {
    if (!t.defined() || t.is_meta()) return {};
    std::int64_t last = t.storage_offset();
    bool wraps = false, empty = false;
    std::int64_t count = 1;
    for (std::size_t d = 0; d < std::size_t(t.dim()); ++d) {
        const std::int64_t n = t.sizes()[d];
        if (n < 0 || t.strides()[d] < 0) return str("sizes ", t.sizes(), " strides ", t.strides());
        empty |= n == 0;
        std::int64_t reach = 0;
        if (n > 0)
            wraps |=
                __builtin_mul_overflow(n - 1, t.strides()[d], &reach) || __builtin_add_overflow(last, reach, &last);
    }
    for (const std::int64_t n : t.sizes()) wraps |= !empty && __builtin_mul_overflow(count, n, &count);
    if (empty) return {};
    const std::int64_t nbytes = t.storage() ? std::int64_t(t.storage()->nbytes()) : 0;
    std::int64_t end = 0;
    wraps |= __builtin_add_overflow(last, 1, &last) || __builtin_mul_overflow(last, t.element_size(), &end);
    if (wraps || end > nbytes || nbytes < 0)
        return str("sizes ", t.sizes(), " strides ", t.strides(), " offset ", t.storage_offset(), " of ",
                   dtype_name(t.scalar_type()), " in ", nbytes, " bytes");
    if (t.is_cpu()) {
        const volatile char* const data = static_cast<const char*>(t.storage()->data());
        (void)data[t.storage_offset() * t.element_size()];
        (void)data[end - 1];
    }
    return {};
}

} // namespace

std::string outside_storage(const Value& v) {
    std::vector<Tensor> tensors;
    collect_tensors(v, tensors);
    for (const Tensor& t : tensors) {
        const std::string why = outside(t);
        if (!why.empty()) return why;
    }
    return {};
}

} // namespace op_fuzz
