#include "schedulers/momentum.hpp"

namespace reel::optim {

void check_has_momentum(const char* schedule, const Optimizer& optimizer) {
    REEL_CHECK_VALUE(optimizer.defaults().has("momentum") || optimizer.defaults().has("betas"), schedule,
                     ": the optimizer has neither momentum nor betas; set cycle_momentum to false");
}
void set_momentum(OptimizerParamGroup& group, double value) {
    if (!group.options().has("betas")) return group.options().set("momentum", value);
    const std::vector<Value> old = group.options().get("betas").elements();
    group.options().set("betas", Value::tuple({Value(value), old.at(1)}));
}

} // namespace reel::optim
