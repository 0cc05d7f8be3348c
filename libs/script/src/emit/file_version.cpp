#include "file_version.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace reel::jit::emit {

namespace {
thread_local int file_version = std::numeric_limits<int>::max();
constexpr std::int64_t old_steps = 100;
constexpr std::size_t steps_place = 2; ///< start, end, steps
} // namespace

FileVersion::FileVersion(int version) : before_(std::exchange(file_version, version)) {}
FileVersion::~FileVersion() { file_version = before_; }

bool complete_old_call(Graph& graph, const SourceRange& range, Symbol name, Arguments& arguments) {
    const int changed_in = name.is("aten::linspace") ? 8 : name.is("aten::logspace") ? 9 : 0;
    if (file_version >= changed_in) return false;
    auto& [positional, keywords] = arguments;
    const auto named =
        std::find_if(keywords.begin(), keywords.end(), [](const auto& keyword) { return keyword.first == "steps"; });
    Value** const given = positional.size() > steps_place ? &positional[steps_place]
                          : named != keywords.end()       ? &named->second
                                                          : nullptr;
    if (given && (*given)->type()->kind() != TypeKind::None) return false;
    Value* const steps = graph.insert_constant(old_steps, nullptr, range);
    if (given) *given = steps;
    else keywords.emplace_back("steps", steps);
    return true;
}

} // namespace reel::jit::emit
