// Stands in for NCCL: ranks are threads of the process, each with a device of its own and a communicator that does not
// block. Calls are matched as the ranks make them; what goes from device to device waits for both sides' streams.
#if __has_include(<nccl.h>)

#include <nccl.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "fault.hpp"
#include "memory.hpp"
#include "nccl_elements.hpp"
#include "runtime.hpp"

using namespace reel::cuda::emulation;

namespace {

enum class Kind { all_reduce, reduce, broadcast, all_gather, reduce_scatter, send, receive };
constexpr const char* names[] = {"ncclAllReduce",     "ncclReduce", "ncclBroadcast", "ncclAllGather",
                                 "ncclReduceScatter", "ncclSend",   "ncclRecv"};

/// What a rank said of a call; all ranks have to say the same of a collective.
struct Words {
    Kind kind;
    std::size_t count;
    ncclDataType_t type;
    ncclRedOp_t op = ncclSum;
    int root = 0; ///< or the peer
    bool operator==(const Words&) const = default;
    std::string text() const {
        std::ostringstream s;
        s << names[int(kind)] << " of " << count << " elements of type " << type << ", reduction " << op << ", root "
          << root;
        return s.str();
    }
};

/// One rank's side of a call.
struct Side {
    Words words{};
    ncclComm* comm = nullptr;
    const void* from = nullptr;
    void* to = nullptr;
    Stream* stream = nullptr;
    std::shared_ptr<Bytes> sent = std::make_shared<Bytes>(); ///< what lay there when the stream came to it
    Event begun;
};

struct Clique {
    int size = 0;
    std::vector<ncclComm*> members;
    std::map<std::uint64_t, std::vector<std::shared_ptr<Side>>> collectives; ///< by number: the sides there are
    std::map<std::pair<int, int>, std::deque<std::shared_ptr<Side>>> sends, receives; ///< by sender and receiver
};

} // namespace

struct ncclComm {
    std::shared_ptr<Clique> clique;
    int rank = 0, device = 0;
    std::uint64_t calls = 0;
    int waiting = 0; ///< for the other side of so many calls
    ncclResult_t broken = ncclSuccess;
    ncclResult_t state() const { return broken != ncclSuccess ? broken : waiting > 0 ? ncclInProgress : ncclSuccess; }
};

