// Cloning saved tensors before they are overwritten.
#include "tape/allow_mutation.hpp"

#include <mutex>
#include <unordered_map>
#include <vector>

#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>

#include "tape/modes.hpp"
#include "tensor/raw.hpp"

namespace reel::autograd {

/// One saving. Its alias keeps the storage alive, so a storage's address names it.
struct KeptSaving {
    Tensor value;
};

struct KeptForMutation {
    std::mutex mutex; // passes on other threads drop their savings
    std::unordered_map<const Storage*, std::vector<std::weak_ptr<KeptSaving>>> by_storage;
};

void move_saved_away(KeptForMutation& kept, const Tensor& self) {
    std::lock_guard lock(kept.mutex);
    const auto it = kept.by_storage.find(self.storage().get());
    if (it == kept.by_storage.end()) return;
    for (const auto& weak : it->second)
        if (const auto saving = weak.lock()) {
            // Kernels' copy, not the op: nothing of this is recorded or seen by hooks.
            Tensor copy = reel::detail::empty_like_raw(saving->value, saving->value.scalar_type());
            reel::detail::copy_raw(copy, saving->value);
            saving->value = std::move(copy);
        }
    kept.by_storage.erase(it);
}

AllowMutationOnSavedTensorsGuard::AllowMutationOnSavedTensorsGuard() : kept_(std::make_shared<KeptForMutation>()) {
    REEL_CHECK(!tape_modes().mutation,
               "AllowMutationOnSavedTensorsGuard: scopes that allow mutation on saved tensors do not nest");
    hooks_ = std::make_unique<SavedTensorsHooksGuard>(
        [weak = std::weak_ptr<KeptForMutation>(kept_)](const Tensor& t) -> Value {
            auto saving = std::make_shared<KeptSaving>();
            saving->value = reel::detail::alias_raw(t);
            if (const auto kept = weak.lock()) {
                std::lock_guard lock(kept->mutex);
                auto& list = kept->by_storage[t.storage().get()];
                std::erase_if(list, [](const auto& w) { return w.expired(); });
                list.push_back(saving);
            }
            return Value::box(std::move(saving));
        },
        [weak = std::weak_ptr<KeptForMutation>(kept_)](const Value& v) -> Tensor {
            REEL_CHECK(!weak.expired(),
                       "a tensor saved in a scope that allows mutation on saved tensors was used after "
                       "that scope was left; run backward inside of it");
            return v.get<std::shared_ptr<KeptSaving>>()->value;
        });
    tape_modes().mutation = kept_.get();
}
AllowMutationOnSavedTensorsGuard::~AllowMutationOnSavedTensorsGuard() { tape_modes().mutation = nullptr; }

} // namespace reel::autograd
