// What finalizing a descriptor looks at: shapes that fit each other, strides that are some, alignments that can be.
#include <set>

#include "cudnn/tensor.hpp"

namespace reel::cuda::emulation::dnn {

namespace {

using List = std::vector<std::int64_t>;
cudnnStatus_t bad(const std::string& reason) { return refuse(CUDNN_STATUS_BAD_PARAM, reason); }
cudnnStatus_t unlike(const std::string& reason) { return refuse(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, reason); }
std::string text(const List& l) {
    std::string s = "[";
    for (const std::int64_t v : l) s += (s.size() > 1 ? ", " : "") + std::to_string(v);
    return s + "]";
}
List sizes(const Descriptor* t) { return t->list<std::int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS); }

/// Has a map the operands that its mode wants, and is it one that somebody has asked for?
cudnnStatus_t check_mode(const Descriptor& op, const Descriptor& how, cudnnPointwiseMode_t mode) {
    const auto type = [&](cudnnBackendAttributeName_t name) {
        return op.part(name)->get<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE);
    };
    bool two = false, three = false;
    switch (mode) {
    case CUDNN_POINTWISE_BINARY_SELECT:
        three = true;
        [[fallthrough]];
    case CUDNN_POINTWISE_ADD:
    case CUDNN_POINTWISE_SUB:
    case CUDNN_POINTWISE_MUL:
    case CUDNN_POINTWISE_DIV:
    case CUDNN_POINTWISE_CMP_GE:
        two = true;
        break;
    case CUDNN_POINTWISE_EXP:
    case CUDNN_POINTWISE_LOG:
    case CUDNN_POINTWISE_IDENTITY:
    case CUDNN_POINTWISE_GEN_INDEX:
        break;
    default:
        return refuse(CUDNN_STATUS_NOT_SUPPORTED, "pointwise mode " + std::to_string(int(mode)));
    }
    if (two != op.has(CUDNN_ATTR_OPERATION_POINTWISE_BDESC) || three != op.has(CUDNN_ATTR_OPERATION_POINTWISE_TDESC) ||
        (mode == CUDNN_POINTWISE_GEN_INDEX) != how.has(CUDNN_ATTR_POINTWISE_AXIS))
        return bad("operands that pointwise mode " + std::to_string(int(mode)) + " does not have, or lacks");
    if (three && type(CUDNN_ATTR_OPERATION_POINTWISE_TDESC) != CUDNN_DATA_BOOLEAN)
        return bad("what is selected by is not boolean");
    if ((mode == CUDNN_POINTWISE_CMP_GE) != (type(CUDNN_ATTR_OPERATION_POINTWISE_YDESC) == CUDNN_DATA_BOOLEAN))
        return bad("a comparison gives boolean, and nothing else does");
    return CUDNN_STATUS_SUCCESS;
}

/// The tensors of a convolution by their part in it, whichever of the three it is.
struct Operands {
    const Descriptor *desc, *image, *filter, *response;
};
Operands operands(const Descriptor& op) {
    switch (op.type) {
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
        return {op.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC),
                op.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X),
                op.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W),
                op.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y)};
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
        return {op.part(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC),
                op.part(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX),
                op.part(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W),
                op.part(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY)};
    default:
        return {op.part(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC),
                op.part(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X),
                op.part(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW),
                op.part(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY)};
    }
}

} // namespace