namespace {

std::map<std::string, std::shared_ptr<Clique>>& cliques() {
    static auto& all = *new std::map<std::string, std::shared_ptr<Clique>>();
    return all;
}
std::vector<ncclComm*>& live() {
    static auto& all = *new std::vector<ncclComm*>();
    return all;
}
bool is_live(ncclComm* c) { return std::find(live().begin(), live().end(), c) != live().end(); }

thread_local int group_depth = 0;
thread_local std::vector<std::shared_ptr<Side>> group;
thread_local std::string last_error;
ncclResult_t refuse(ncclResult_t status, const std::string& why) {
    last_error = why;
    group.clear(); // nothing of it happens
    return status;
}

bool is_held(const void* p, std::size_t bytes, int device) {
    if (!is_device_address(p)) return false;
    const Allocation* const a = allocation_at(p);
    const auto* const b = static_cast<const std::byte*>(p);
    return a && a->life != Life::freed && a->device == device && b >= a->begin && b + bytes <= a->begin + a->bytes;
}

/// What the call leaves on one of its ranks.
Bytes result(const Side& mine, const std::vector<std::shared_ptr<Bytes>>& sent) {
    const std::size_t bytes = mine.words.count * size_of(mine.words.type);
    const auto rank = std::size_t(mine.comm->rank);
    std::vector<Bytes> parts;
    for (const auto& s : sent)
        if (mine.words.kind == Kind::reduce_scatter)
            parts.emplace_back(s->begin() + std::ptrdiff_t(rank * bytes),
                               s->begin() + std::ptrdiff_t((rank + 1) * bytes));
        else parts.push_back(*s);
    switch (mine.words.kind) {
    case Kind::broadcast:
        return parts[std::size_t(mine.words.root)];
    case Kind::all_gather: {
        Bytes all;
        for (const Bytes& p : parts) all.insert(all.end(), p.begin(), p.end());
        return all;
    }
    default:
        return reduced(parts, mine.words.type, mine.words.op);
    }
}

// --- How sides meet

/// How many elements a side reads and writes.
std::size_t reads(const Words& w, int size) {
    return w.kind == Kind::receive ? 0 : w.kind == Kind::reduce_scatter ? w.count * std::size_t(size) : w.count;
}
std::size_t writes(const Words& w, int size, int rank) {
    if (w.kind == Kind::send || (w.kind == Kind::reduce && w.root != rank)) return 0;
    return w.kind == Kind::all_gather ? w.count * std::size_t(size) : w.count;
}

/// The side's stream reads what is sent, and says so.
void begin(const std::shared_ptr<Side>& side) {
    const std::size_t bytes = reads(side->words, side->comm->clique->size) * size_of(side->words.type);
    enqueue(*side->stream, [sent = side->sent, from = side->from, bytes, device = side->comm->device] {
        const DeviceWork work(device, "a collective");
        const auto* const b = static_cast<const std::byte*>(from);
        sent->assign(b, b + bytes);
    });
    enqueue_record(*side->stream, side->begun);
}
/// Its stream waits for the others, and writes.
void finish(const Side& side, const std::vector<std::shared_ptr<Side>>& all, std::function<Bytes()> make) {
    for (const auto& other : all) enqueue_wait(*side.stream, other->begun);
    enqueue(*side.stream, [to = side.to, make = std::move(make), device = side.comm->device] {
        const Bytes bytes = make();
        const DeviceWork work(device, "a collective");
        if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    });
}

void meet_all(const std::shared_ptr<Side>& side) {
    Clique& clique = *side->comm->clique;
    const std::uint64_t number = side->comm->calls++;
    auto& sides = clique.collectives[number];
    if (!sides.empty() && !(sides.front()->words == side->words))
        fault("ranks make call " + std::to_string(number) +
              " of a communicator in two ways: " + sides.front()->words.text() + "; " + side->words.text());
    sides.push_back(side);
    if (int(sides.size()) < clique.size) return;
    std::sort(sides.begin(), sides.end(), [](const auto& a, const auto& b) { return a->comm->rank < b->comm->rank; });
    std::vector<std::shared_ptr<Bytes>> sent;
    for (const auto& s : sides) sent.push_back(s->sent);
    for (const auto& s : sides) {
        if (writes(s->words, clique.size, s->comm->rank) > 0)
            finish(*s, sides, [mine = *s, sent] { return result(mine, sent); });
        --s->comm->waiting;
    }
    clique.collectives.erase(number);
}
void meet_one(const std::shared_ptr<Side>& side) {
    Clique& clique = *side->comm->clique;
    const bool sends = side->words.kind == Kind::send;
    const int me = side->comm->rank, peer = side->words.root;
    const auto key = sends ? std::pair(me, peer) : std::pair(peer, me);
    (sends ? clique.sends : clique.receives)[key].push_back(side);
    auto &sent = clique.sends[key], &received = clique.receives[key];
    if (sent.empty() || received.empty()) return;
    const auto from = sent.front(), to = received.front();
    sent.pop_front();
    received.pop_front();
    if (from->words.count * size_of(from->words.type) != to->words.count * size_of(to->words.type))
        fault("what is sent is not what is received: " + from->words.text() + "; " + to->words.text());
    finish(*to, {from}, [bytes = from->sent] { return *bytes; });
    --from->comm->waiting;
    --to->comm->waiting;
}

/// What has been gathered since ncclGroupStart, or one call.
ncclResult_t submit() {
    const auto sides = std::move(group);
    group.clear();
    bool waits = false;
    for (const auto& s : sides) {
        ++s->comm->waiting;
        begin(s);
    }
    for (const auto& s : sides) (s->words.kind < Kind::send ? meet_all : meet_one)(s);
    for (const auto& s : sides) waits = waits || s->comm->waiting > 0;
    return waits ? ncclInProgress : ncclSuccess;
}

std::string wrong_words(const Words& w, const ncclComm& comm) {
    if (size_of(w.type) == 0) return "a type that there is not";
    if (w.op < ncclSum || w.op > ncclAvg) return "a reduction that there is not";
    if (w.op == ncclAvg && w.type < ncclFloat16) return "an average of integers, which rounds";
    if (w.root < 0 || w.root >= comm.clique->size) return "a root or peer that is no rank";
    return {};
}

ncclResult_t call(const Words& w, const void* from, void* to, ncclComm_t comm, cudaStream_t stream) {
    if (this_call_fails()) return refuse(ncclUnhandledCudaError, "a call that was to fail");
    const std::lock_guard guard(runtime_lock());
    if (!is_live(comm)) return refuse(ncclInvalidArgument, "a communicator that is none (any more)");
    if (comm->broken != ncclSuccess) return comm->broken;
    if (comm->waiting > 0)
        return refuse(ncclInvalidUsage, "the communicator is busy: ask ncclCommGetAsyncError until it is not");
    if (const std::string wrong = wrong_words(w, *comm); !wrong.empty()) return refuse(ncclInvalidArgument, wrong);
    if (current_device() != comm->device)
        return refuse(ncclInvalidUsage, "the current device is not the communicator's");
    Stream* const s = stream_of(stream);
    if (!s || s->device != comm->device) return refuse(ncclInvalidArgument, "a stream of another device");
    if (s->capture) return refuse(ncclInvalidUsage, "the stand-in captures no collectives");
    const std::size_t in = reads(w, comm->clique->size) * size_of(w.type),
                      out = writes(w, comm->clique->size, comm->rank) * size_of(w.type);
    if (in > 0 && !is_held(from, in, comm->device)) return refuse(ncclInvalidArgument, "sends memory it does not hold");
    if (out > 0 && !is_held(to, out, comm->device))
        return refuse(ncclInvalidArgument, "writes memory it does not hold");
    const auto *const f = static_cast<const std::byte*>(from), *const t = static_cast<const std::byte*>(to);
    const std::size_t own = std::size_t(comm->rank) * w.count * size_of(w.type);
    const bool in_place = w.kind == Kind::all_gather       ? f == t + own
                          : w.kind == Kind::reduce_scatter ? t == f + own
                                                           : f == t;
    if (in > 0 && out > 0 && !in_place && f < t + out && t < f + in)
        return refuse(ncclInvalidUsage, "what is sent and what is written overlap");
    if (w.kind < Kind::send && w.count == 0) return ncclSuccess;
    auto side = std::make_shared<Side>();
    side->words = w;
    side->comm = comm;
    side->from = from;
    side->to = to;
    side->stream = s;
    group.push_back(std::move(side));
    return group_depth > 0 ? ncclSuccess : submit();
}

} // namespace

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}
const char* ncclGetErrorString(ncclResult_t status) {
    switch (status) {
    case ncclSuccess:
        return "no error";
    case ncclUnhandledCudaError:
        return "unhandled cuda error";
    case ncclInvalidArgument:
        return "invalid argument";
    case ncclInvalidUsage:
        return "invalid usage";
    case ncclInProgress:
        return "in progress";
    default:
        return "internal error";
    }
}
const char* ncclGetLastError(ncclComm_t) { return last_error.c_str(); }

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
    if (this_call_fails()) return refuse(ncclSystemError, "a call that was to fail");
    const std::lock_guard guard(runtime_lock());
    static int last = 0;
    std::memset(id, 0, sizeof *id);
    std::snprintf(id->internal, sizeof id->internal, "clique %d", ++last);
    cliques()[id->internal] = std::make_shared<Clique>();
    return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int size, ncclUniqueId id, int rank, ncclConfig_t* config) {
    if (this_call_fails()) return refuse(ncclUnhandledCudaError, "a call that was to fail");
    const std::lock_guard guard(runtime_lock());
    if (!config || config->magic != 0xcafebeef || config->version < 21400)
        return refuse(ncclInvalidArgument, "a configuration that is none");
    if (config->blocking != 0)
        return refuse(ncclInvalidUsage, "a communicator that blocks cannot be given up when others do not come");
    const auto found = cliques().find(std::string(id.internal, strnlen(id.internal, sizeof id.internal)));
    if (found == cliques().end()) return refuse(ncclInvalidArgument, "a unique id that nobody made");
    const std::shared_ptr<Clique> clique = found->second;
    if (clique->size == 0) clique->size = size;
    if (size < 1 || clique->size != size || rank < 0 || rank >= size)
        return refuse(ncclInvalidArgument, "a rank or size that does not fit");
    for (const ncclComm* other : clique->members) {
        if (other->rank == rank) return refuse(ncclInvalidArgument, "a rank that is there already");
        if (other->device == current_device())
            return refuse(ncclInvalidUsage,
                          "Duplicate GPU detected: two ranks have device " + std::to_string(current_device()));
    }
    auto* const made = new ncclComm{clique, rank, current_device()};
    made->waiting = 1;
    live().push_back(made);
    clique->members.push_back(made);
    if (int(clique->members.size()) == size)
        for (ncclComm* member : clique->members) member->waiting = 0;
    *comm = made;
    return made->state();
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* status) {
    const std::lock_guard guard(runtime_lock());
    if (!is_live(comm)) return refuse(ncclInvalidArgument, "a communicator that is none (any more)");
    *status = comm->state();
    return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t comm) {
    const std::lock_guard guard(runtime_lock());
    if (!is_live(comm)) return refuse(ncclInvalidArgument, "a communicator that is none (any more)");
    std::erase(live(), comm);
    // its sides stay where they are: the others go on waiting, and what has begun ends
    return ncclSuccess;
}
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
    const std::lock_guard guard(runtime_lock());
    if (!is_live(comm)) return refuse(ncclInvalidArgument, "a communicator that is none (any more)");
    if (comm->state() == ncclInProgress) return refuse(ncclInvalidUsage, "the communicator is busy");
    std::erase(live(), comm);
    return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
    ++group_depth;
    return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
    if (group_depth == 0) return refuse(ncclInvalidUsage, "ncclGroupEnd without ncclGroupStart");
    if (--group_depth > 0) return ncclSuccess;
    const std::lock_guard guard(runtime_lock());
    return submit();
}

ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t n, ncclDataType_t type, ncclRedOp_t op,
                           ncclComm_t comm, cudaStream_t stream) {
    return call({Kind::all_reduce, n, type, op}, from, to, comm, stream);
}
ncclResult_t ncclReduce(const void* from, void* to, std::size_t n, ncclDataType_t type, ncclRedOp_t op, int root,
                        ncclComm_t comm, cudaStream_t stream) {
    return call({Kind::reduce, n, type, op, root}, from, to, comm, stream);
}
ncclResult_t ncclBroadcast(const void* from, void* to, std::size_t n, ncclDataType_t type, int root, ncclComm_t comm,
                           cudaStream_t stream) {
    return call({Kind::broadcast, n, type, ncclSum, root}, from, to, comm, stream);
}
ncclResult_t ncclAllGather(const void* from, void* to, std::size_t n, ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream) {
    return call({Kind::all_gather, n, type}, from, to, comm, stream);
}
ncclResult_t ncclReduceScatter(const void* from, void* to, std::size_t n, ncclDataType_t type, ncclRedOp_t op,
                               ncclComm_t comm, cudaStream_t stream) {
    return call({Kind::reduce_scatter, n, type, op}, from, to, comm, stream);
}
ncclResult_t ncclSend(const void* from, std::size_t n, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
    return call({Kind::send, n, type, ncclSum, peer}, from, nullptr, comm, stream);
}
ncclResult_t ncclRecv(void* to, std::size_t n, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream) {
    return call({Kind::receive, n, type, ncclSum, peer}, nullptr, to, comm, stream);
}

} // extern "C"

#endif
