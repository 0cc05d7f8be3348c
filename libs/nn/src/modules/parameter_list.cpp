// ParameterList and ParameterDict.
#include <reel/nn/modules/parameter_list.hpp>

#include <algorithm>

#include <reel/nn/modules/sequential.hpp>

#include "module/libtorch_form.hpp"

namespace reel::nn {

namespace {
Value as_entry(const Value& v) {
    return v.isTensor() && v.toTensor().defined() && !Parameter::is(v.toTensor()) ? Value(Parameter(v.toTensor())) : v;
}
/// One line of the printed form, as PyTorch has it: with the dtype's name in lists, the tensor's type in dicts.
std::string line_of(const std::string& key, const Value& v, bool in_dict) {
    const char* kind = v.isNone() ? "NoneType" : v.kind_name();
    if (detail::LibtorchForm::current()) {
        if (!v.isTensor()) return str("(", key, "): Object of type: ", kind);
        return str("(", key, "): Parameter containing: [", v.toTensor().scalar_type(), " of size ",
                   v.toTensor().sizes(), "]");
    }
    if (!v.isTensor()) return str("  (", key, "): Object of type: ", kind);
    const Tensor t = v.toTensor();
    const std::string type = in_dict ? str(t.is_cuda() ? "cuda." : "", toString(t.scalar_type()), "Tensor")
                                     : std::string(dtype_name(t.scalar_type()));
    std::string sizes;
    for (const std::int64_t n : t.sizes()) sizes += (sizes.empty() ? "" : "x") + std::to_string(n);
    return str("  (", key, "): Parameter containing: [torch.", type, " of size ", sizes,
               t.device().is_cuda() ? str(" (", t.device(), ")") : std::string(), "]");
}
std::string listed(const std::string& lines) {
    if (!detail::LibtorchForm::current()) return lines;
    return "\n" + lines + (lines.empty() ? "" : "\n");
}
Tensor tensor_entry(const char* what, const std::string& key, const Value& v) {
    REEL_CHECK_TYPE(v.isTensor(), what, ": entry ", key, " is ", v.kind_name(), ", not a Tensor; use at()");
    return v.toTensor();
}
[[noreturn]] void throw_call(const Module& m) {
    REEL_THROW(Error, m.repr_name(), " holds parameters and cannot be called; use its entries in a module's forward");
}
} // namespace

ParameterEntries::operator std::vector<Tensor>() const {
    std::vector<Tensor> tensors;
    for (const Value& v : *this) tensors.push_back(v.toTensor());
    return tensors;
}

void ParameterListImpl::set(const std::string& key, const Value& value) {
    if (has_parameter(key) || attributes_.contains(key)) delete_attribute(key); // an entry of the other kind, maybe
    set_attribute(key, as_entry(value));
}
void ParameterListImpl::extend(const ParameterListImpl& other) {
    const std::size_t n = other.size(); // `other` may be this
    for (std::size_t i = 0; i < n; ++i) append(other.at(std::int64_t(i)));
}
ParameterEntry ParameterListImpl::at(std::int64_t i) const {
    const std::int64_t n = std::int64_t(size_), at = i < 0 ? i + n : i;
    REEL_CHECK_INDEX(at >= 0 && at < n, "ParameterList: index ", i, " is out of range for ", n, " entries");
    return attribute(std::to_string(at));
}
void ParameterListImpl::assign(std::int64_t i, const Value& value) {
    at(i); // checks the index
    const std::string key = std::to_string(i < 0 ? i + std::int64_t(size_) : i);
    if (has_parameter(key) && value.isTensor()) set_attribute(key, as_entry(value)); // keeps its place
    else set(key, value);
}
Tensor ParameterListImpl::operator[](std::int64_t i) const {
    return tensor_entry("ParameterList", std::to_string(i), at(i));
}
std::shared_ptr<ParameterListImpl> ParameterListImpl::slice(std::optional<std::int64_t> begin,
                                                            std::optional<std::int64_t> end, std::int64_t step) const {
    auto out = std::make_shared<ParameterListImpl>();
    for (const std::size_t i : detail::slice_positions("ParameterList", begin, end, step, size_))
        out->append(at(std::int64_t(i)));
    return out;
}
std::string ParameterListImpl::extra_repr() const {
    std::string r;
    for (std::size_t i = 0; i < size_; ++i)
        r += (i ? "\n" : "") + line_of(std::to_string(i), at(std::int64_t(i)), false);
    return listed(r);
}
Value ParameterListImpl::forward_values(const Args&, const Kwargs&) { throw_call(*this); }
void ParameterListImpl::copy_from(const Module& other, std::optional<Device> device, bool keep_hooks) {
    Cloneable::copy_from(other, device, keep_hooks);
    size_ = static_cast<const ParameterListImpl&>(other).size_;
}

void ParameterDictImpl::insert(const std::string& key, const Value& value) {
    const Value entry = as_entry(value);
    if (contains(key) && !(has_parameter(key) && entry.isTensor())) delete_attribute(key);
    set_attribute(key, entry);
    if (!contains(key)) keys_.push_back(key);
}
void ParameterDictImpl::update(const std::vector<Item>& items) {
    for (const auto& [key, t] : items) insert(key, Value(t));
}
void ParameterDictImpl::update(const ParameterDictImpl& other) {
    for (const auto& [key, value] : other.items()) insert(key, value);
}
void ParameterDictImpl::update_values(const ValueDict& entries) {
    for (const auto& [key, value] : entries)
        REEL_CHECK_TYPE(key.isString(), "ParameterDict: update: a key is ", key.repr(), "; expected a text");
    for (const auto& [key, value] : entries) insert(key.toStringRef(), value);
}
bool ParameterDictImpl::contains(const std::string& key) const {
    return std::find(keys_.begin(), keys_.end(), key) != keys_.end();
}
ParameterEntry ParameterDictImpl::at(const std::string& key) const {
    REEL_CHECK_WITH(KeyError, contains(key), "ParameterDict: there is no entry '", key, "'");
    return attribute(key);
}
Tensor ParameterDictImpl::operator[](const std::string& key) const {
    return tensor_entry("ParameterDict", "'" + key + "'", at(key));
}
ParameterEntry ParameterDictImpl::get(const std::string& key, const Value& otherwise) const {
    return contains(key) ? attribute(key) : otherwise;
}
ParameterEntry ParameterDictImpl::pop(const std::string& key) {
    const Value v = at(key);
    delete_attribute(key);
    std::erase(keys_, key);
    return v;
}
std::pair<std::string, ParameterEntry> ParameterDictImpl::popitem() {
    REEL_CHECK_WITH(KeyError, !empty(), "ParameterDict: popitem: the dict is empty");
    const std::string key = keys_.back();
    return {key, pop(key)};
}
ParameterEntry ParameterDictImpl::setdefault(const std::string& key, const Value& otherwise) {
    if (!contains(key)) insert(key, otherwise);
    return at(key);
}
std::shared_ptr<ParameterDictImpl> ParameterDictImpl::copy() const {
    auto out = std::make_shared<ParameterDictImpl>();
    out->update(*this);
    return out;
}
std::shared_ptr<ParameterDictImpl> ParameterDictImpl::fromkeys(const std::vector<std::string>& keys,
                                                               const Value& value) {
    auto out = std::make_shared<ParameterDictImpl>();
    for (const std::string& key : keys) out->insert(key, value);
    return out;
}
ParameterDict operator|(const ParameterDict& a, const ParameterDict& b) {
    ParameterDict out(a->copy());
    out->update(*b);
    return out;
}
ParameterEntries ParameterDictImpl::values() const {
    ParameterEntries r;
    for (const std::string& key : keys_) r.push_back(attribute(key));
    return r;
}
std::vector<std::pair<std::string, Value>> ParameterDictImpl::items() const {
    std::vector<std::pair<std::string, Value>> r;
    for (const std::string& key : keys_) r.emplace_back(key, attribute(key));
    return r;
}
void ParameterDictImpl::clear() {
    for (const std::string& key : std::vector(keys_)) pop(key);
}
std::string ParameterDictImpl::extra_repr() const {
    std::string r;
    for (const std::string& key : keys_) r += (r.empty() ? "" : "\n") + line_of(key, attribute(key), true);
    return listed(r);
}
Value ParameterDictImpl::forward_values(const Args&, const Kwargs&) { throw_call(*this); }
void ParameterDictImpl::copy_from(const Module& other, std::optional<Device> device, bool keep_hooks) {
    Cloneable::copy_from(other, device, keep_hooks);
    keys_ = static_cast<const ParameterDictImpl&>(other).keys_;
}

} // namespace reel::nn
