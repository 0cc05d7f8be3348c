#include "exported/example_inputs.hpp"

#include <reel/serialize/save_load.hpp>

namespace reel::jit {

std::string example_inputs(const Args& args, const Kwargs& kwargs) {
    const std::vector<char> bytes = pickle_save(IValue::tuple({IValue::tuple(args), IValue(kwargs)}));
    return {bytes.begin(), bytes.end()};
}

} // namespace reel::jit
