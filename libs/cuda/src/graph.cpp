// Graphs and their capture.
#include <reel/cuda/graph.hpp>

#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include <reel/autograd/error.hpp>
#include <reel/cuda/device.hpp>

#include "captured_checks.hpp"
#include "capturing.hpp"
#include "check.hpp"
#include "memory.hpp"
#include "random/captured_draws.hpp"
#include "replay_work.hpp"

namespace reel::cuda {

struct Graph::Impl {
    std::shared_ptr<Allocator> memory; ///< a cache of its own: addresses stay
    DeviceIndex device = 0;
    std::shared_ptr<Allocator> before_replay; ///< for what is written then
    std::optional<CapturedDraws> draws;
    std::optional<CapturedChecks> checks;
    std::vector<std::function<void()>> work_of_host; ///< before each replay
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
    std::shared_ptr<Allocator> memory, before_replay;
    DeviceIndex device = -1;
    CapturedDraws* draws = nullptr;
    CapturedChecks* checks = nullptr;
    std::vector<std::function<void()>>* work_of_host = nullptr;
};
thread_local Capturing capturing;

} // namespace

const std::shared_ptr<Allocator>& capture_memory(DeviceIndex index) {
    static const std::shared_ptr<Allocator> none;
    return capturing.memory && capturing.device == index ? capturing.memory : none;
}
CapturedDraws* capture_draws(DeviceIndex index) { return capturing.device == index ? capturing.draws : nullptr; }
CapturedChecks* capture_checks(DeviceIndex index) { return capturing.device == index ? capturing.checks : nullptr; }
void refuse_to_wait(const char* what) {
    REEL_CHECK(
        !capturing.memory, "cuda::Graph: ", what,
        " waits for the device, which a capture cannot; keep results on the device and read them after replay()");
}
bool is_capturing(DeviceIndex index) { return bool(capture_memory(index)); }
void before_replay(DeviceIndex index, std::function<void()> work) {
    REEL_CHECK(is_capturing(index), "cuda::Graph: before_replay: there is no capture");
    capturing.work_of_host->push_back(std::move(work));
}
MemoryBeforeReplay::MemoryBeforeReplay(DeviceIndex index) {
    if (is_capturing(index)) reused_ = std::exchange(capturing.memory, capturing.before_replay);
}
MemoryBeforeReplay::~MemoryBeforeReplay() {
    if (reused_) capturing.memory = std::move(reused_);
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
    if (!impl_->before_replay) impl_->before_replay = private_memory(impl_->device);
    impl_->draws.emplace(impl_->device);
    impl_->checks.emplace();
    impl_->work_of_host.clear();
    auto current = std::make_unique<StreamGuard>(s);
    // whatever other threads do is none of the capture's business
    REEL_CUDA(cudaStreamBeginCapture(s.stream(), cudaStreamCaptureModeRelaxed));
    impl_->stream = s;
    impl_->current = std::move(current);
    capturing = {impl_->memory,  impl_->before_replay, impl_->device,
                 &*impl_->draws, &*impl_->checks,      &impl_->work_of_host};
}
void Graph::capture_end() {
    REEL_CHECK(impl_ && impl_->stream, "cuda::Graph: capture_end: there is no capture to end");
    capturing = {};
    impl_->draws->end_capture();
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
    if (impl_->draws) impl_->draws->end_capture();
    impl_->current.reset();
    if (!impl_->stream) return;
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(std::exchange(impl_->stream, std::nullopt)->stream(), &graph);
    if (graph) cudaGraphDestroy(graph);
    cudaGetLastError(); // the exception under way says what happened
}
void Graph::replay() const {
    REEL_CHECK(*this, "cuda::Graph: replay: nothing was captured; use a CaptureGuard first");
    impl_->checks->look();
    const DeviceGuard guard(impl_->device);
    for (const std::function<void()>& work : impl_->work_of_host) work();
    impl_->draws->begin_replay();
    REEL_CUDA(cudaGraphLaunch(impl_->work, raw_stream(impl_->device)));
    impl_->checks->replayed();
}
void Graph::check_indices() const {
    REEL_CHECK(*this, "cuda::Graph: check_indices: nothing was captured; use a CaptureGuard first");
    device_synchronize(impl_->device);
    impl_->checks->look();
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
