// Graphs and their capture.
#include <reel/cuda/graph.hpp>

#include <exception>
#include <utility>

#include <reel/autograd/error.hpp>
#include <reel/cuda/device.hpp>

#include "capturing.hpp"
#include "check.hpp"
#include "memory.hpp"

namespace reel::cuda {

struct Graph::Impl {
    std::shared_ptr<Allocator> memory; ///< a cache of its own: addresses stay
    DeviceIndex device = 0;
    cudaGraphExec_t work = nullptr;
    std::optional<Stream> stream;         ///< of the capture under way
    std::unique_ptr<StreamGuard> current; ///< while it is
    ~Impl() {
        if (work) cudaGraphExecDestroy(work);
    }
};

namespace {

/// The capture of this thread.
struct Capturing {
    std::shared_ptr<Allocator> memory;
    DeviceIndex device = -1;
};
thread_local Capturing capturing;

} // namespace

const std::shared_ptr<Allocator>& capture_memory(DeviceIndex index) {
    static const std::shared_ptr<Allocator> none;
    return capturing.memory && capturing.device == index ? capturing.memory : none;
}
void refuse_to_wait(const char* what) {
    REEL_CHECK(
        !capturing.memory, "cuda::Graph: ", what,
        " waits for the device, which a capture cannot; keep results on the device and read them after replay()");
}
bool is_current_stream_capturing() { return bool(capturing.memory); }

Graph::Graph() : impl_(std::make_unique<Impl>()) {}
Graph::~Graph() = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;
Graph::operator bool() const { return impl_ && impl_->work; }

void Graph::capture_begin(std::optional<Stream> stream) {
    if (!impl_) impl_ = std::make_unique<Impl>();
    REEL_CHECK(!capturing.memory, "cuda::Graph: capture_begin: a capture is under way on this thread; end it first");
    REEL_CHECK(!impl_->work, "cuda::Graph: capture_begin: the graph holds work; call reset() first");
    const Stream s = stream ? *stream : Stream();
    impl_->device = s.device_index();
    const DeviceGuard guard(impl_->device);
    if (!impl_->memory) impl_->memory = private_memory(impl_->device);
    auto current = std::make_unique<StreamGuard>(s);
    // whatever other threads do is none of the capture's business
    REEL_CUDA(cudaStreamBeginCapture(s.stream(), cudaStreamCaptureModeRelaxed));
    impl_->stream = s;
    impl_->current = std::move(current);
    capturing = {impl_->memory, impl_->device};
}
void Graph::capture_end() {
    REEL_CHECK(impl_ && impl_->stream, "cuda::Graph: capture_end: there is no capture to end");
    capturing = {};
    impl_->current.reset();
    const Stream s = *std::exchange(impl_->stream, std::nullopt);
    const DeviceGuard guard(impl_->device);
    cudaGraph_t graph = nullptr;
    REEL_CUDA(cudaStreamEndCapture(s.stream(), &graph));
    const cudaError_t status = cudaGraphInstantiate(&impl_->work, graph, 0);
    cudaGraphDestroy(graph);
    check(status, "cudaGraphInstantiate");
}
void Graph::abandon() noexcept {
    capturing = {};
    impl_->current.reset();
    if (!impl_->stream) return;
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(std::exchange(impl_->stream, std::nullopt)->stream(), &graph);
    if (graph) cudaGraphDestroy(graph);
    cudaGetLastError(); // the exception under way says what happened
}
void Graph::replay() const {
    REEL_CHECK(*this, "cuda::Graph: replay: nothing was captured; use a CaptureGuard first");
    const DeviceGuard guard(impl_->device);
    REEL_CUDA(cudaGraphLaunch(impl_->work, raw_stream(impl_->device)));
}
void Graph::reset() {
    REEL_CHECK(!impl_ || !impl_->stream, "cuda::Graph: reset: the capture is under way; end it first");
    impl_ = std::make_unique<Impl>();
}

CaptureGuard::CaptureGuard(Graph& graph, std::optional<Stream> stream)
    : graph_(graph), exceptions_before_(std::uncaught_exceptions()) {
    graph_.capture_begin(std::move(stream));
}
CaptureGuard::~CaptureGuard() noexcept(false) {
    if (std::uncaught_exceptions() > exceptions_before_) graph_.abandon();
    else graph_.capture_end();
}

} // namespace reel::cuda
