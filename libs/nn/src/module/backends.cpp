// The table of backends.
#include <reel/nn/backends.hpp>

#include <algorithm>
#include <mutex>

#include <reel/nn/module.hpp>

namespace reel::nn {

namespace {
std::mutex table_mutex;
std::vector<std::pair<std::string, BackendMover>>& table() {
    static std::vector<std::pair<std::string, BackendMover>> movers{
        {"cpu", [](Module& m) { m.cpu(); }},
        {"cuda", [](Module& m) { m.cuda(); }},
        {"meta", [](Module& m) { m.to(Device(kMeta)); }},
    };
    return movers;
}
auto find(const std::string& name) {
    return std::find_if(table().begin(), table().end(), [&](const auto& item) { return item.first == name; });
}
} // namespace

void register_backend(const std::string& name, BackendMover mover) {
    REEL_CHECK_VALUE(mover, "register_backend: '", name, "' was given no function");
    const std::lock_guard lock(table_mutex);
    if (const auto at = find(name); at != table().end()) at->second = std::move(mover);
    else table().emplace_back(name, std::move(mover));
}
std::vector<std::string> backends() {
    const std::lock_guard lock(table_mutex);
    std::vector<std::string> r;
    for (const auto& item : table()) r.push_back(item.first);
    return r;
}
void Module::to_backend(const std::string& name) {
    BackendMover mover;
    {
        const std::lock_guard lock(table_mutex);
        if (const auto at = find(name); at != table().end()) mover = at->second;
    }
    if (!mover) {
        std::string known;
        for (const std::string& b : backends()) known += (known.empty() ? "" : ", ") + b;
        REEL_THROW(Error, repr_name(), ": there is no backend '", name, "'; there are: ", known,
                   ". nn::register_backend adds one");
    }
    mover(*this);
}

} // namespace reel::nn
