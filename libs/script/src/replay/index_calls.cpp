// Keeping the check of indices.
#include "replay/index_calls.hpp"

namespace reel::jit::replay {

/// An answer that nobody asks a second time.
template <> struct Kept<bool&> {
    struct type {
        std::shared_ptr<bool> value = std::make_shared<bool>();
        operator bool&() const { return *value; }
    };
    static type keep(Recorder&, bool) { return {}; }
};

void check_index_stand(const char* op, const Tensor& index, std::int64_t size, bool wrap, bool& negative) {
    if (!reel::detail::launch_observer) [[likely]]
        return cpu::check_index(op, index, size, wrap, negative);
    const reel::detail::UnobservedScope scope;
    cpu::check_index(op, index, size, wrap, negative);
    Recorder* const r = current_recorder();
    if (!r) return;
    negative = wrap;
    using Call = CallOf<void, const char*, const Tensor&, std::int64_t, bool, bool&>;
    const Tensor* const read[] = {&index};
    r->kernel("check_index", std::make_unique<Call>(&cpu::check_index, *r, op, index, size, wrap, negative), read, {},
              true);
}

} // namespace reel::jit::replay
