// cuDNN's functions as the process has them. They are looked for when the first op asks: Reel's library loads without.
#pragma once

#include <cudnn.h>

#include <reel/autograd/device.hpp>

#include "library.hpp"

namespace reel::cuda::dnn {

#define REEL_CUDNN_FUNCTIONS(f)                                                                                        \
    f(cudnnGetVersion) f(cudnnGetErrorString) f(cudnnGetLastErrorString) f(cudnnCreate) f(cudnnDestroy)                \
        f(cudnnSetStream) f(cudnnBackendCreateDescriptor) f(cudnnBackendDestroyDescriptor) f(cudnnBackendFinalize)     \
            f(cudnnBackendSetAttribute) f(cudnnBackendGetAttribute) f(cudnnBackendExecute)                             \
                f(cudnnCreateTensorDescriptor) f(cudnnSetTensorNdDescriptor) f(cudnnGetTensorNdDescriptor)             \
                    f(cudnnDestroyTensorDescriptor) f(cudnnCreateRNNDescriptor) f(cudnnSetRNNDescriptor_v8)            \
                        f(cudnnDestroyRNNDescriptor) f(cudnnCreateRNNDataDescriptor) f(cudnnSetRNNDataDescriptor)      \
                            f(cudnnDestroyRNNDataDescriptor) f(cudnnGetRNNWeightSpaceSize) f(cudnnGetRNNWeightParams)  \
                                f(cudnnGetRNNTempSpaceSizes) f(cudnnRNNForward) f(cudnnRNNBackwardData_v8)             \
                                    f(cudnnRNNBackwardWeights_v8)

REEL_FUNCTION_TABLE(Api, REEL_CUDNN_FUNCTIONS);

/// Null where there is no cuDNN 9: neither among the libraries that the process has loaded, nor under the name that the
/// environment's REEL_CUDNN_LIBRARY gives (usually libcudnn.so.9).
const Api* api();
/// The calling thread's handle on the device, which must be current; it works on the thread's current stream.
cudnnHandle_t handle(const char* op, DeviceIndex index);
/// Throws Error with the op, the call, the status and what cuDNN says of the reason.
void check(cudnnStatus_t status, const char* op, const char* call);

} // namespace reel::cuda::dnn
