// The tensors of an exported program as its archive holds them: bytes, and a table that says where each one lies (rule
// SC-101).
#pragma once

#include <set>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include <reel/autograd/ordered_dict.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel::jit {

/// `{"type": "cpu", "index": null}`.
boost::json::object device_json(Device device);
/// The meta of a tensor as exported programs write it.
boost::json::object tensor_meta(const Tensor& t);

/// What becomes of `data/weights` or `data/constants`.
struct TensorTable {
    struct Member {
        std::string name; ///< `weight_0`
        Tensor bytes;     ///< of uint8, on the CPU
    };
    boost::json::object entries; ///< by name, in order
    std::vector<Member> members; ///< numbered as they are met first

    /// Tensors that share a storage share a member; one that has a part of its storage for itself is written alone.
    /// `parameters`: those among the names that are parameters. What `file` holds under the name in the same storage is
    /// written as the file had it, with what else lay there.
    TensorTable(const OrderedDict<std::string, Tensor>& tensors, const std::string& prefix,
                const std::set<std::string>& parameters, const OrderedDict<std::string, Tensor>& file);
};

} // namespace reel::jit
