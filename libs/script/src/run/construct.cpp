#include "run/construct.hpp"

#include <iterator>

namespace reel::jit::construct {

namespace {
std::vector<IValue> taken(std::span<IValue> values) {
    return {std::make_move_iterator(values.begin()), std::make_move_iterator(values.end())};
}
} // namespace

IValue tuple(std::span<IValue> elements) { return IValue::tuple(taken(elements)); }
IValue list(std::span<IValue> elements) { return IValue::list(taken(elements)); }
IValue dict(std::span<IValue> items) {
    ValueDict d;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) d.set(std::move(items[i]), std::move(items[i + 1]));
    return d;
}

} // namespace reel::jit::construct
