// Scripts by example: a module or function is run once, and what it called becomes the code of a script module.
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <reel/autograd/indexing.hpp>
#include <reel/script/module.hpp>

namespace reel::jit {

namespace detail {
template <class M>
concept HoldsModule = std::convertible_to<decltype(std::declval<const M&>().ptr()), nn::ModulePtr>;
} // namespace detail

struct TraceOptions {
    bool check = true;                    ///< run the trace on the example again and warn where it differs (rule SC-83)
    bool strict = true;                   ///< refuse a dict as result, warn of a list (rule SC-82)
    std::string class_name;               ///< `program.Program`; empty: the module's own class
    std::vector<std::string> input_names; ///< of forward's arguments; `argument_1`, ... where there are none
};
using TracedFunction = std::function<IValue(const Args& inputs)>;

/// Runs `module` on `inputs` and gives a script module whose `forward` does the same calls: submodules stay calls of
/// script modules of their own, with the parameters and buffers of the original, which both share (rules SC-77 to
/// SC-83). What ran is what is kept: branches and loops as they went, `training` as it was.
///
/// A trace sees every call of an op, typed, by operator or by name, and every call of a submodule through its holder or
/// `nn::call`. What C++ computes itself it does not see: sizes, numbers that `item()` reads (which warns) and results
/// of an `autograd::Function` are constants to it. Where such a result requires grad that is an Error that says so.
/// Errors: Error as said; NotImplementedError for an op that scripts do not know; TypeError for inputs that are neither
/// tensors nor tuples or lists of them, and for results that a script cannot return.
Module trace(const nn::ModulePtr& module, const Args& inputs, const TraceOptions& options = {});
/// The same with `forward` in the place of the module's own.
Module trace(const nn::ModulePtr& module, const TracedFunction& forward, const Args& inputs,
             const TraceOptions& options = {});
/// The same of what a holder holds: `jit::trace(net, {x})`.
template <detail::HoldsModule M> Module trace(const M& holder, const Args& inputs, const TraceOptions& options = {}) {
    return trace(nn::ModulePtr(holder.ptr()), inputs, options);
}
template <detail::HoldsModule M>
Module trace(const M& holder, const TracedFunction& forward, const Args& inputs, const TraceOptions& options = {}) {
    return trace(nn::ModulePtr(holder.ptr()), forward, inputs, options);
}
/// A function; the script module has no parameters.
Module trace(const TracedFunction& function, const Args& inputs, const TraceOptions& options = {});

/// What traced programs call. Outside of a trace these do the same without being recorded.
namespace tracing {

bool is_tracing();
/// An op by the name that it has in Python: `add`, `relu_`, `nn.functional.conv2d`; also the methods `cpu`, `numel` and
/// `requires_grad_`.
IValue call(std::string_view op, const Args& args, const Kwargs& kwargs = {});
/// A size as a tensor without dimensions, on which arithmetic is recorded and which stands for a number in arguments
/// (rule SC-79).
Tensor size(const Tensor& t, std::int64_t dim);
/// The number of elements, likewise.
Tensor numel(const Tensor& t);
/// `t[indices]` (rule SC-81).
Tensor index(const Tensor& t, const std::vector<indexing::TensorIndex>& indices);
/// `t[indices] = value`, a number or a tensor.
void index_put(const Tensor& t, const std::vector<indexing::TensorIndex>& indices, const IValue& value);
/// A tensor of fixed contents, which becomes a constant; warns.
Tensor constant(const Tensor& t);
/// The rows of `t`, as a loop over it meets them; warns that their number is fixed.
std::vector<Tensor> rows(const Tensor& t);
/// How the printed code calls the value: the name of a variable that holds it.
void set_name(const Tensor& t, const std::string& name);

} // namespace tracing

} // namespace reel::jit
