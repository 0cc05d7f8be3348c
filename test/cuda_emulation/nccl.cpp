// Faults of a program that calls NCCL, planted: the stand-in must refuse each, and take the clean twin.
#include <boost/test/unit_test.hpp>

#if __has_include(<nccl.h>)

#include <nccl.h>

#include <unistd.h>

#include <functional>
#include <memory>
#include <vector>

#include "cuda_emulation/apart.hpp"
#include "cuda_emulation/on_device.hpp"

using on_device::Array;

namespace {

/// Two ranks in one thread, which communicators that do not block allow.
struct Pair {
    ncclComm_t comms[2] = {};
    ncclResult_t joined[2] = {};
    std::unique_ptr<Array<float>> in[2], out[2];
    cudaStream_t streams[2] = {};

    explicit Pair(int second_device = 1, int blocking = 0) {
        ncclUniqueId id;
        ncclGetUniqueId(&id);
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.blocking = blocking;
        for (int r = 0; r < 2; ++r) {
            cudaSetDevice(r == 0 ? 0 : second_device);
            joined[r] = ncclCommInitRankConfig(&comms[r], 2, id, r, &config);
            in[r] = std::make_unique<Array<float>>(std::vector<float>{1.0F + float(r), 2, 3, 4});
            out[r] = std::make_unique<Array<float>>(8);
            cudaStreamCreateWithFlags(&streams[r], cudaStreamNonBlocking);
        }
        cudaSetDevice(0);
    }
    ~Pair() {
        for (int r = 0; r < 2; ++r) {
            cudaSetDevice(r);
            cudaStreamSynchronize(streams[r]);
            if (comms[r]) ncclCommAbort(comms[r]);
        }
        cudaSetDevice(0);
    }
    Pair(const Pair&) = delete;
    ncclResult_t sum(int rank, std::size_t n = 4, ncclDataType_t type = ncclFloat, ncclRedOp_t op = ncclSum) {
        cudaSetDevice(rank);
        return ncclAllReduce(in[rank]->data(), out[rank]->data(), n, type, op, comms[rank], streams[rank]);
    }
    ncclResult_t state(int rank) {
        ncclResult_t s = ncclInternalError;
        ncclCommGetAsyncError(comms[rank], &s);
        return s;
    }
    float first(int rank) {
        cudaSetDevice(rank);
        cudaStreamSynchronize(streams[rank]);
        return out[rank]->values()[0];
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(emulated_nccl)

BOOST_AUTO_TEST_CASE(a_call_is_done_when_all_ranks_have_made_it) {
    Pair p;
    BOOST_TEST(p.joined[0] == ncclInProgress);
    BOOST_TEST(p.state(0) == ncclSuccess);
    BOOST_TEST(p.sum(0) == ncclInProgress);
    BOOST_TEST(p.state(0) == ncclInProgress);
    BOOST_TEST(p.sum(0) == ncclInvalidUsage); // still busy
    BOOST_TEST(p.sum(1) == ncclSuccess);
    BOOST_TEST(p.state(0) == ncclSuccess);
    BOOST_TEST(p.first(0) == 3);
    BOOST_TEST(p.first(1) == 3);
}

BOOST_AUTO_TEST_CASE(what_is_sent_is_what_the_stream_has_made_of_it) {
    Pair p;
    cudaSetDevice(0);
    cudaMemsetAsync(p.in[0]->data(), 0, 16, p.streams[0]); // late, and before the call
    p.sum(0);
    p.sum(1);
    BOOST_TEST(p.first(1) == 2);
}

BOOST_AUTO_TEST_CASE(parts_from_each_to_each_go_in_one_group) {
    Pair p;
    for (int r = 0; r < 2; ++r) {
        cudaSetDevice(r);
        ncclGroupStart();
        for (int peer = 0; peer < 2; ++peer) {
            BOOST_TEST(ncclSend(p.in[r]->data(), 2, ncclFloat, peer, p.comms[r], p.streams[r]) == ncclSuccess);
            BOOST_TEST(ncclRecv(p.out[r]->data() + 2 * peer, 2, ncclFloat, peer, p.comms[r], p.streams[r]) ==
                       ncclSuccess);
        }
        BOOST_TEST(ncclGroupEnd() == (r == 0 ? ncclInProgress : ncclSuccess));
    }
    BOOST_TEST(p.first(0) == 1);
    BOOST_TEST(p.first(1) == 1);
    BOOST_TEST(p.out[1]->values()[2] == 2);
    BOOST_TEST(ncclGroupEnd() == ncclInvalidUsage); // of none
}

BOOST_AUTO_TEST_CASE(faults_are_refused) {
    Pair p;
    BOOST_TEST(p.sum(0, 9) == ncclInvalidArgument); // more than there is
    BOOST_TEST(p.sum(0, 4, ncclNumTypes) == ncclInvalidArgument);
    BOOST_TEST(p.sum(0, 4, ncclInt, ncclAvg) == ncclInvalidArgument);
    static float here[4];
    cudaSetDevice(0);
    float *const in = p.in[0]->data(), *const out = p.out[0]->data();
    const auto sum = [&](const void* from, void* to, ncclComm_t comm, cudaStream_t stream) {
        return ncclAllReduce(from, to, 4, ncclFloat, ncclSum, comm, stream);
    };
    BOOST_TEST(sum(here, out, p.comms[0], p.streams[0]) == ncclInvalidArgument); // the host's memory
    BOOST_TEST(sum(in, p.out[1]->data(), p.comms[0], p.streams[0]) == ncclInvalidArgument);
    BOOST_TEST(sum(in, out, p.comms[0], p.streams[1]) == ncclInvalidArgument); // the other device's stream
    BOOST_TEST(sum(out, out + 2, p.comms[0], p.streams[0]) == ncclInvalidUsage);
    BOOST_TEST(sum(in, out, p.comms[1], p.streams[0]) == ncclInvalidUsage); // the other device's communicator
    BOOST_TEST(sum(in, out, nullptr, p.streams[0]) == ncclInvalidArgument);
    BOOST_TEST(ncclBroadcast(in, out, 4, ncclFloat, 2, p.comms[0], p.streams[0]) == ncclInvalidArgument);
    const ncclComm_t gone = p.comms[0];
    BOOST_TEST(p.sum(0) == ncclInProgress);
    BOOST_TEST(ncclCommDestroy(gone) == ncclInvalidUsage); // busy
    BOOST_TEST(ncclCommAbort(gone) == ncclSuccess);
    BOOST_TEST(p.sum(0) == ncclInvalidArgument);
    BOOST_TEST(ncclCommDestroy(gone) == ncclInvalidArgument);
    p.comms[0] = nullptr;
}

BOOST_AUTO_TEST_CASE(ranks_that_call_something_else_end_the_process) {
    const auto ends = [](const std::function<void(Pair&)>& call) {
        return apart::run("timing=late", [&] {
            Pair p;
            call(p);
            ::_exit(0);
        });
    };
    BOOST_TEST(ends([](Pair& p) { p.sum(0), p.sum(1); }).status == 0);
    const apart::End counts = ends([](Pair& p) { p.sum(0, 4), p.sum(1, 3); });
    BOOST_TEST(counts.is_fault());
    BOOST_TEST(counts.says("ranks make call 0 of a communicator in two ways"), counts.text);
    BOOST_TEST(ends([](Pair& p) { p.sum(0, 4), p.sum(1, 4, ncclFloat, ncclMax); }).is_fault());
    const auto send = [](std::size_t n) {
        return [n](Pair& p) {
            cudaSetDevice(0);
            ncclSend(p.in[0]->data(), 4, ncclFloat, 1, p.comms[0], p.streams[0]);
            cudaSetDevice(1);
            ncclRecv(p.out[1]->data(), n, ncclFloat, 0, p.comms[1], p.streams[1]);
        };
    };
    BOOST_TEST(ends(send(4)).status == 0);
    BOOST_TEST(ends(send(2)).says("what is sent is not what is received"));
}

BOOST_AUTO_TEST_CASE(communicators_that_cannot_be_are_refused) {
    BOOST_TEST(Pair(0).joined[1] == ncclInvalidUsage);    // both on one device
    BOOST_TEST(Pair(1, 1).joined[0] == ncclInvalidUsage); // it would wait for ever
    ncclComm_t comm = nullptr;
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    BOOST_TEST(ncclCommInitRankConfig(&comm, 1, ncclUniqueId{}, 0, &config) == ncclInvalidArgument); // nobody's id
}

BOOST_AUTO_TEST_SUITE_END()

#endif
