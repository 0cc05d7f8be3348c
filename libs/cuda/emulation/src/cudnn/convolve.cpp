// Convolutions and their two adjoints: one loop over all products, which each of them sums up elsewhere.
#include <vector>

#include "cudnn/operations.hpp"

namespace reel::cuda::emulation::dnn {

namespace {

using Places = std::array<std::int64_t, View::rank>;

/// Two or three spatial dimensions, seen as three.
struct Geometry {
    Places stride{1, 1, 1}, pad{}, dilation{1, 1, 1};
    explicit Geometry(const Descriptor& d) {
        const auto s = d.list<std::int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES),
                   p = d.list<std::int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS),
                   l = d.list<std::int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS);
        for (std::size_t k = 0; k < s.size(); ++k) stride[k] = s[k], pad[k] = p[k], dilation[k] = l[k];
    }
};

/// Calls `f(place in the image, in the filter, in the response)` for every product.
template <class F> void each_product(const Geometry& g, const View& x, const View& w, const View& y, F f) {
    const std::int64_t per_group = w.sizes[1], groups = x.sizes[1] / per_group, out_per_group = w.sizes[0] / groups;
    for (std::int64_t i = 0; i < y.count(); ++i) {
        const Places o = y.nth(i);
        const std::int64_t first = o[1] / out_per_group * per_group;
        for (std::int64_t k = 0; k < w.sizes[2] * w.sizes[3] * w.sizes[4]; ++k) {
            const Places tap{0, 0, k / (w.sizes[3] * w.sizes[4]), k / w.sizes[4] % w.sizes[3], k % w.sizes[4]};
            Places in{o[0], 0, 0, 0, 0};
            bool inside = true;
            for (std::size_t d = 0; d < 3; ++d) {
                in[d + 2] = o[d + 2] * g.stride[d] - g.pad[d] + tap[d + 2] * g.dilation[d];
                inside = inside && in[d + 2] >= 0 && in[d + 2] < x.sizes[d + 2];
            }
            if (!inside) continue;
            for (std::int64_t c = 0; c < per_group; ++c) {
                in[1] = first + c;
                f(x.place(in), w.place({o[1], c, tap[2], tap[3], tap[4]}), y.place(o));
            }
        }
    }
}

/// Sums of products, by places in `out`, then written there.
struct Sums {
    const View& out;
    std::vector<double> at = std::vector<double>(out.extent() / size_of(out.type));
    void write() const {
        for (std::int64_t i = 0; i < out.count(); ++i) {
            const std::int64_t p = out.place(out.nth(i));
            out.put(p, at[std::size_t(p)]);
        }
    }
};

/// What an operation calls its parts.
struct Words {
    cudnnBackendAttributeName_t windows, image, filter, response;
};
Words words_of(cudnnBackendDescriptorType_t operation) {
    switch (operation) {
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
        return {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y};
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
        return {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY};
    default:
        return {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY};
    }
}

} // namespace

void convolve(const Descriptor& op, const Data& data) {
    const Words of = words_of(op.type);
    const View x = data.of(op, of.image), w = data.of(op, of.filter), y = data.of(op, of.response);
    const bool to_response = op.type == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
               to_image = op.type == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR;
    Sums sums{to_response ? y : to_image ? x : w};
    const auto add = [&](std::int64_t at, double product) { sums.at[std::size_t(at)] += product; };
    each_product(Geometry(*op.part(of.windows)), x, w, y, [&](auto at_x, auto at_w, auto at_y) {
        if (to_response) add(at_y, x.get(at_x) * w.get(at_w));
        else if (to_image) add(at_x, y.get(at_y) * w.get(at_w));
        else add(at_w, y.get(at_y) * x.get(at_x));
    });
    sums.write();
}

} // namespace reel::cuda::emulation::dnn
