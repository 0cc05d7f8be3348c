// A driver that is none: enough of libcuda.so.1 for cuDNN to look at graphs and to compile kernels for a device that is
// described to it. Nothing can be run.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

namespace {

int success() { return 0; }

int not_found() { return 500; }

int give_version(int* version) {
    *version = 13000;
    return 0;
}
int give_count(int* count) {
    *count = 1;
    return 0;
}
/// An H200's compute capability is 9.0; whatever else is asked for comes with the description.
int give_attribute(int* value, int attribute, int) {
    constexpr int max_threads = 1, shared_per_block = 8, warp = 10, multiprocessors = 16, major = 75, minor = 76,
                  shared_optin = 97;
    switch (attribute) {
    case max_threads:
        *value = 1024;
        break;
    case shared_per_block:
        *value = 49152;
        break;
    case warp:
        *value = 32;
        break;
    case multiprocessors:
        *value = 132;
        break;
    case major:
        *value = 9;
        break;
    case minor:
        *value = 0;
        break;
    case shared_optin:
        *value = 232448;
        break;
    default:
        *value = 1;
    }
    return 0;
}
/// Handles of what is only ever handed back.
int give_handle(void** handle, ...) {
    static int somewhere;
    *handle = &somewhere;
    return 0;
}
int give_zero(int* value, ...) {
    *value = 0;
    return 0;
}
int give_text(int, const char** text) {
    *text = "this driver runs nothing";
    return 0;
}

struct Function {
    const char* name;
    void* address;
};
template <class F> void* address(F* f) { return reinterpret_cast<void*>(f); }
int give_function(const char* name, void** function, int, std::uint64_t, int* found) {
    *function = address(&success);
    for (const Function& f : std::initializer_list<Function>{
             {"cuGetExportTable", address(&not_found)}, // tables of functions that only a driver has
             {"cuDriverGetVersion", address(&give_version)},
             {"cuDeviceGetCount", address(&give_count)},
             {"cuDeviceGet", address(&give_zero)},
             {"cuDeviceGetAttribute", address(&give_attribute)},
             {"cuCtxGetCurrent", address(&give_handle)},
             {"cuCtxGetDevice", address(&give_zero)},
             {"cuDevicePrimaryCtxRetain", address(&give_handle)},
             {"cuModuleLoadData", address(&give_handle)},
             {"cuModuleGetFunction", address(&give_handle)},
             {"cuLibraryLoadData", address(&give_handle)},
             {"cuLibraryGetKernel", address(&give_handle)},
             {"cuKernelGetFunction", address(&give_handle)},
             {"cuGetErrorString", address(&give_text)},
             {"cuGetErrorName", address(&give_text)},
         })
        if (std::strcmp(f.name, name) == 0) *function = f.address;
    if (found) *found = 0;
    return 0;
}

} // namespace

// What cuDNN looks for by name.
extern "C" {
int cuInit(unsigned) { return 0; }
int cuDriverGetVersion(int* version) { return give_version(version); }
int cuDeviceGetCount(int* count) { return give_count(count); }
int cuDeviceGet(int* device, int) { return give_zero(device); }
int cuDeviceGetAttribute(int* value, int attribute, int device) { return give_attribute(value, attribute, device); }
int cuGetProcAddress_v2(const char* name, void** function, int version, std::uint64_t flags, int* found) {
    return give_function(name, function, version, flags, found);
}
int cuGetProcAddress(const char* name, void** function, int version, std::uint64_t flags) {
    return give_function(name, function, version, flags, nullptr);
}
int cuGetErrorName(int status, const char** text) { return give_text(status, text); }
int cuGetErrorString(int status, const char** text) { return give_text(status, text); }
int cuCtxGetCurrent(void** context) { return give_handle(context); }
int cuCtxPopCurrent(void** context) { return context ? give_handle(context) : 0; }
int cuCtxPushCurrent(void*) { return 0; }
int cuCtxGetLimit(std::size_t* value, int) {
    *value = 1024;
    return 0;
}
int cuStreamGetCtx(void*, void** context) { return give_handle(context); }
int cuLibraryLoadData(void** library, ...) { return give_handle(library); }
int cuLibraryLoadFromFile(void** library, ...) { return give_handle(library); }
int cuLibraryGetKernel(void** kernel, ...) { return give_handle(kernel); }
int cuLibraryUnload(void*) { return 0; }
int cuKernelSetAttribute() { return 0; }
int cuKernelGetAttribute(int* value, ...) { return give_zero(value); }
int cuOccupancyMaxPotentialClusterSize(int* value, ...) {
    *value = 8;
    return 0;
}
int cuGetExportTable() { return not_found(); }
int cuLinkCreate() { return 0; }
int cuLinkAddData() { return 0; }
int cuLinkComplete() { return 0; }
int cuLinkDestroy() { return 0; }
int cuLaunchKernel() { return 1; }
int cuLaunchKernelEx() { return 1; }
int cuLaunchCooperativeKernel() { return 1; }
}
