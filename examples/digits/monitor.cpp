#include "monitor.hpp"

#include <cmath>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>

namespace digits {

using namespace reel;
using reel::autograd::variable_list;

void GradientMonitor::attach(nn::Module& root) {
    detach();
    for (const auto& [path, module] : root.module_items({}, true)) {
        if (!module->children().empty()) continue;
        entries_.push_back(std::make_unique<Entry>(Entry{path}));
        Entry* entry = entries_.back().get();
        handles_.push_back(
            module->register_full_backward_pre_hook([entry](nn::Module&, const variable_list& grad_output) {
                if (grad_output.empty() || !grad_output[0].defined()) return;
                NoGradGuard no_grad;
                const Tensor& g = grad_output[0];
                entry->sum += std::sqrt((g * g).sum().item<double>());
                ++entry->count;
            }));
    }
}
void GradientMonitor::detach() {
    for (RemovableHandle& h : handles_) h.remove();
    handles_.clear();
    entries_.clear();
}
GradientNorms GradientMonitor::take() {
    GradientNorms r;
    for (const auto& e : entries_) {
        if (e->count > 0) r.emplace_back(e->path, e->sum / e->count);
        e->sum = 0;
        e->count = 0;
    }
    return r;
}

} // namespace digits
