#include "old_archive.hpp"

#include <algorithm>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops/factory/like.hpp>

namespace reel::optim::detail {

namespace {
/// Adagrad, SGD, Adam, AdamW and RMSprop wrote a list for each kind of state: `NAME/size`, `NAME/0`, `NAME/1`, ...
struct OldList {
    const char *name, *field;
};
constexpr OldList old_lists[] = {
    {"step_buffers", "step"},
    {"sum_buffers", "sum"},
    {"momentum_buffers", "momentum_buffer"},
    {"exp_average_buffers", "exp_avg"},
    {"exp_average_sq_buffers", "exp_avg_sq"},
    {"max_exp_average_sq_buffers", "max_exp_avg_sq"},
    {"square_average_buffers", "square_avg"},
    {"grad_average_buffers", "grad_avg"},
};

Value entry_of(const serialize::InputArchive& archive, const OldList& list, std::int64_t i, const Tensor& param) {
    const std::string key = list.name + ("/" + std::to_string(i));
    Tensor t;
    archive.read(key, t);
    if (list.field == std::string_view("step")) return t.item<std::int64_t>();
    REEL_CHECK_VALUE(t.sizes().equals(param.sizes()), "load: ", archive.path_of(key), " has shape ", t.sizes(),
                     ", the parameter has ", param.sizes());
    Tensor copy = reel::empty_like(param, TensorOptions(param.scalar_type()));
    copy.copy_(t);
    return copy;
}
} // namespace

bool is_old_archive(const serialize::InputArchive& archive) {
    const std::vector<std::string> keys = archive.keys();
    const auto has = [&](const std::string& key) { return std::find(keys.begin(), keys.end(), key) != keys.end(); };
    return !has("param_groups") && std::any_of(std::begin(old_lists), std::end(old_lists), [&](const OldList& list) {
        return has(list.name + std::string("/size"));
    });
}

Optimizer::StateMap old_states(const serialize::InputArchive& archive, const std::vector<Tensor>& params,
                               const std::function<std::unique_ptr<OptimizerParamState>()>& make_state) {
    const NoGradGuard no_grad;
    Optimizer::StateMap states;
    for (const OldList& list : old_lists) {
        Tensor size;
        const std::string key = list.name + std::string("/size");
        if (!archive.try_read(key, size)) continue;
        const std::int64_t count = size.item<std::int64_t>();
        REEL_CHECK_VALUE(count >= 0 && count <= std::int64_t(params.size()), "load: ", archive.path_of(key), " is ",
                         count, ", this optimizer has ", params.size(), " parameters");
        for (std::int64_t i = 0; i < count; ++i) {
            std::unique_ptr<OptimizerParamState>& state = states[params[i].unsafeGetTensorImpl()];
            if (!state) state = make_state();
            if (state->has(list.field)) state->set(list.field, entry_of(archive, list, i, params[i]));
        }
    }
    return states;
}

} // namespace reel::optim::detail
