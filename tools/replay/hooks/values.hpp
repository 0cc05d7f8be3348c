// Tensors and traces as JSON: building declared tensors, writing values into the trace, comparing traces.
#pragma once

#include <string>

#include <boost/json.hpp>

#include <reel/autograd/tensor.hpp>

namespace replay {

namespace json = boost::json;

/// A new contiguous leaf from `{"shape", "data", "dtype"?, "rg"?}`.
reel::Tensor make_tensor(const json::object& declaration, bool requires_grad_default = false);
/// `{"shape", "data", "dtype"?, "g"?}`.
json::value tensor_json(const reel::Tensor& t);

/// Are they equal? Floating numbers within 1e-9 absolute plus relative, all else exactly. `where` names the first
/// difference.
bool same_json(const json::value& expected, const json::value& got, std::string& where);
/// The same for two trace entries: `mentions` of the expected one are searched in the message of the other.
bool same_entry(const json::value& expected, const json::value& got, std::string& where);

} // namespace replay
