// Faults of a program that calls cuDNN, planted: the stand-in must refuse each with its reason, and take the clean
// twin.
#include <boost/test/unit_test.hpp>

#if __has_include(<cudnn.h>)

#include <cudnn.h>

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "cuda_emulation/on_device.hpp"

using on_device::Array;

namespace {

/// What a convolution of [1, 1, 4, 4] by [1, 1, 2, 2] gives each call; a test changes one thing.
struct Convolution {
    std::vector<std::int64_t> sizes{1, 1, 3, 3}, strides{9, 9, 3, 1};
    std::int64_t alignment = 4;
    cudnnBackendAttributeType_t type_of_sizes = CUDNN_TYPE_INT64;
    bool twice = false, unnamed = false, finalize_windows = true, unknown = false;

    Convolution() { cudnnCreate(&handle); }
    ~Convolution() {
        for (const cudnnBackendDescriptor_t d : all) cudnnBackendDestroyDescriptor(d);
        cudnnDestroy(handle);
    }
    /// The first refusal, `STATUS: reason`, or nothing.
    std::string refusal;
    cudnnHandle_t handle = nullptr;
    cudnnBackendDescriptor_t plan = nullptr;

    bool good(cudnnStatus_t status) {
        if (status == CUDNN_STATUS_SUCCESS || !refusal.empty()) return refusal.empty();
        char why[256];
        cudnnGetLastErrorString(why, sizeof(why));
        refusal = std::to_string(int(status)) + ": " + why;
        return false;
    }
    cudnnBackendDescriptor_t make(cudnnBackendDescriptorType_t type) {
        cudnnBackendDescriptor_t d = nullptr;
        good(cudnnBackendCreateDescriptor(type, &d));
        all.push_back(d);
        return d;
    }
    template <class T>
    void set(cudnnBackendDescriptor_t d, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
             const std::vector<T>& values) {
        good(cudnnBackendSetAttribute(d, name, type, std::int64_t(values.size()), values.data()));
    }
    void finalize(cudnnBackendDescriptor_t d) {
        if (refusal.empty()) good(cudnnBackendFinalize(d));
    }
    cudnnBackendDescriptor_t tensor(std::int64_t id, std::vector<std::int64_t> s, std::vector<std::int64_t> steps) {
        const auto d = make(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
        set(d, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, std::vector{CUDNN_DATA_FLOAT});
        set(d, CUDNN_ATTR_TENSOR_DIMENSIONS, type_of_sizes, s);
        set(d, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, steps);
        if (!unnamed) set(d, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, std::vector{id});
        set(d, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, std::vector{alignment});
        if (twice) set(d, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, std::vector{alignment});
        if (unknown) set(d, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, std::vector{alignment});
        finalize(d);
        return d;
    }
    void build() {
        using List = std::vector<std::int64_t>;
        const auto windows = make(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
        set(windows, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, std::vector{CUDNN_DATA_FLOAT});
        set(windows, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE,
            std::vector{CUDNN_CROSS_CORRELATION});
        set(windows, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, List{2});
        for (const auto name : {CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES})
            set(windows, name, CUDNN_TYPE_INT64, List{1, 1});
        for (const auto name : {CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS})
            set(windows, name, CUDNN_TYPE_INT64, List{0, 0});
        if (finalize_windows) finalize(windows);
        const auto x = tensor(1, {1, 1, 4, 4}, {16, 16, 4, 1}), w = tensor(2, {1, 1, 2, 2}, {4, 4, 2, 1}),
                   y = tensor(3, sizes, strides), op = make(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
        const auto part = [&](cudnnBackendDescriptor_t to, cudnnBackendAttributeName_t name,
                              cudnnBackendDescriptor_t d) {
            set(to, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, std::vector{d});
        };
        part(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, windows);
        part(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, x);
        part(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, w);
        part(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, y);
        set(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_DOUBLE, std::vector{1.0});
        set(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_DOUBLE, std::vector{0.0});
        finalize(op);
        const auto graph = make(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
        set(graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, std::vector{handle});
        part(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, op);
        finalize(graph);
        const auto heuristics = make(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
        part(heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
        set(heuristics, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, std::vector{CUDNN_HEUR_MODE_A});
        finalize(heuristics);
        if (!refusal.empty()) return;
        std::vector<cudnnBackendDescriptor_t> configs(3);
        for (auto& c : configs) c = make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
        std::int64_t count = 0;
        good(cudnnBackendGetAttribute(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 3,
                                      &count, configs.data()));
        plan = make(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
        set(plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, std::vector{handle});
        part(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configs.back());
        finalize(plan);
    }
    void run(std::vector<std::int64_t> ids, std::vector<void*> data, void* workspace) {
        const auto pack = make(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
        set(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, ids);
        set(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, data);
        set(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, std::vector{workspace});
        finalize(pack);
        if (refusal.empty()) good(cudnnBackendExecute(handle, plan, pack));
    }

private:
    std::vector<cudnnBackendDescriptor_t> all;
};

std::string built(const std::function<void(Convolution&)>& change) {
    Convolution c;
    change(c);
    c.build();
    return c.refusal;
}

struct Operands {
    Array<float> x{std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
        w{std::vector<float>{1, 0, 0, 2}}, y{9};
    Array<char> workspace{256};
};
std::string ran(const std::function<void(Convolution&, const Operands&)>& f) {
    Convolution c;
    c.build();
    BOOST_REQUIRE_EQUAL(c.refusal, "");
    f(c, Operands());
    return c.refusal;
}

} // namespace

BOOST_AUTO_TEST_SUITE(cuda_emulation_dnn)

BOOST_AUTO_TEST_CASE(a_clean_program_computes) {
    Convolution c;
    c.build();
    const Operands o;
    c.run({1, 2, 3}, {o.x.data(), o.w.data(), o.y.data()}, o.workspace.data());
    BOOST_TEST(c.refusal == "");
    BOOST_TEST(o.y.values() == (std::vector<float>{10, 13, 16, 22, 25, 28, 34, 37, 40}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(descriptors_that_are_wrong) {
    BOOST_TEST(built([](Convolution&) {}) == "");
    BOOST_TEST(built([](Convolution& c) {
                   c.sizes = {1, 1, 4, 3};
               }) == "2008: response [1, 1, 4, 3]; expected 3 in dimension 0");
    BOOST_TEST(built([](Convolution& c) { c.strides = {9, 3, 1}; }) == "2000: 3 strides for 4 dimensions");
    BOOST_TEST(built([](Convolution& c) { c.strides = {9, 9, 3, 0}; }) == "2000: strides [9, 9, 3, 0]");
    BOOST_TEST(built([](Convolution& c) { c.alignment = 3; }) == "2000: alignment 3");
    BOOST_TEST(built([](Convolution& c) { c.type_of_sizes = CUDNN_TYPE_DOUBLE; }) ==
               "2010: attribute 902 has type 3, not 5");
    BOOST_TEST(built([](Convolution& c) { c.twice = true; }) == "2009: attribute 900 is set twice");
    BOOST_TEST(built([](Convolution& c) { c.unnamed = true; }) == "2000: attribute 906 is not set");
    BOOST_TEST(built([](Convolution& c) { c.unknown = true; }) == "3000: attribute 106 is none of this descriptor's");
    BOOST_TEST(built([](Convolution& c) { c.finalize_windows = false; }) ==
               "2004: attribute 702 names a descriptor that is not finalized");
}

BOOST_AUTO_TEST_CASE(data_that_is_wrong) {
    const auto run_with = [](void* x, void* y, void* workspace, const Operands& o, Convolution& c) {
        c.run({1, 2, 3}, {x, o.w.data(), y}, workspace);
    };
    BOOST_TEST(ran([&](Convolution& c, const Operands& o) {
                   run_with(o.x.data(), o.y.data(), o.workspace.data(), o, c);
               }) == "");
    BOOST_TEST(ran([&](Convolution& c, const Operands& o) {
                   run_with(o.x.data() + 1, o.y.data(), o.workspace.data(), o, c);
               }) == "2000: tensor 1 is not held by live memory of the device");
    static float host[16];
    BOOST_TEST(ran([&](Convolution& c, const Operands& o) { run_with(host, o.y.data(), o.workspace.data(), o, c); }) ==
               "2000: tensor 1 is not held by live memory of the device");
    BOOST_TEST(ran([&](Convolution& c, const Operands& o) {
                   run_with(o.x.data(), o.x.data(), o.workspace.data(), o, c);
               }) == "2000: a result lies over another tensor");
    BOOST_TEST(ran([&](Convolution& c, const Operands& o) {
                   const Array<char> bytes(9 * 4 + 2);
                   run_with(o.x.data(), bytes.data() + 2, o.workspace.data(), o, c);
               }) == "2003: tensor 3 does not lie on its alignment");
    BOOST_TEST(ran([&](Convolution& c, const Operands& o) {
                   run_with(o.x.data(), o.y.data(), o.workspace.data() + 200, o, c);
               }) == "2000: the workspace is smaller than the plan says");
    BOOST_TEST(ran([&](Convolution& c, const Operands& o) {
                   c.run({1, 2}, {o.x.data(), o.w.data()}, o.workspace.data());
               }) == "2000: tensor 3 has no data");
    BOOST_TEST(ran([&](Convolution& c, const Operands& o) {
                   c.run({1, 2, 2}, {o.x.data(), o.w.data(), o.y.data()}, o.workspace.data());
               }) == "2009: a name is there twice");
}

BOOST_AUTO_TEST_CASE(the_handle_of_another_device) {
    BOOST_TEST(ran([](Convolution& c, const Operands& o) {
                   cudaSetDevice(1);
                   c.run({1, 2, 3}, {o.x.data(), o.w.data(), o.y.data()}, o.workspace.data());
                   cudaSetDevice(0);
               }) == "2000: not a handle of this device");
}

BOOST_AUTO_TEST_SUITE_END()

#endif
