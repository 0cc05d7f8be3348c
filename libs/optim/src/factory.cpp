// The tables of optimizer and schedule classes by name.
#include <reel/optim/factory.hpp>

#include <map>

#include <reel/optim/lr_scheduler.hpp>

namespace reel::optim {

void register_all(); // generated

namespace {
// When the library is loaded. It stands beside the tables, which every optimizer's source needs, so that the linker of
// a static library keeps it, and comes before a program's own initialisers, which may ask for a class.
[[gnu::constructor(200)]] void register_own_classes() { register_all(); }

template <class Factory> using Table = std::map<std::string, Factory, std::less<>>;
Table<OptimizerFactory>& optimizers() {
    static Table<OptimizerFactory> all;
    return all;
}
Table<SchedulerFactory>& schedulers() {
    static Table<SchedulerFactory> all;
    return all;
}
template <class Factory> std::vector<std::string> names(const Table<Factory>& table) {
    std::vector<std::string> r;
    for (const auto& [name, factory] : table) r.push_back(name);
    return r;
}
template <class Factory> Factory find(const Table<Factory>& table, const char* what, std::string_view name) {
    if (const auto it = table.find(name); it != table.end()) return it->second;
    std::string known;
    for (const std::string& n : names(table)) known += (known.empty() ? "" : ", ") + n;
    REEL_THROW(KeyError, what, ": there is no class '", name, "' (there are ", known, ")");
}
} // namespace

std::unique_ptr<Optimizer> make_optimizer(std::string_view name, std::vector<OptimizerParamGroup> groups,
                                          const Args& args, const Kwargs& kwargs) {
    return find(optimizers(), "make_optimizer", name)(std::move(groups), args, kwargs);
}
std::unique_ptr<Optimizer> make_optimizer(std::string_view name, std::vector<Tensor> params, const Args& args,
                                          const Kwargs& kwargs) {
    std::vector<OptimizerParamGroup> groups;
    groups.emplace_back(std::move(params));
    return make_optimizer(name, std::move(groups), args, kwargs);
}
bool has_optimizer(std::string_view name) { return optimizers().contains(name); }
std::vector<std::string> optimizer_names() { return names(optimizers()); }
bool register_optimizer_factory(const char* name, OptimizerFactory factory) {
    return optimizers().emplace(name, factory).second;
}

std::unique_ptr<SchedulerBase> make_scheduler(std::string_view name, Optimizer& optimizer, const Args& args,
                                              const Kwargs& kwargs) {
    return find(schedulers(), "make_scheduler", name)(optimizer, args, kwargs);
}
bool has_scheduler(std::string_view name) { return schedulers().contains(name); }
std::vector<std::string> scheduler_names() { return names(schedulers()); }
bool register_scheduler_factory(const char* name, SchedulerFactory factory) {
    return schedulers().emplace(name, factory).second;
}

} // namespace reel::optim
