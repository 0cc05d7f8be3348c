// Collectives of a group by one communicator of NCCL's, on a stream of its own.
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

#include <reel/autograd/error.hpp>
#include <reel/cuda.hpp>
#include <reel/distributed/detail/device_carrier.hpp>

#include "element.hpp"
#include "functions.hpp"

namespace reel::nccl {

namespace {
using namespace distributed::detail;
using Kind = DeviceCall::Kind;

/// Waits a little, longer the longer it lasts.
class Patience {
public:
    void wait() {
        if (++turns_ < 100) std::this_thread::yield();
        else std::this_thread::sleep_for(std::chrono::microseconds(turns_ < 1000 ? 20 : 200));
    }

private:
    int turns_ = 0;
};

class Carrier final : public DeviceCarrier {
public:
    Carrier(Device device, std::int64_t member, std::int64_t size)
        : nccl_(functions()), device_(device), member_(int(member)), size_(int(size)) {}
    ~Carrier() override {
        if (!comm_) return;
        // this rank's calls have ended; what it still sends others is sent first
        nccl_.ncclCommDestroy(comm_);
    }

    bool reduces(ScalarType dtype, distributed::ReduceOp op) const override {
        return Element::of(dtype).reduction(op).has_value();
    }

    std::shared_ptr<void> mark() override {
        REEL_CHECK(!cuda::is_current_stream_capturing(),
                   "a collective cannot be captured into a graph, for it waits for the other ranks; capture what is "
                   "before and after it");
        auto event = std::make_shared<cuda::Event>();
        event->record(cuda::current_stream(device_.index()));
        return event;
    }

    bool connected() const override { return comm_ != nullptr; }

    std::string introduction() override {
        UniqueId id;
        require("ncclGetUniqueId", nccl_.ncclGetUniqueId(&id));
        return {id.bytes, sizeof id.bytes};
    }

    void connect(const std::string& introduction, const Check& check) override {
        UniqueId id;
        REEL_CHECK(introduction.size() == sizeof id.bytes, "nccl: the first rank's unique id has ", introduction.size(),
                   " bytes; expected ", sizeof id.bytes);
        std::memcpy(id.bytes, introduction.data(), sizeof id.bytes);
        if (!stream_) stream_ = cuda::get_stream_from_pool(true, device_.index());
        const cuda::StreamGuard here(*stream_);
        Config config{sizeof(Config), 0xcafebeef, 21400, 0};
        const Status status = settled(nccl_.ncclCommInitRankConfig(&comm_, size_, id, member_, &config), check);
        if (status == Status::kInvalidUsage) {
            const std::string what = text(status);
            give_up();
            REEL_THROW(Error, "ncclCommInitRankConfig: ", what,
                       "; each rank needs a device of its own, and this one has ", device_);
        }
        require("ncclCommInitRankConfig", status);
    }

    void run(const DeviceCall& call, const Check& check) override {
        const cuda::StreamGuard here(*stream_);
        stream_->wait(*std::static_pointer_cast<cuda::Event>(call.begun));
        begin(call, check);
        call.end();
        cuda::Event done;
        done.record(*stream_);
        Patience patience;
        while (!done.query()) {
            Status status = Status::kSuccess;
            require("ncclCommGetAsyncError", nccl_.ncclCommGetAsyncError(comm_, &status));
            if (status != Status::kInProgress) require("a collective under way", status);
            or_give_up(check);
            patience.wait();
        }
    }

    void give_up() noexcept override {
        if (comm_) nccl_.ncclCommAbort(comm_);
        comm_ = nullptr;
    }

private:
    void begin(const DeviceCall& call, const Check& check) {
        if (call.kind == Kind::kExchange) return exchange(call, check);
        if (call.in.numel() == 0 && call.out.numel() == 0) return;
        const void* const in = call.in.data_ptr();
        void* const out = call.out.data_ptr();
        const Element element = Element::of(call.in.scalar_type());
        const std::size_t moved = call.in.nbytes(), each = element.count(call.in.numel());
        const Reduction op = element.reduction(call.op).value_or(Reduction::kSum);
        const int root = int(call.root);
        const Stream stream = stream_->stream();
        switch (call.kind) {
        case Kind::kAllReduce:
            return settle("ncclAllReduce", nccl_.ncclAllReduce(in, out, each, element.type, op, comm_, stream), check);
        case Kind::kReduce:
            return settle("ncclReduce", nccl_.ncclReduce(in, out, each, element.type, op, root, comm_, stream), check);
        case Kind::kBroadcast:
            return settle("ncclBroadcast", nccl_.ncclBroadcast(in, out, moved, Type::kInt8, root, comm_, stream),
                          check);
        case Kind::kAllGather:
            return settle("ncclAllGather", nccl_.ncclAllGather(in, out, moved, Type::kInt8, comm_, stream), check);
        case Kind::kReduceScatter:
            return settle("ncclReduceScatter",
                          nccl_.ncclReduceScatter(in, out, each / std::size_t(size_), element.type, op, comm_, stream),
                          check);
        case Kind::kExchange:
            break;
        }
    }

    void exchange(const DeviceCall& call, const Check& check) {
        if (call.sends.empty() && call.receives.empty()) return;
        require("ncclGroupStart", nccl_.ncclGroupStart());
        Status first = Status::kSuccess;
        const auto note = [&](Status s) {
            if (first == Status::kSuccess && s != Status::kInProgress) first = s;
        };
        for (const DevicePart& p : call.sends)
            note(nccl_.ncclSend(p.tensor.data_ptr(), p.tensor.nbytes(), Type::kInt8, int(p.member), comm_,
                                stream_->stream()));
        for (const DevicePart& p : call.receives)
            note(nccl_.ncclRecv(p.tensor.data_ptr(), p.tensor.nbytes(), Type::kInt8, int(p.member), comm_,
                                stream_->stream()));
        const Status ended = nccl_.ncclGroupEnd();
        require("ncclSend or ncclRecv", first);
        settle("ncclGroupEnd", ended, check);
    }

    /// Functions of a communicator that does not block come back before they are done: what came of one.
    Status settled(Status status, const Check& check) {
        for (Patience patience; status == Status::kInProgress; patience.wait()) {
            or_give_up(check);
            require("ncclCommGetAsyncError", nccl_.ncclCommGetAsyncError(comm_, &status));
        }
        return status;
    }
    void settle(const char* function, Status status, const Check& check) { require(function, settled(status, check)); }
    void require(const char* function, Status status) {
        if (status == Status::kSuccess) return;
        const std::string what = str(function, " on ", device_, ": ", text(status));
        give_up();
        REEL_THROW(Error, what);
    }
    std::string text(Status status) const {
        const char* const last = nccl_.ncclGetLastError(comm_);
        const bool more = last && *last;
        return str(nccl_.ncclGetErrorString(status), more ? " (" : "", more ? last : "", more ? ")" : "");
    }
    void or_give_up(const Check& check) {
        try {
            check();
        } catch (...) {
            give_up();
            throw;
        }
    }
    using Stream = CUstream_st*;
    const Functions& nccl_;
    Device device_;
    int member_, size_;
    std::optional<cuda::Stream> stream_;
    Communicator* comm_ = nullptr;
};

const bool registered = (register_devices(distributed::Backend::kNCCL,
                                          [](Device device, std::int64_t member, std::int64_t size) {
                                              return std::make_unique<Carrier>(device, member, size);
                                          }),
                         true);
} // namespace

} // namespace reel::nccl
