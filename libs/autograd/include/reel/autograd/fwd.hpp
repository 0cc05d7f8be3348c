// Forward declarations of the public types of reel_autograd.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <reel/autograd/array_ref.hpp>
#include <reel/autograd/dtype.hpp>
#include <reel/autograd/intrusive_ptr.hpp>

namespace reel {

class Tensor;     // tensor.hpp: the handle
class TensorImpl; // tensor_impl.hpp: what a handle points to
class Storage;    // storage.hpp: a block of memory and its version
class Scalar;     // scalar.hpp
class Device;     // device.hpp
class TensorOptions;
class Generator; // random.hpp
class Value;     // value.hpp: any argument or result
class ValueDict;
class RemovableHandle;

using TensorList = ArrayRef<Tensor>;
using TensorImplPtr = intrusive_ptr<TensorImpl>;
using StoragePtr = intrusive_ptr<Storage>;

namespace autograd {
class Node; // node.hpp: a vertex of the tape
struct Edge;
struct AutogradMeta;
using Variable = Tensor;
using NodePtr = intrusive_ptr<Node>;
using variable_list = std::vector<Tensor>;
using tensor_list = std::vector<Tensor>;
using edge_list = std::vector<Edge>;
} // namespace autograd

using Variable = Tensor;
using TensorBase = Tensor;
using std::nullopt;
using std::optional;
using std::string_view;

namespace serialize {
class OutputArchive; // archive.hpp: what modules and optimizers save to
class InputArchive;
} // namespace serialize

} // namespace reel
