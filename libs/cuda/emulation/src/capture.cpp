#include "capture.hpp"

#include <algorithm>
#include <map>

#include "runtime.hpp"

namespace reel::cuda::emulation {

std::size_t Capture::number_of(Stream& s) {
    const auto found = std::find(streams.begin(), streams.end(), &s);
    if (found != streams.end()) return std::size_t(found - streams.begin());
    streams.push_back(&s);
    counts.push_back(0);
    for (auto& row : seen) row.resize(streams.size());
    seen.emplace_back(streams.size());
    s.capture = shared_from_this();
    return streams.size() - 1;
}
void Capture::add(Stream& s, std::function<void()> run) {
    const std::size_t i = number_of(s);
    steps.push_back({i, std::move(run), -1});
    seen_at_.emplace_back();
    seen[i][i] = ++counts[i];
}
void Capture::mark(Stream& s, Mark& m) {
    add(s, nullptr);
    seen_at_.back() = seen[number_of(s)];
    m.capture = shared_from_this();
    m.place = steps.size() - 1;
}
void Capture::wait(Stream& s, const Mark& m) {
    const std::size_t i = number_of(s);
    const auto& before = seen_at_[m.place];
    for (std::size_t k = 0; k < before.size(); ++k) seen[i][k] = std::max(seen[i][k], before[k]);
    steps.push_back({i, nullptr, std::ptrdiff_t(m.place)});
    seen_at_.emplace_back();
}
bool Capture::is_joined() const { return std::equal(counts.begin(), counts.end(), seen[0].begin()); }

GraphWork::GraphWork(const Capture& c) : steps(c.steps) {
    for (const Stream* s : c.streams) streams.push_back(make_stream(s->device, false));
}
void GraphWork::launch(Stream& on) {
    Event begin, end;
    enqueue_record(on, begin);
    for (Stream* s : streams) enqueue_wait(*s, begin);
    std::map<std::size_t, Event> marks;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const Step& step = steps[i];
        Stream& s = *streams[step.stream];
        if (step.run) enqueue(s, step.run);
        else if (step.waits_for >= 0) enqueue_wait(s, marks[std::size_t(step.waits_for)]);
        else enqueue_record(s, marks[i]);
    }
    enqueue_record(*streams[0], end);
    enqueue_wait(on, end);
}

namespace {

/// Handles of the toolkit's are addresses of these.
std::map<cudaGraph_t, std::shared_ptr<const Capture>>& graphs() {
    static auto& all = *new std::map<cudaGraph_t, std::shared_ptr<const Capture>>();
    return all;
}
std::map<cudaGraphExec_t, std::shared_ptr<GraphWork>>& works() {
    static auto& all = *new std::map<cudaGraphExec_t, std::shared_ptr<GraphWork>>();
    return all;
}

} // namespace

} // namespace reel::cuda::emulation

using namespace reel::cuda::emulation;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    if (this_call_fails()) return answer(cudaErrorMemoryAllocation);
    const std::lock_guard guard(runtime_lock());
    Stream* const s = stream_of(stream);
    if (!s) return answer(cudaErrorInvalidResourceHandle);
    if (s->legacy) return answer(cudaErrorStreamCaptureUnsupported);
    if (s->capture) return answer(cudaErrorIllegalState);
    std::make_shared<Capture>()->number_of(*s);
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    const std::lock_guard guard(runtime_lock());
    *graph = nullptr;
    Stream* const s = stream_of(stream);
    if (!s) return answer(cudaErrorInvalidResourceHandle);
    if (!s->capture) return answer(cudaErrorIllegalState);
    const std::shared_ptr<Capture> c = s->capture;
    c->ended = true;
    for (Stream* member : c->streams) member->capture = nullptr;
    if (this_call_fails()) return answer(cudaErrorStreamCaptureInvalidated);
    if (c->broken) return answer(cudaErrorStreamCaptureInvalidated);
    if (c->streams[0] != s) return answer(cudaErrorStreamCaptureUnmatched);
    if (!c->is_joined()) return answer(cudaErrorStreamCaptureUnjoined);
    *graph = reinterpret_cast<cudaGraph_t>(c.get());
    graphs()[*graph] = c;
    return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    const std::lock_guard guard(runtime_lock());
    const Stream* const s = stream_of(stream);
    if (!s) return answer(cudaErrorInvalidResourceHandle);
    *status = !s->capture          ? cudaStreamCaptureStatusNone
              : s->capture->broken ? cudaStreamCaptureStatusInvalidated
                                   : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
    if (this_call_fails()) return answer(cudaErrorMemoryAllocation);
    const std::lock_guard guard(runtime_lock());
    const auto found = graphs().find(graph);
    if (found == graphs().end()) return answer(cudaErrorInvalidValue);
    const auto work = std::make_shared<GraphWork>(*found->second);
    *exec = reinterpret_cast<cudaGraphExec_t>(work.get());
    works()[*exec] = work;
    return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    if (this_call_fails()) return answer(cudaErrorLaunchFailure);
    const std::lock_guard guard(runtime_lock());
    const auto found = works().find(exec);
    Stream* const s = stream_of(stream);
    if (found == works().end() || !s) return answer(cudaErrorInvalidResourceHandle);
    if (s->capture) return answer(cudaErrorStreamCaptureUnsupported); // graphs in graphs: nobody here needs them
    found->second->launch(*s);
    return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    const std::lock_guard guard(runtime_lock());
    return answer(graphs().erase(graph) == 1 ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    const std::lock_guard guard(runtime_lock());
    return answer(works().erase(exec) == 1 ? cudaSuccess : cudaErrorInvalidValue);
}

} // extern "C"
