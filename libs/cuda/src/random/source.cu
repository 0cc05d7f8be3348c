// Taking numbers from generators, now or for each replay of a graph.
#include "random/source.hpp"

#include <algorithm>
#include <mutex>

#include <reel/autograd/error.hpp>
#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/philox_generator.hpp>
#include <reel/cuda/device.hpp>

#include "capturing.hpp"
#include "for_each.cuh"
#include "random/captured_draws.hpp"
#include "replay_work.hpp"

namespace reel::cuda {

namespace {
PhiloxGeneratorImpl& philox_of(const Generator& g) { return static_cast<PhiloxGeneratorImpl&>(g.any_impl()); }

__global__ void begin_replay_kernel(std::uint64_t* words, std::uint64_t seed, std::uint64_t first) {
    words[0] = seed;
    words[1] = first;
}
} // namespace

RandomSource draw(const char* op, DeviceIndex device, const OptionalGenerator& generator, std::int64_t counters) {
    const Device here(kCUDA, device);
    const Generator g = generator && generator->defined() ? *generator : reel::detail::default_generator(here);
    REEL_CHECK(g.device() == here, op, ": a generator of ", g.device(), " was given for a tensor on ", here,
               "; give one made by Generator(Device(\"", here, "\"))");
    const std::lock_guard lock(g.mutex());
    if (CapturedDraws* const captured = capture_draws(device)) return captured->take(op, g, std::uint64_t(counters));
    PhiloxGeneratorImpl& philox = philox_of(g);
    return {nullptr, philox.current_seed(), philox.take(std::uint64_t(counters))};
}

RandomSource CapturedDraws::take(const char* op, const Generator& generator, std::uint64_t counters) {
    PhiloxGeneratorImpl& philox = philox_of(generator);
    auto one = std::find_if(all_.begin(), all_.end(), [&](const One& o) { return o.generator == generator; });
    if (one == all_.end()) {
        const MemoryBeforeReplay memory(device_);
        one =
            all_.insert(one, {generator, reel::empty({2}, TensorOptions().dtype(kLong).device(Device(kCUDA, device_))),
                              philox.current_seed(), philox.get_offset(), philox.get_offset()});
    }
    REEL_CHECK(
        philox.current_seed() == one->seed && philox.get_offset() >= one->offset, "cuda::Graph: ", op,
        ": the generator was seeded, or set to another state, within the capture; do that before it, or before a "
        "replay");
    const std::uint64_t first = philox.take(counters) - one->offset / 4;
    one->most = std::max(one->most, philox.get_offset());
    return {data<std::uint64_t>(one->words), 0, first};
}
void CapturedDraws::end_capture() noexcept {
    for (const One& one : all_) {
        const std::lock_guard lock(one.generator.mutex());
        philox_of(one.generator).set_current_seed(one.seed);
        philox_of(one.generator).set_offset(one.offset);
    }
}
void CapturedDraws::begin_replay() const {
    for (const One& one : all_) {
        const std::lock_guard lock(one.generator.mutex());
        PhiloxGeneratorImpl& philox = philox_of(one.generator);
        const std::uint64_t first = philox.take((one.most - one.offset) / 4);
        launch("cuda::Graph: replay", begin_replay_kernel, {1, 1, 0, raw_stream(device_)},
               data<std::uint64_t>(one.words), philox.current_seed(), first);
    }
}

} // namespace reel::cuda
