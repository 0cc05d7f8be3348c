// Where a tensor lives: device kind and index.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace reel {

enum class DeviceType : std::int8_t { CPU, CUDA, Meta };
/// How many kinds of devices there are.
inline constexpr int device_types = 3;
using DeviceIndex = std::int8_t;

inline constexpr DeviceType kCPU = DeviceType::CPU;
inline constexpr DeviceType kCUDA = DeviceType::CUDA;
/// Shapes without storage.
inline constexpr DeviceType kMeta = DeviceType::Meta;

/// A device kind with an index; index -1 means the current device of that kind.
class Device {
public:
    using Type = DeviceType;
    constexpr Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
    /// Parses `"cpu"`, `"cuda"`, `"cuda:1"`, `"meta"`. Throws Error naming the text and the accepted forms.
    Device(std::string_view text);
    Device(const char* text) : Device(std::string_view(text)) {}
    Device(const std::string& text) : Device(std::string_view(text)) {}

    constexpr DeviceType type() const { return type_; }
    constexpr DeviceIndex index() const { return index_; }
    void set_index(DeviceIndex i) { index_ = i; }
    constexpr bool has_index() const { return index_ >= 0; }
    constexpr bool is_cpu() const { return type_ == kCPU; }
    constexpr bool is_cuda() const { return type_ == kCUDA; }
    constexpr bool is_meta() const { return type_ == kMeta; }
    std::string str() const;
    friend constexpr bool operator==(const Device& a, const Device& b) = default;

private:
    DeviceType type_;
    DeviceIndex index_;
};
std::ostream& operator<<(std::ostream& os, DeviceType t);
std::ostream& operator<<(std::ostream& os, const Device& d);
/// Python's name of the kind: `cpu`.
const char* device_type_name(DeviceType t);

} // namespace reel

template <> struct std::hash<reel::Device> {
    std::size_t operator()(const reel::Device& d) const noexcept {
        return std::size_t(d.type()) << 8 ^ std::size_t(std::uint8_t(d.index()));
    }
};
