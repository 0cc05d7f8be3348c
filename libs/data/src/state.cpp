#include <reel/data/detail/state.hpp>

#include <reel/autograd/archive.hpp>

namespace reel::data::detail {

void write_state(serialize::OutputArchive& archive, const Value& state) {
    for (const auto& [key, value] : state.toGenericDict()) archive.write(key.toStringRef(), value);
}
Value read_state(const serialize::InputArchive& archive) { return archive.value(); }

} // namespace reel::data::detail
