// Which modules have a tensor among their parameters.
#include <algorithm>
#include <mutex>
#include <vector>

#include <reel/autograd/registered.hpp>

#include "tape/autograd_meta.hpp"

namespace reel {

void Tensor::take(const Registered& r) {
    impl_ = r.impl_;
    if (const auto place = r.place()) place->seen_in(*this);
}

namespace autograd {

/// Places go with their modules; a path stays until the tensor is registered again.
struct PlaceRecord {
    std::mutex mutex;
    std::vector<std::weak_ptr<impl::Place>> places;
    std::string left;
};

namespace impl {

Place::~Place() = default;

namespace {
std::shared_ptr<PlaceRecord> record_of(const Tensor& t) {
    const AutogradMeta* meta = t.impl()->meta();
    return meta ? meta->places : nullptr;
}
} // namespace

void enter_place(const Tensor& t, const std::shared_ptr<Place>& place) {
    static std::mutex making;
    std::shared_ptr<PlaceRecord> record;
    {
        const std::lock_guard lock(making); // copies of one module may be made on several threads
        AutogradMeta& meta = t.impl()->ensure_meta();
        if (!meta.places) meta.places = std::make_shared<PlaceRecord>();
        record = meta.places;
    }
    const std::lock_guard lock(record->mutex);
    auto& all = record->places;
    std::erase_if(all, [&](const auto& p) {
        const auto known = p.lock();
        return !known || known == place;
    });
    all.push_back(place);
    record->left.clear();
    t.impl()->meta()->left_place = false;
}
void leave_place(const Tensor& t, const std::string& path) {
    const auto record = record_of(t);
    if (!record) return;
    const std::lock_guard lock(record->mutex);
    record->left = path;
    t.impl()->meta()->left_place = !path.empty();
}
void note_gradient_of_left(const Tensor& t) {
    t.impl()->meta()->left_place = false; // once
    const std::string path = left_place(t);
    if (path.empty()) return;
    REEL_WARN("a tensor of shape ", t.sizes(), " that was '", path,
              "' until another tensor took its place got a gradient: something still computes with the former one. "
              "Assign what registering returned to the member of the module that forward reads");
}
void forget_left_place(const Tensor& t) { leave_place(t, {}); }
std::string left_place(const Tensor& t) {
    const auto record = record_of(t);
    if (!record) return {};
    const auto held = [&] {
        for (const auto& p : record->places)
            if (const auto place = p.lock(); place && place->holds(t)) return true;
        return false;
    };
    std::vector<std::weak_ptr<Place>> places;
    {
        const std::lock_guard lock(record->mutex);
        if (held()) return {};
        places = record->places;
    }
    for (const auto& p : places) // a member may have been assigned that no table has seen yet
        if (const auto place = p.lock()) place->refresh();
    const std::lock_guard lock(record->mutex);
    return held() ? std::string() : record->left;
}

} // namespace impl
} // namespace autograd

} // namespace reel
