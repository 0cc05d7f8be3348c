#include <reel/cuda/emulation/modes.hpp>

#include <cstdlib>
#include <sstream>
#include <utility>

#include "fault.hpp"

namespace reel::cuda::emulation {

namespace {

// data sheet of the H200; shared memory a block: the guide's table for compute capability 9.0
constexpr DeviceTable h200{"Emulated H200", 9, 0, 132, 227 * 1024, 141'000'000'000, 50 << 20};
constexpr DeviceTable little{"Emulated small device", 9, 0, 2, 48 * 1024, 1'000'000'000, 1 << 20};

template <class T> using Words = std::initializer_list<std::pair<const char*, T>>;
template <class T> T word(const std::string& key, const std::string& value, Words<T> words) {
    std::string known;
    for (const auto& [name, meaning] : words) {
        if (value == name) return meaning;
        known += (known.empty() ? "" : ", ") + std::string(name);
    }
    fault("REEL_EMULATION: " + key + "=" + value + ": expected " + known);
}
std::uint64_t number(const std::string& key, const std::string& value) {
    char* end = nullptr;
    const std::uint64_t n = std::strtoull(value.c_str(), &end, 10);
    if (value.empty() || *end != 0) fault("REEL_EMULATION: " + key + "=" + value + ": expected a number");
    return n;
}

} // namespace

const DeviceTable& Modes::table() const { return small ? little : h200; }

Modes parse_modes(const std::string& text) {
    Modes m;
    std::istringstream in(text);
    for (std::string item; std::getline(in, item, ',');) {
        const auto equals = item.find('=');
        const std::string key = item.substr(0, equals);
        const std::string value = equals == std::string::npos ? "" : item.substr(equals + 1);
        if (key == "order")
            m.order = word<Order>(
                key, value, {{"forward", Order::forward}, {"reverse", Order::reverse}, {"random", Order::random}});
        else if (key == "timing")
            m.timing = word<Timing>(key, value,
                                    {{"eager", Timing::eager}, {"late", Timing::late}, {"random", Timing::random}});
        else if (key == "seed") m.seed = number(key, value);
        else if (key == "devices") m.devices = int(number(key, value));
        else if (key == "device") m.small = word<bool>(key, value, {{"h200", false}, {"small", true}});
        else if (key == "driver")
            m.driver =
                word<Driver>(key, value, {{"current", Driver::current}, {"old", Driver::old}, {"none", Driver::none}});
        else fault("REEL_EMULATION: " + key + ": expected order, timing, seed, devices, device or driver");
    }
    return m;
}

Modes& modes() {
    static Modes now = [] {
        const char* const text = std::getenv("REEL_EMULATION");
        return text ? parse_modes(text) : Modes();
    }();
    return now;
}

} // namespace reel::cuda::emulation