cudnnStatus_t check_tensor(const Descriptor& d) {
    const List dims = d.list<std::int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS),
               strides = d.list<std::int64_t>(CUDNN_ATTR_TENSOR_STRIDES);
    if (dims.size() != strides.size())
        return bad(std::to_string(strides.size()) + " strides for " + std::to_string(dims.size()) + " dimensions");
    for (const std::int64_t n : dims)
        if (n <= 0) return bad("dimensions " + text(dims));
    for (const std::int64_t n : strides)
        if (n <= 0) return bad("strides " + text(strides));
    const auto alignment = d.get<std::int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
    if (alignment <= 0 || (alignment & (alignment - 1)) != 0 ||
        alignment % std::int64_t(size_of(d.get<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE))) != 0)
        return bad("alignment " + std::to_string(alignment));
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t check_convolution(const Descriptor& op) {
    const Operands o = operands(op);
    const List x = sizes(o.image), w = sizes(o.filter), y = sizes(o.response),
               stride = o.desc->list<std::int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES),
               dilation = o.desc->list<std::int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS),
               before = o.desc->list<std::int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS),
               after = o.desc->list<std::int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS);
    const auto n = std::size_t(o.desc->get<std::int64_t>(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS));
    for (const List& l : {stride, dilation, before, after})
        if (l.size() != n) return bad(std::to_string(l.size()) + " numbers for " + std::to_string(n) + " dimensions");
    if (x.size() != n + 2 || w.size() != n + 2 || y.size() != n + 2) return unlike("tensors of different ranks");
    if (x[0] != y[0] || w[0] != y[1] || x[1] % w[1] != 0 || w[0] % (x[1] / w[1]) != 0)
        return unlike("image " + text(x) + ", filter " + text(w) + ", response " + text(y));
    for (std::size_t d = 0; d < n; ++d) {
        const std::int64_t reach = (w[d + 2] - 1) * dilation[d] + 1, room = x[d + 2] + before[d] + after[d];
        if (stride[d] <= 0 || dilation[d] <= 0 || before[d] < 0 || after[d] < 0) return bad("strides or paddings");
        if (room < reach || y[d + 2] != (room - reach) / stride[d] + 1)
            return unlike("response " + text(y) + "; expected " + std::to_string((room - reach) / stride[d] + 1) +
                          " in dimension " + std::to_string(d));
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t check_pointwise(const Descriptor& op) {
    const Descriptor& how = *op.part(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
    const auto mode = how.get<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE);
    if (const cudnnStatus_t status = check_mode(op, how, mode)) return status;
    const List y = sizes(op.part(CUDNN_ATTR_OPERATION_POINTWISE_YDESC));
    for (const auto name : {CUDNN_ATTR_OPERATION_POINTWISE_XDESC, CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
                            CUDNN_ATTR_OPERATION_POINTWISE_TDESC}) {
        if (!op.has(name)) continue;
        const List x = sizes(op.part(name));
        if (x.size() != y.size()) return unlike("operand " + text(x) + ", result " + text(y));
        for (std::size_t d = 0; d < x.size(); ++d)
            if (x[d] != 1 && x[d] != y[d]) return unlike("operand " + text(x) + ", result " + text(y));
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t check_reduction(const Descriptor& op) {
    const List x = sizes(op.part(CUDNN_ATTR_OPERATION_REDUCTION_XDESC)),
               y = sizes(op.part(CUDNN_ATTR_OPERATION_REDUCTION_YDESC));
    if (x.size() != y.size()) return unlike("operand " + text(x) + ", result " + text(y));
    for (std::size_t d = 0; d < x.size(); ++d)
        if (y[d] != 1 && y[d] != x[d]) return unlike("operand " + text(x) + ", result " + text(y));
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t check_product(const Descriptor& op) {
    const List a = sizes(op.part(CUDNN_ATTR_OPERATION_MATMUL_ADESC)),
               b = sizes(op.part(CUDNN_ATTR_OPERATION_MATMUL_BDESC)),
               c = sizes(op.part(CUDNN_ATTR_OPERATION_MATMUL_CDESC));
    if (a.size() != 4 || b.size() != 4 || a[0] != b[0] || a[1] % b[1] != 0 || a[3] != b[2] ||
        c != List{a[0], a[1], a[2], b[3]})
        return unlike("product of " + text(a) + " and " + text(b) + ", result " + text(c));
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t check_reshape(const Descriptor& op) {
    const auto places = [](const Descriptor* t) { // what elements lie where, whatever the order of the dimensions
        const List n = sizes(t), steps = t->list<std::int64_t>(CUDNN_ATTR_TENSOR_STRIDES);
        std::multiset<std::pair<std::int64_t, std::int64_t>> all;
        for (std::size_t d = 0; d < n.size(); ++d)
            if (n[d] > 1) all.emplace(n[d], steps[d]);
        return all;
    };
    const Descriptor *const x = op.part(CUDNN_ATTR_OPERATION_RESHAPE_XDESC), *const y = op.part(
                                                                                 CUDNN_ATTR_OPERATION_RESHAPE_YDESC);
    if (places(x) != places(y)) return unlike("operand " + text(sizes(x)) + ", result " + text(sizes(y)));
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t check_resample(const Descriptor& op) {
    const bool forward = op.type == CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR;
    const Descriptor* const d =
        op.part(forward ? CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC : CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DESC);
    const List x = sizes(op.part(forward ? CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC
                                         : CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DXDESC)),
               y = sizes(op.part(forward ? CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC
                                         : CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DYDESC)),
               window = d->list<std::int64_t>(CUDNN_ATTR_RESAMPLE_WINDOW_DIMS),
               stride = d->list<std::int64_t>(CUDNN_ATTR_RESAMPLE_STRIDES),
               before = d->list<std::int64_t>(CUDNN_ATTR_RESAMPLE_PRE_PADDINGS),
               after = d->list<std::int64_t>(CUDNN_ATTR_RESAMPLE_POST_PADDINGS);
    const auto n = std::size_t(d->get<std::int64_t>(CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS));
    if (x.size() != n + 2 || y.size() != n + 2 || window.size() != n || stride.size() != n || before.size() != n ||
        after.size() != n)
        return unlike("tensors and windows of different ranks");
    if (x[0] != y[0] || x[1] != y[1]) return unlike("images " + text(x) + " and " + text(y));
    for (std::size_t k = 0; k < n; ++k) {
        if (window[k] <= 0 || stride[k] <= 0 || before[k] < 0 || after[k] < 0) return bad("windows or paddings");
        if (y[k + 2] != (x[k + 2] + before[k] + after[k] - window[k]) / stride[k] + 1)
            return unlike("images " + text(x) + " and " + text(y));
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t check_norm(const Descriptor& op) {
    const bool forward = op.type == CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR;
    const auto part = [&](cudnnBackendAttributeName_t a, cudnnBackendAttributeName_t b) {
        return op.part(forward ? a : b);
    };
    const auto mode = op.get<cudnnBackendNormMode_t>(forward ? CUDNN_ATTR_OPERATION_NORM_FWD_MODE
                                                             : CUDNN_ATTR_OPERATION_NORM_BWD_MODE);
    const List x = sizes(part(CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, CUDNN_ATTR_OPERATION_NORM_BWD_XDESC)),
               y = sizes(part(CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC)),
               scale = sizes(part(CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC));
    if (x != y) return unlike("operand " + text(x) + ", result " + text(y));
    if (scale.size() != x.size()) return unlike("scale " + text(scale) + " for " + text(x));
    const Descriptor* const stat =
        part(CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC, CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC);
    if (mode == CUDNN_LAYER_NORM || mode == CUDNN_RMS_NORM) {
        if (forward && !op.has(CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC)) return bad("no epsilon");
        if (!stat) return CUDNN_STATUS_SUCCESS;
        // where the scale has one entry, the moments have one for each
        const List moments = sizes(stat);
        for (std::size_t d = 0; d < x.size(); ++d)
            if (moments.size() != x.size() || moments[d] != (scale[d] == 1 ? x[d] : 1))
                return unlike("moments " + text(moments) + " for " + text(x) + " with scale " + text(scale));
    } else {
        if (!stat) return bad("no inverse variance");
        if (forward && !op.has(CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC) &&
            op.get<cudnnBackendNormFwdPhase_t>(CUDNN_ATTR_OPERATION_NORM_FWD_PHASE) == CUDNN_NORM_FWD_TRAINING)
            return bad("no epsilon");
        for (std::size_t d = 0; d < x.size(); ++d)
            if (scale[d] != (d == 1 ? x[1] : 1)) return unlike("scale " + text(scale) + " for " + text(x));
        if (sizes(stat) != scale) return unlike("moments " + text(sizes(stat)) + " for " + text(x));
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t check_attention(const Descriptor& op) {
    const List q = sizes(op.part(CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC)),
               k = sizes(op.part(CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC)),
               v = sizes(op.part(CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC)),
               o = sizes(op.part(CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC));
    for (const List& l : {q, k, v, o})
        if (l.size() != 4) return unlike("attention of tensors with " + std::to_string(l.size()) + " dimensions");
    if (q[0] != k[0] || q[0] != v[0] || k[1] != v[1] || q[1] % k[1] != 0 || k[2] != v[2] || q[3] != k[3] ||
        o != List{q[0], q[1], q[2], v[3]})
        return unlike("query " + text(q) + ", key " + text(k) + ", value " + text(v) + ", output " + text(o));
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t check_graph(const Descriptor& graph) {
    if (!is_handle(graph.get<cudnnHandle_t>(CUDNN_ATTR_OPERATIONGRAPH_HANDLE)))
        return bad("not a handle of this device");
    // two tensors of one name are one tensor
    std::map<std::int64_t, const Descriptor*> named;
    for (const Descriptor* const op : graph.parts(CUDNN_ATTR_OPERATIONGRAPH_OPS))
        for (const auto& [name, value] : op->values) {
            if (value.type != CUDNN_TYPE_BACKEND_DESCRIPTOR) continue;
            for (const Descriptor* const t : op->parts(name)) {
                if (t->type != CUDNN_BACKEND_TENSOR_DESCRIPTOR) continue;
                const auto id = t->get<std::int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID);
                if (const auto [at, fresh] = named.emplace(id, t); !fresh && at->second != t)
                    return refuse(CUDNN_STATUS_BAD_PARAM_DUPLICATED_ENTRIES,
                                  "two tensors have the name " + std::to_string(id));
            }
        }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t check_pack(const Descriptor& pack) {
    const auto ids = pack.list<std::int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
    if (ids.size() != pack.list<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS).size())
        return bad("as many names as pointers are needed");
    if (std::set<std::int64_t>(ids.begin(), ids.end()).size() != ids.size())
        return refuse(CUDNN_STATUS_BAD_PARAM_DUPLICATED_ENTRIES, "a name is there twice");
    return CUDNN_STATUS_SUCCESS;
}

} // namespace reel::cuda::emulation::dnn
