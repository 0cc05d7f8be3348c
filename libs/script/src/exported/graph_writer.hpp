// Composes the graph of `models/model.json` from calls of operators, one after the other (rules SC-103 to SC-107).
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <boost/json.hpp>

#include <reel/autograd/tensor.hpp>
#include <reel/script/operator.hpp>

namespace reel::jit {

class GraphWriter {
public:
    /// A number beside tensors, which programs hold as itself.
    static bool is_number(const IValue& v);
    /// A name like `wanted` that is free: `linear`, then `linear_1`.
    std::string fresh_name(const std::string& wanted);
    /// The tensor is called so from now on, and is what it is now: dtype, shape, strides.
    void name_tensor(const Tensor& t, const std::string& name);
    /// Null when the tensor has none.
    const std::string* name_of(const Tensor& t) const;

    /// The call of an operator whose tensors have names; those of its results get theirs. NotImplementedError naming an
    /// argument or result that exported programs do not have.
    void add_call(const Operator& op, std::span<const IValue> arguments, const IValue& result);
    /// A value that is no operand of an operator: of the graph's outputs, or fixed as an input.
    boost::json::value plain_argument(const IValue& v) const;

    boost::json::array inputs, outputs; ///< filled by whoever knows them
    boost::json::object graph() &&;

private:
    boost::json::value tensor_argument(const IValue& v) const;
    boost::json::value argument(const Argument& a, const IValue& v) const;
    boost::json::value list_argument(const Argument& a, const Args& elements) const;
    boost::json::array call_arguments(const Operator& op, std::span<const IValue> arguments) const;
    boost::json::value result(const std::string& name, const IValue& v);

    std::unordered_set<std::string> taken_;
    std::unordered_map<const TensorImpl*, std::string> names_;
    std::vector<Tensor> alive_; ///< so that no address comes twice
    boost::json::array nodes_;
    boost::json::object tensor_values_;
};

} // namespace reel::jit
