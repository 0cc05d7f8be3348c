#include <reel/autograd/ops/shape/join.hpp>
#include <reel/rl/modules/mlp.hpp>

#include <reel/nn/modules/dropout.hpp>
#include <reel/nn/modules/linear.hpp>

namespace reel::rl {

namespace {
std::vector<std::int64_t> hidden_sizes(const MLPOptions& o) {
    std::vector<std::int64_t> cells = o.num_cells();
    if (!o.depth()) return cells;
    REEL_CHECK_VALUE(*o.depth() >= 0, "MLP: depth is ", *o.depth(), ", expected a number that is not negative");
    if (cells.empty()) cells.push_back(32);
    if (cells.size() == 1) cells.resize(std::size_t(*o.depth()), cells[0]);
    REEL_CHECK_VALUE(std::int64_t(cells.size()) == *o.depth(), "MLP: depth is ", *o.depth(), " but num_cells has ",
                     cells.size(), " sizes");
    return cells;
}
} // namespace

MLPImpl::MLPImpl(const MLPOptions& o) : options(o) {
    std::vector<std::int64_t> sizes = hidden_sizes(o);
    sizes.push_back(o.out_features());
    std::int64_t in = o.in_features();
    const auto append = [&](nn::ModulePtr module) { add_module(std::to_string(children_.size()), std::move(module)); };
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const bool last = i + 1 == sizes.size();
        REEL_CHECK_VALUE(in > 0 && sizes[i] > 0, "MLP: layer ", i, " has ", in, " inputs and ", sizes[i],
                         " outputs, expected positive numbers");
        append(nn::Linear(nn::LinearOptions(in, sizes[i]).bias(!last || o.bias_last_layer())).ptr());
        in = sizes[i];
        if (last && !o.activate_last_layer()) break;
        if (o.dropout()) append(nn::Dropout(nn::DropoutOptions(*o.dropout())).ptr());
        if (o.norm_class()) append(o.norm_class()(in));
        REEL_CHECK_VALUE(o.activation_class(), "MLP: activation_class is empty");
        append(o.activation_class()(in));
    }
}
Tensor MLPImpl::forward(const Tensor& input) {
    Value x = input;
    for (std::size_t i = 0; i < children_.size(); ++i) x = children_[i].value()->call_values(Args{std::move(x)});
    return x.toTensor();
}
Value MLPImpl::forward_values(const Args& args, const Kwargs& kwargs) {
    REEL_CHECK_TYPE(!args.empty() && kwargs.empty(), "MLP: expected one or more tensors by position, got ", args.size(),
                    " and ", kwargs.size(), " by name");
    if (args.size() == 1) return forward(args[0].toTensor());
    std::vector<Tensor> parts;
    for (const Value& one : args) parts.push_back(one.toTensor());
    return forward(cat(parts, -1));
}

} // namespace reel::rl
