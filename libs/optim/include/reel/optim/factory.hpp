// Optimizers and schedules by their Python names and arguments. The library's own are there from the start; a program adds
// its own classes.
#pragma once

#include <memory>
#include <string_view>
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
    return make_optimizer(name, std::move(params), {}, kwargs);
}
bool has_optimizer(std::string_view name);
std::vector<std::string> optimizer_names(); ///< sorted
bool register_optimizer_factory(const char* name, OptimizerFactory factory);

namespace detail {
template <class O, class Options>
std::unique_ptr<Optimizer> make_optimizer_of(std::vector<OptimizerParamGroup> groups, const Args& args,
                                             const Kwargs& kwargs) {
    Options options;
    options.bind(O::class_name, args, kwargs);
    return std::make_unique<O>(std::move(groups), options);
}
} // namespace detail
/// Registers class `O` of a program with options `Options` (default constructible). False when the name is taken.
template <class O, class Options = typename O::Options> bool register_optimizer(const char* name = O::class_name) {
    return register_optimizer_factory(name, &detail::make_optimizer_of<O, Options>);
}

using SchedulerFactory = std::unique_ptr<SchedulerBase> (*)(Optimizer&, const Args&, const Kwargs&);
/// Makes a schedule by its class name; `args` and `kwargs` are Python's after the optimizer.
std::unique_ptr<SchedulerBase> make_scheduler(std::string_view name, Optimizer& optimizer, const Args& args = {},
                                              const Kwargs& kwargs = {});
bool has_scheduler(std::string_view name);
std::vector<std::string> scheduler_names(); ///< sorted
bool register_scheduler_factory(const char* name, SchedulerFactory factory);

namespace detail {
template <class S, class Options>
std::unique_ptr<SchedulerBase> make_scheduler_of(Optimizer& optimizer, const Args& args, const Kwargs& kwargs) {
    Options options;
    options.bind(S::class_name, args, kwargs);
    return std::make_unique<S>(optimizer, std::move(options));
}
} // namespace detail
/// Registers schedule `S` of a program, constructible from (Optimizer&, Options). False when the name is taken.
template <class S, class Options> bool register_scheduler(const char* name) {
    return register_scheduler_factory(name, &detail::make_scheduler_of<S, Options>);
}

} // namespace reel::optim
