// The scopes of those who take calls of modules.
#include <reel/nn/detail/module_calls.hpp>

#include <atomic>
#include <utility>

#include "module/hooks/tables.hpp"

namespace reel::nn::detail {

namespace {
thread_local ModuleCallMode* mode_of_thread = nullptr;
std::atomic<int> scopes{0}; // of all threads: while there is one, calls look
} // namespace

ModuleCallMode::~ModuleCallMode() = default;

ModuleCallScope::ModuleCallScope(ModuleCallMode* mode) : around_(std::exchange(mode_of_thread, mode)) {
    if (scopes.fetch_add(1) == 0) global_call_hooks.fetch_or(taken_bit);
}
ModuleCallScope::~ModuleCallScope() {
    mode_of_thread = around_;
    if (scopes.fetch_sub(1) == 1) global_call_hooks.fetch_and(~taken_bit);
}
ModuleCallMode* module_call_mode() { return mode_of_thread; }

} // namespace reel::nn::detail
