// Parsing and printing of devices.
#include <reel/autograd/device.hpp>

#include <charconv>
#include <ostream>

#include <reel/autograd/error.hpp>

namespace reel {

const char* device_type_name(DeviceType t) {
    constexpr const char* names[] = {"cpu", "cuda", "meta"};
    return names[int(t)];
}

Device::Device(std::string_view text) : type_(kCPU), index_(-1) {
    const std::size_t colon = text.find(':');
    const std::string_view kind = text.substr(0, colon);
    bool ok = true;
    if (kind == "cpu") type_ = kCPU;
    else if (kind == "cuda") type_ = kCUDA;
    else if (kind == "meta") type_ = kMeta;
    else ok = false;
    if (colon != std::string_view::npos) {
        const std::string_view digits = text.substr(colon + 1);
        int value = -1;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        ok = ok && error == std::errc() && end == digits.data() + digits.size() && value >= 0 && value < 128;
        index_ = DeviceIndex(value);
    }
    REEL_CHECK(ok, "Device: cannot read '", text,
               "'; expected cpu, cuda or meta, optionally with an index as in cuda:1");
}

std::string Device::str() const {
    std::string s = device_type_name(type_);
    return has_index() ? s + ":" + std::to_string(int(index_)) : s;
}
std::ostream& operator<<(std::ostream& os, DeviceType t) { return os << device_type_name(t); }
std::ostream& operator<<(std::ostream& os, const Device& d) { return os << d.str(); }

} // namespace reel
