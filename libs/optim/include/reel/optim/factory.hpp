// Optimizers and schedules by their Python names and arguments; each class registers itself in its own file.
#pragma once

#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <reel/optim/optimizer.hpp>

namespace reel::optim {

class LRScheduler;
class SchedulerBase;

using OptimizerFactory = std::unique_ptr<Optimizer> (*)(std::vector<OptimizerParamGroup>, const Args&, const Kwargs&);
/// Makes an optimizer by its class name; `args` and `kwargs` are Python's after the parameters. KeyError for an unknown
/// class, TypeError for arguments that it does not have.
std::unique_ptr<Optimizer> make_optimizer(std::string_view name, std::vector<OptimizerParamGroup> groups,
                                          const Args& args = {}, const Kwargs& kwargs = {});
std::unique_ptr<Optimizer> make_optimizer(std::string_view name, std::vector<Tensor> params, const Args& args = {},
                                          const Kwargs& kwargs = {});
inline std::unique_ptr<Optimizer> make_optimizer(std::string_view name, std::vector<Tensor> params,
                                                 const Kwargs& kwargs) {
    return make_optimizer(name, std::move(params), Args(), kwargs);
}
/// `make_optimizer("SGD", params, {{"lr", 0.1}})`: one name and its value could be two values as well.
inline std::unique_ptr<Optimizer> make_optimizer(std::string_view name, std::vector<Tensor> params,
                                                 std::initializer_list<std::pair<std::string, Value>> kwargs) {
    return make_optimizer(name, std::move(params), Args(), Kwargs(kwargs));
}
bool has_optimizer(std::string_view name);
std::vector<std::string> optimizer_names(); ///< sorted
bool register_optimizer_factory(const char* name, OptimizerFactory factory);

/// Registers class `O` with options `Options` (default constructible); called from the class's own source file.
template <class O, class Options = typename O::Options> bool register_optimizer(const char* name = O::class_name) {
    return register_optimizer_factory(name,
                                      [](std::vector<OptimizerParamGroup> groups, const Args& args,
                                         const Kwargs& kwargs) -> std::unique_ptr<Optimizer> {
                                          Options options;
                                          options.bind(O::class_name, args, kwargs);
                                          return std::make_unique<O>(std::move(groups), options);
                                      });
}

using SchedulerFactory = std::unique_ptr<SchedulerBase> (*)(Optimizer&, const Args&, const Kwargs&);
/// Makes a schedule by its class name; `args` and `kwargs` are Python's after the optimizer.
std::unique_ptr<SchedulerBase> make_scheduler(std::string_view name, Optimizer& optimizer, const Args& args = {},
                                              const Kwargs& kwargs = {});
bool has_scheduler(std::string_view name);
std::vector<std::string> scheduler_names(); ///< sorted
bool register_scheduler_factory(const char* name, SchedulerFactory factory);

/// Registers schedule `S`, constructible from (Optimizer&, Options).
template <class S, class Options> bool register_scheduler(const char* name) {
    return register_scheduler_factory(
        name, [](Optimizer& optimizer, const Args& args, const Kwargs& kwargs) -> std::unique_ptr<SchedulerBase> {
            Options options;
            options.bind(S::class_name, args, kwargs);
            return std::make_unique<S>(optimizer, std::move(options));
        });
}

} // namespace reel::optim
