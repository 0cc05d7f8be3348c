#include "sharding/forward_scope.hpp"

#include <algorithm>

#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops/shape/strided.hpp>

#include "sharding/gather_parameters.hpp"
#include "sharding/unit.hpp"

namespace reel::distributed {

namespace {
/// A whole parameter that some running module of this thread has.
struct Alive {
    const void* storage;
    Unit* unit;
    std::size_t parameter;
};
thread_local std::vector<Alive> alive;

/// What the tape keeps of a whole parameter, or of a view of it.
struct SavedWhole {
    std::shared_ptr<Unit> unit;
    std::size_t parameter;
    std::vector<std::int64_t> sizes, strides;
    std::int64_t offset, version;
};

Value pack(const Tensor& t, const autograd::PackHook& outer) {
    if (t.has_storage())
        for (const Alive& a : alive) {
            if (a.storage != t.storage().get()) continue;
            const ShardedParameter& p = a.unit->parameters()[a.parameter];
            if (t.scalar_type() != p.local.scalar_type()) break; // a view of other elements
            return Value::box(SavedWhole{a.unit->shared_from_this(), a.parameter, t.sizes().vec(), t.strides().vec(),
                                         t.storage_offset(), p.local._version()});
        }
    if (outer) return outer(t);
    return Value::tuple({Value(t), Value(t._version())});
}
Tensor unpack(const Value& packed, const autograd::UnpackHook& outer) {
    if (const SavedWhole* s = packed.try_get<SavedWhole>())
        return s->unit->whole_again(s->parameter, s->version).as_strided(s->sizes, s->strides, s->offset);
    if (outer) return outer(packed);
    const Tensor t = packed.elements()[0].toTensor();
    REEL_CHECK(t._version() == packed.elements()[1].toInt(),
               "a tensor needed for backward was modified by an in-place operation: ", t.toString(), " ", t.sizes(),
               " is at version ", t._version(), "; expected version ", packed.elements()[1].toInt(),
               " instead. Hint: DetectAnomalyGuard names the forward operation that saved it; clone the tensor before "
               "modifying it");
    return t;
}
} // namespace

ForwardScope::ForwardScope(const std::shared_ptr<Unit>& unit, nn::Module& module, std::vector<Tensor> whole)
    : unit_(unit.get()), whole_(std::move(whole)) {
    const bool recorded = GradMode::is_enabled();
    const std::vector<Tensor> members = recorded ? with_history(unit, whole_) : whole_;
    nn::NamedTensors tensors;
    for (std::size_t i = 0; i < members.size(); ++i) tensors.insert(unit->parameters()[i].path, members[i]);
    in_place_ = std::make_unique<nn::TensorsInPlace>(module, tensors);
    if (!recorded) return;
    auto [outer_pack, outer_unpack] = autograd::current_saved_tensors_hooks();
    hooks_ = std::make_unique<autograd::SavedTensorsHooksGuard>(
        [outer = std::move(outer_pack)](const Tensor& t) { return pack(t, outer); },
        [outer = std::move(outer_unpack)](const Value& v) { return unpack(v, outer); });
    for (std::size_t i = 0; i < whole_.size(); ++i) alive.push_back({whole_[i].storage().get(), unit.get(), i});
}
ForwardScope::~ForwardScope() {
    if (!hooks_) return;
    std::erase_if(alive, [&](const Alive& a) {
        return a.unit == unit_ && std::any_of(whole_.begin(), whole_.end(),
                                              [&](const Tensor& t) { return t.storage().get() == a.storage; });
    });
}

} // namespace reel::distributed
