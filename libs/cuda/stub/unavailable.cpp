// The library of a build without the CUDA toolkit: the same functions, no device, and the reason.
#include <reel/cuda.hpp>

#include <reel/autograd/device_hooks.hpp>
#include <reel/autograd/error.hpp>

namespace reel::cuda {

namespace {
constexpr const char* reason =
    "this build has no CUDA support; install the CUDA toolkit (CUDA_HOME or /usr/local/cuda) and build with cuda=on";
[[maybe_unused]] const bool attached = [] {
    device_hooks(kCUDA).unavailable_reason = [] { return reason; };
    return true;
}();
[[noreturn]] void absent() { REEL_THROW(Error, "cuda: no device can be used: ", reason); }
} // namespace

DeviceProperties get_device_properties(DeviceIndex) { absent(); }
DeviceIndex current_device() { absent(); }
void set_device(DeviceIndex) { absent(); }
std::string versions() { return std::string("no CUDA: ") + reason; }
DeviceGuard::DeviceGuard(DeviceIndex) : before_(0), changed_(false) { absent(); }
DeviceGuard::~DeviceGuard() = default;

MemoryStats memory_stats(DeviceIndex) { return {}; }
void reset_peak_memory_stats(DeviceIndex) {}
void empty_cache() {}
void record_stream(const Tensor&, const Stream&) { absent(); }

struct Stream::Impl {};
Stream::Stream(DeviceIndex) { absent(); }
DeviceIndex Stream::device_index() const { return 0; }
bool Stream::query() const { return true; }
void Stream::synchronize() const {}
void Stream::wait(const Event&) const {}
int Stream::priority() const { return 0; }
CUstream_st* Stream::stream() const { return nullptr; }
Stream current_stream(DeviceIndex) { absent(); }
Stream default_stream(DeviceIndex) { absent(); }
Stream get_stream_from_pool(bool, DeviceIndex) { absent(); }
void set_current_stream(const Stream&) { absent(); }
StreamGuard::StreamGuard(const Stream& stream) : before_(stream), device_before_(0) {}
StreamGuard::~StreamGuard() = default;

struct Event::Impl {};
Event::Event(bool) { absent(); }
void Event::record(const Stream&) {}
bool Event::query() const { return true; }
void Event::synchronize() const {}
float Event::elapsed_time(const Event&) const { return 0; }

struct Graph::Impl {};
Graph::Graph() = default;
Graph::~Graph() = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;
Graph::operator bool() const { return false; }
void Graph::capture_begin(std::optional<Stream>) { absent(); }
void Graph::capture_end() { absent(); }
void Graph::replay() const { absent(); }
void Graph::check_indices() const { absent(); }
void Graph::reset() {}
CaptureGuard::CaptureGuard(Graph& graph, std::optional<Stream>) : graph_(graph), exceptions_before_(0) { absent(); }
CaptureGuard::~CaptureGuard() noexcept(false) {}
bool is_current_stream_capturing() { return false; }

} // namespace reel::cuda
