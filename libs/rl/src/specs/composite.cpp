#include <reel/rl/specs/composite.hpp>

#include <algorithm>
#include <ostream>

#include <reel/rl/specs/unbounded.hpp>

#include "nearest_names.hpp"
#include "specs/spec_impl.hpp"

namespace reel::rl {
namespace {

std::string indented(const std::string& text) {
    std::string out;
    for (const char c : text) {
        out += c;
        if (c == '\n') out += "    ";
    }
    return out;
}
const std::vector<std::int64_t>& shape_of(const SpecEntry& entry) {
    return entry.is_composite() ? entry.composite().shape() : entry.spec().shape();
}
bool begins_with(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& batch) {
    return shape.size() >= batch.size() && std::equal(batch.begin(), batch.end(), shape.begin());
}
[[noreturn]] void throw_missing(const Composite& composite, const NestedKey& key) {
    std::vector<std::string> names;
    for (const NestedKey& k : composite.keys(true)) names.push_back(k.str());
    REEL_THROW(KeyError, "Composite: no spec ", key.str(),
               names.empty() ? std::string(": it is empty") : detail::nearest_names_text(key.str(), names));
}
std::vector<std::int64_t> joined(IntArrayRef front, const std::vector<std::int64_t>& back) {
    std::vector<std::int64_t> sizes = front.vec();
    sizes.insert(sizes.end(), back.begin(), back.end());
    return sizes;
}
/// A dictionary of `f(spec)` for each leaf.
template <class F> TensorDict filled(const Composite& composite, IntArrayRef shape, const F& f) {
    TensorDict td(joined(shape, composite.shape()), composite.device());
    for (const NestedKey& key : composite.keys()) {
        const SpecEntry& entry = composite.at(key);
        if (entry.is_composite()) td.set(key, filled(entry.composite(), shape, f));
        else td.set(key, f(entry.spec()));
    }
    return td;
}

} // namespace

SpecEntry::SpecEntry(Composite composite) : composite_(std::make_shared<const Composite>(std::move(composite))) {}
const TensorSpec& SpecEntry::spec() const {
    REEL_CHECK_TYPE(!composite_, "SpecEntry: expected the spec of a tensor, this one is a Composite");
    return spec_;
}
const Composite& SpecEntry::composite() const {
    REEL_CHECK_TYPE(composite_, "SpecEntry: expected a Composite, this one is ", spec_.summary());
    return *composite_;
}
bool operator==(const SpecEntry& a, const SpecEntry& b) {
    if (a.is_composite() != b.is_composite()) return false;
    return a.is_composite() ? a.composite() == b.composite() : a.spec_ == b.spec_;
}

Composite::Composite(IntArrayRef shape, std::optional<Device> device) : shape_(shape.vec()), device_(device) {}
Composite::Composite(std::initializer_list<Item> items, IntArrayRef shape, std::optional<Device> device)
    : Composite(shape, device) {
    for (const auto& [key, entry] : items) set(key, entry);
}

const SpecEntry* Composite::find(const NestedKey& key) const {
    const Composite* at = this;
    for (std::size_t i = 0;; ++i) {
        const auto found = std::find_if(at->items_.begin(), at->items_.end(),
                                        [&](const auto& item) { return item.first == key.path()[i]; });
        if (found == at->items_.end()) return nullptr;
        if (i + 1 == key.size()) return &found->second;
        if (!found->second.is_composite()) return nullptr;
        at = &found->second.composite();
    }
}
const SpecEntry& Composite::at(const NestedKey& key) const {
    const SpecEntry* entry = find(key);
    if (!entry) throw_missing(*this, key);
    return *entry;
}

Composite& Composite::set(const NestedKey& key, const SpecEntry& entry) {
    if (key.size() > 1) {
        const SpecEntry* there = find(key.front());
        REEL_CHECK_WITH(KeyError, !there || there->is_composite(), "Composite.set: ", key.str(), ": '", key.front(),
                        "' is the spec of a tensor and no Composite");
        Composite nested = there ? there->composite() : Composite(IntArrayRef(shape_), device_);
        nested.set(key.tail(), entry);
        return set(key.front(), nested);
    }
    const bool fits = begins_with(shape_of(entry), shape_);
    REEL_CHECK_VALUE(fits || entry.is_composite(), "Composite.set: expected the spec of ", key.str(),
                     " to have a shape that begins with ", detail::sizes_text(shape_), ", got ",
                     detail::sizes_text(shape_of(entry)), "; expand it");
    const SpecEntry kept = fits ? entry : SpecEntry(entry.composite().expand(shape_));
    const auto found =
        std::find_if(items_.begin(), items_.end(), [&](const auto& item) { return item.first == key.front(); });
    if (found == items_.end()) items_.emplace_back(key.front(), kept);
    else found->second = kept;
    return *this;
}
Composite& Composite::del_(const NestedKey& key) {
    if (!find(key)) throw_missing(*this, key);
    if (key.size() > 1) {
        Composite nested = at(key.front()).composite();
        nested.del_(key.tail());
        return set(key.front(), nested);
    }
    std::erase_if(items_, [&](const auto& item) { return item.first == key.front(); });
    return *this;
}
Composite& Composite::update(const Composite& other) {
    for (const auto& [name, entry] : other.items_) {
        const SpecEntry* there = find(name);
        if (!there || !there->is_composite() || !entry.is_composite()) {
            set(name, entry);
            continue;
        }
        Composite merged = there->composite();
        set(name, merged.update(entry.composite()));
    }
    return *this;
}
std::vector<NestedKey> Composite::keys(bool nested, bool leaves_only) const {
    std::vector<NestedKey> keys;
    for (const auto& [name, entry] : items_) {
        if (entry.is_composite() && nested)
            for (const NestedKey& inner : entry.composite().keys(true, leaves_only)) keys.push_back(inner.under(name));
        if (!entry.is_composite() || !leaves_only) keys.emplace_back(name);
    }
    return keys;
}

TensorDict Composite::rand(IntArrayRef shape, const Generator& generator) const {
    return filled(*this, shape, [&](const TensorSpec& spec) { return spec.rand(shape, generator); });
}
TensorDict Composite::zero(IntArrayRef shape) const {
    return filled(*this, shape, [&](const TensorSpec& spec) { return spec.zero(shape); });
}
TensorDict Composite::one(IntArrayRef shape) const {
    return filled(*this, shape, [&](const TensorSpec& spec) { return spec.one(shape); });
}
bool Composite::is_in(const TensorDict& td) const {
    return std::all_of(items_.begin(), items_.end(), [&](const auto& item) {
        const Entry* there = td.find(item.first);
        if (!there || there->is_dict() != item.second.is_composite()) return false;
        return there->is_dict() ? item.second.composite().is_in(there->dict())
                                : item.second.spec().is_in(there->tensor());
    });
}
TensorDict Composite::project(const TensorDict& td) const {
    TensorDict out = td.clone(false);
    for (const auto& [name, entry] : items_) {
        const Entry* there = td.find(name);
        if (!there) continue;
        if (entry.is_composite()) out.set(name, entry.composite().project(there->dict()));
        else out.set(name, entry.spec().project(there->tensor()));
    }
    return out;
}
void Composite::check(const TensorDict& td, const std::string& what) const {
    for (const NestedKey& key : leaf_keys()) {
        try {
            at(key).spec().check(td[key], reel::str(what, ": entry ", key.str()));
        } catch (KeyError& error) {
            error.add_context("in " + what);
            throw;
        }
    }
}

Composite Composite::expand(IntArrayRef shape) const {
    const std::size_t dims = shape_.size();
    REEL_CHECK(shape.size() >= dims, "Composite.expand: expected at least ", dims, " sizes, got ",
               detail::sizes_text(shape.vec()));
    Composite out(shape, device_);
    for (const auto& [name, entry] : items_) {
        std::vector<std::int64_t> sizes = shape.vec();
        const std::vector<std::int64_t>& own = shape_of(entry);
        sizes.insert(sizes.end(), own.begin() + std::ptrdiff_t(dims), own.end());
        if (entry.is_composite()) out.set(name, entry.composite().expand(sizes));
        else out.set(name, entry.spec().expand(sizes));
    }
    return out;
}
Composite Composite::index(const std::vector<indexing::TensorIndex>& indices) const {
    // the spec of one flag per element of the batch tells the new shape and checks the indices
    Composite out(TensorSpec(Unbounded(IntArrayRef(shape_), kBool)).index(indices).shape(), device_);
    for (const auto& [name, entry] : items_) {
        if (entry.is_composite()) out.set(name, entry.composite().index(indices));
        else out.set(name, entry.spec().index(indices));
    }
    return out;
}
Composite Composite::to(Device device) const {
    Composite out(shape_, device);
    for (const auto& [name, entry] : items_) {
        if (entry.is_composite()) out.set(name, entry.composite().to(device));
        else out.set(name, entry.spec().to(device));
    }
    return out;
}

std::string Composite::str() const {
    const std::string device = device_ ? device_->str() : std::string("None");
    const std::string shape = "shape=torch.Size(" + detail::sizes_text(shape_) + ")";
    if (items_.empty()) return "Composite(device=" + device + ", " + shape + ")";
    std::string text = "Composite(";
    for (const auto& [name, entry] : items_)
        text += "\n    " + name + ": " + indented(entry.is_composite() ? entry.composite().str() : entry.spec().str()) +
                ",";
    return text + "\n    device=" + device + ",\n    " + shape + ")";
}
bool operator==(const Composite& a, const Composite& b) {
    if (a.shape_ != b.shape_ || a.device_ != b.device_ || a.items_.size() != b.items_.size()) return false;
    return std::all_of(a.items_.begin(), a.items_.end(), [&](const auto& item) {
        const SpecEntry* there = b.find(item.first);
        return there && *there == item.second;
    });
}
std::ostream& operator<<(std::ostream& os, const Composite& composite) { return os << composite.str(); }

} // namespace reel::rl
