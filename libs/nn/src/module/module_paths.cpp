// Recording of module paths.
#include <reel/nn/module_paths.hpp>

#include "module/hooks/tables.hpp"

namespace reel::nn {

namespace {
thread_local const RecordModulePaths* active = nullptr;
std::atomic<int> recorders{0};
} // namespace

RecordModulePaths::RecordModulePaths(const Module& root, const std::string& name) : previous_(active) {
    for (const auto& [path, m] : root.module_items(name, true))
        paths_.emplace(m, path.empty() ? root.repr_name() : path);
    active = this;
    if (recorders.fetch_add(1) == 0) detail::global_call_hooks.fetch_or(detail::path_bit);
}
RecordModulePaths::~RecordModulePaths() {
    active = previous_;
    if (recorders.fetch_sub(1) == 1) detail::global_call_hooks.fetch_and(~detail::path_bit);
}

namespace detail {
const std::string* recorded_path(const Module& m) {
    if (!active) return nullptr;
    const auto it = active->paths_.find(&m);
    return it == active->paths_.end() ? nullptr : &it->second;
}
} // namespace detail

} // namespace reel::nn
