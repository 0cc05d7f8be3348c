#include "library_choices.hpp"

#include "emitter.hpp"
#include "library.hpp"

namespace reel::jit::emit {

namespace {

const std::vector<ChoiceTable>& tables() {
    static const char *const nn = "torch.nn.functional", *const torch = "torch.functional";
    static const std::vector<ChoiceTable> all = {
        {nn, "max_pool1d", {{"return_indices", 6}}, {"_max_pool1d", "max_pool1d_with_indices"}},
        {nn, "max_pool2d", {{"return_indices", 6}}, {"_max_pool2d", "max_pool2d_with_indices"}},
        {nn, "max_pool3d", {{"return_indices", 6}}, {"_max_pool3d", "max_pool3d_with_indices"}},
        {nn,
         "adaptive_max_pool1d",
         {{"return_indices", 2}},
         {"_adaptive_max_pool1d", "adaptive_max_pool1d_with_indices"}},
        {nn,
         "adaptive_max_pool2d",
         {{"return_indices", 2}},
         {"_adaptive_max_pool2d", "adaptive_max_pool2d_with_indices"}},
        {nn,
         "adaptive_max_pool3d",
         {{"return_indices", 2}},
         {"_adaptive_max_pool3d", "adaptive_max_pool3d_with_indices"}},
        {nn,
         "fractional_max_pool2d",
         {{"return_indices", 4}},
         {"_fractional_max_pool2d", "fractional_max_pool2d_with_indices"}},
        {nn,
         "fractional_max_pool3d",
         {{"return_indices", 4}},
         {"_fractional_max_pool3d", "fractional_max_pool3d_with_indices"}},
        {nn, "threshold", {}, {"_threshold"}},
        {nn, "interpolate", {}, {"interpolate", "interpolate__1", "interpolate__2", "interpolate__3"}},
        {nn, "upsample", {}, {"upsample", "upsample__1"}},
        {nn, "upsample_nearest", {}, {"upsample_nearest", "upsample_nearest__1"}},
        {nn,
         "upsample_bilinear",
         {},
         {"upsample_bilinear", "upsample_bilinear__1", "upsample_bilinear__2", "upsample_bilinear__3"}},
        {torch,
         "unique",
         {{"return_inverse", 2}, {"return_counts", 3}},
         {"_return_output", "_return_inverse", "_return_counts", "_return_inverse_and_counts"}},
        {torch,
         "unique_consecutive",
         {{"return_inverse", 1}, {"return_counts", 2}},
         {"_consecutive_return_output", "_consecutive_return_inverse", "_consecutive_return_counts",
          "_consecutive_return_inverse_and_counts"}},
        {torch, "lu", {{"get_infos", 2}}, {"_lu_no_infos", "_lu_with_infos"}},
        {torch, "norm", {}, {"norm", "norm__1", "norm__2", "norm__3"}},
        {torch, "tensordot", {}, {"tensordot", "tensordot__1", "tensordot__2", "tensordot__3"}},
    };
    return all;
}

/// The flag's value where a call gives it; false where it does not.
bool flag_value(const ChoosingFlag& flag, const Arguments& arguments, const SourceRange& range) {
    Value* given = flag.position < arguments.positional.size() ? arguments.positional[flag.position] : nullptr;
    for (const auto& [name, value] : arguments.keywords)
        if (name == flag.name) given = value;
    if (!given) return false;
    const IValue* known = constant_of(given);
    if (!known || !known->isBool())
        throw ScriptError("Argument '" + std::string(flag.name) +
                              "' chooses what the call returns: expected True or False, found a value that is known "
                              "only when the program runs",
                          range);
    return known->toBool();
}

} // namespace

const ChoiceTable* library_choice(const std::string& module, const std::string& name) {
    for (const ChoiceTable& t : tables())
        if (module == t.module && name == t.name) return &t;
    return nullptr;
}

Value* Emitter::call_choice(const LibraryChoice& choice, const Arguments& arguments, const SourceRange& range) {
    const ChoiceTable& table = *library_choice(choice.module, choice.name);
    const auto function = [&](const char* name) -> Function& {
        return *library_function(choice.module, name, *context_.unit);
    };
    if (!table.flags.empty()) {
        std::size_t chosen = 0;
        for (std::size_t i = 0; i < table.flags.size(); ++i)
            if (flag_value(table.flags[i], arguments, range)) chosen |= std::size_t(1) << i;
        return call_function(function(table.names.at(chosen)), arguments, range);
    }
    std::string why;
    for (const bool conversions : {false, true})
        for (const char* name : table.names) {
            Function& f = function(name);
            const FunctionSchema& schema = checked_schema(f, range);
            auto matched = match(graph_, range, schema, arguments, conversions, conversions ? &why : nullptr);
            if (matched) return insert_function_call(f, std::move(*matched), range);
        }
    fail(range, "Arguments for call are not valid.\nThe following variants are available:\n" + why);
}

Value* Emitter::cast_tensor(const TensorCast& cast, const Arguments& arguments, const SourceRange& range) {
    if (!arguments.positional.empty() || !arguments.keywords.empty())
        fail(range, "a conversion of a tensor to a dtype takes no arguments");
    return call_operator(graph_, range, "aten::to", {{cast.self, constant(cast.dtype, range)}, {}});
}

} // namespace reel::jit::emit
