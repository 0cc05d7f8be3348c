// Reference cases and schemas as a source of calls.
#include "op_fuzz/samples.hpp"

#include <algorithm>
#include <cstdlib>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>

namespace op_fuzz {

using namespace reel;
namespace fs = std::filesystem;

fs::path reference_folder() {
    const char* named = std::getenv("REEL_REFERENCE");
    for (const fs::path& p : {fs::path(named ? named : ""), fs::path("../shared/oracle"), fs::path("test/reference")}) {
        if (p.empty()) continue;
        if (fs::is_directory(p / "oracle" / "ops")) return p / "oracle";
        if (fs::is_directory(p / "ops")) return p;
    }
    return {};
}

Tensor drawn_tensor(const std::vector<std::int64_t>& sizes, ScalarType dtype, Dice& dice) {
    const NoGradGuard no_grad;
    Tensor t = reel::empty(sizes, kDouble);
    double* data = t.data_ptr<double>();
    const bool counts = isIntegralType(dtype, true);
    for (std::int64_t i = 0; i < t.numel(); ++i) data[i] = counts ? double(dice.below(4)) : 3 * dice.uniform();
    return t.to(dtype);
}

Value value_of_type(const std::string& type, const std::vector<std::int64_t>& sizes, Dice& dice) {
    std::string base = type;
    if (base.ends_with('?')) base.pop_back();
    const auto some = [&](auto one) {
        std::vector<Value> list;
        for (std::size_t n = 1 + dice.below(3); list.size() < n;) list.push_back(one());
        return Value::list(std::move(list));
    };
    const auto tensor = [&] {
        const ScalarType dtype =
            dice.once_in(3) ? dice.one_of({kFloat, kLong, kBool, kComplexDouble, kInt, kHalf, kBFloat16}) : kDouble;
        Tensor t = drawn_tensor(sizes, dtype, dice);
        if (isDifferentiableType(dtype) && dice.once_in(2)) t.requires_grad_();
        return Value(t);
    };
    const auto integer = [&] { return Value(std::int64_t(dice.below(5)) - 1); };
    const auto number = [&] { return Value(dice.one_of({0.5, 1.0, 2.0, -1.0, 0.0})); };
    if (base == "Tensor" || base == "Value") return tensor();
    if (base == "Tensor[]" || base == "Tensor?[]") return some(tensor);
    if (base == "int") return integer();
    if (base.starts_with("int")) return some(integer);
    if (base == "float") return number();
    if (base.starts_with("float[")) return some(number);
    if (base == "bool") return Value(dice.once_in(2));
    if (base == "Scalar") return dice.once_in(2) ? number() : integer();
    if (base == "str") return Value(dice.one_of({"mean", "sum", "none", "constant", "ij", "valid"}));
    if (base == "Dtype") return Value(dice.one_of({kDouble, kFloat, kLong}));
    if (base == "Device") return Value("cpu");
    if (base == "MemoryFormat") return Value(dice.one_of({"contiguous_format", "channels_last", "preserve_format"}));
    return {};
}

namespace {

Call from_schema(const ops::Schema& schema, Dice& dice) {
    Call call;
    std::vector<std::int64_t> sizes(dice.below(5));
    for (std::int64_t& n : sizes) n = std::int64_t(1 + dice.below(4));
    for (const ops::Argument& a : schema.arguments) {
        if (a.type == "TensorOptions") {
            if (dice.once_in(4)) call.kwargs.set(Value("dtype"), Value(dice.one_of({kDouble, kLong, kHalf})));
            continue;
        }
        if (a.has_default && !dice.once_in(3)) continue;
        const Value v = value_of_type(a.type, sizes, dice);
        const bool in_order =
            call.kwargs.empty() && !a.kwarg_only && call.args.size() == std::size_t(&a - schema.arguments.data());
        if (in_order) call.args.push_back(v);
        else call.kwargs.set(Value(a.name), v);
    }
    return call;
}

} // namespace

Samples::Samples(const fs::path& folder) {
    if (folder.empty()) return;
    for (const auto& entry : fs::directory_iterator(folder / "ops")) {
        const std::string stem = entry.path().stem().string();
        if (entry.path().extension() == ".safetensors") files_[stem.substr(0, stem.find('-'))].push_back(entry.path());
    }
    for (auto& [op, files] : files_) std::sort(files.begin(), files.end());
}

const std::vector<Samples::Case>& Samples::cases_of(const std::string& op) {
    const auto known = cases_.find(op);
    if (known != cases_.end()) return known->second;
    std::vector<Case>& cases = cases_[op];
    for (const fs::path& path : files_[op]) {
        open_.push_back(std::make_unique<replay::CaseFile>(path));
        for (const auto& c : open_.back()->cases()) cases.push_back({open_.back().get(), &c.as_object()});
    }
    return cases;
}

Call Samples::read(const ops::Op& op, const Case& c) const {
    replay::ArgumentReader reader(*c.file, replay::MemoryLayout::contiguous);
    Call call{reader.read_args(c.data->at("args")), reader.read_kwargs(c.data->at("kwargs"))};
    // an op that only exists in place writes a leaf here
    if (op.name.ends_with('_') && !call.args.empty() && call.args[0].isTensor())
        call.args[0] = Value(call.args[0].toTensor().clone());
    return call;
}

Call Samples::draw(const ops::Op& op, Dice& dice) {
    const std::vector<Case>& cases = cases_of(op.name);
    if (cases.empty() || dice.once_in(40)) return from_schema(dice.one_of(op.schemas), dice);
    return read(op, dice.one_of(cases));
}

std::vector<Call> Samples::reference_calls(const ops::Op& op, std::size_t limit) {
    const std::vector<Case>& cases = cases_of(op.name);
    std::vector<Call> calls;
    const std::size_t step = std::max<std::size_t>(1, cases.size() / std::max<std::size_t>(1, limit));
    for (std::size_t i = 0; i < cases.size() && calls.size() < limit; i += step) calls.push_back(read(op, cases[i]));
    return calls;
}

} // namespace op_fuzz
