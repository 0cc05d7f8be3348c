// The module of an exported program, and a call of it (rules SC-109, SC-112, SC-116).
#include <reel/script/exported_program.hpp>

#include <algorithm>
#include <map>

#include <reel/autograd/grad_mode.hpp>

#include "exported/program.hpp"

namespace reel::jit {

namespace {
/// A module on the way to a parameter or buffer.
struct Folder : nn::Module {
    Folder() : nn::Module("Module") {}
};
/// The module that owns what is at the path, made where it is not there yet, and the last name.
std::pair<nn::Module*, std::string> owner_of(nn::Module& root, const std::string& path) {
    nn::Module* m = &root;
    std::size_t begin = 0;
    for (std::size_t dot; (dot = path.find('.', begin)) != std::string::npos; begin = dot + 1) {
        const std::string name = path.substr(begin, dot - begin);
        const nn::ModulePtr* child = m->own_children().find(name);
        if (!child) {
            m->add_module(name, std::make_shared<Folder>());
            child = m->own_children().find(name);
        }
        m = child->get();
    }
    return {m, path.substr(begin)};
}
} // namespace

ExportedProgramImpl::ExportedProgramImpl(std::unique_ptr<Parts> parts)
    : nn::Module("ExportedProgram"), parts_(std::move(parts)) {
    for (const auto& w : parts_->weights) owner_of(*this, w.key());
    for (const auto& p : parts_->parameters) {
        const auto [owner, name] = owner_of(*this, p.key());
        owner->register_parameter(name, Tensor(*p), p->requires_grad());
    }
    for (const auto& b : parts_->buffers) {
        const auto [owner, name] = owner_of(*this, b.key());
        const auto& passing = parts_->non_persistent;
        owner->register_buffer(name, Tensor(*b), std::find(passing.begin(), passing.end(), b.key()) == passing.end());
    }
}
ExportedProgramImpl::~ExportedProgramImpl() = default;

const ExportedGraph& ExportedProgramImpl::graph() const { return parts_->graph; }
std::string ExportedProgramImpl::str() const { return parts_->graph.str(""); }
OrderedDict<std::string, Tensor> ExportedProgramImpl::constants() const { return parts_->constants; }
Tensor ExportedProgramImpl::state(const std::string& path, bool parameter) const {
    const auto [owner, name] = owner_of(const_cast<ExportedProgramImpl&>(*this), path);
    return (parameter ? owner->own_parameters() : owner->own_buffers())[name];
}

Tensor ExportedProgramImpl::present(const std::string& path, const Tensor& read) const {
    if (parts_->parameters.contains(path)) return state(path, true);
    if (parts_->buffers.contains(path)) return state(path, false);
    // a second name of a tied weight, which the graph does not mention: it follows the first
    for (const auto& p : parts_->parameters)
        if (p->impl() == read.impl()) return state(p.key(), true);
    for (const auto& b : parts_->buffers)
        if (b->impl() == read.impl()) return state(b.key(), false);
    return read;
}

namespace {
/// What the symbols of a program are in one call.
class Sizes {
public:
    explicit Sizes(const ExportedProgramImpl::Parts& parts) : parts_(parts) {}
    void learn(const ExportedInput& input, const IValue& value) {
        if (input.sizes) {
            REEL_CHECK_VALUE(value.isTensor(), "input '", input.path, "' is ", value.repr(), ", expected a tensor");
            const IntArrayRef sizes = value.toTensor().sizes();
            REEL_CHECK_VALUE(sizes.size() == input.sizes->size(), "input '", input.path, "' has ", sizes.size(),
                             " dimensions, the program was exported for ", input.sizes->size());
            for (std::size_t d = 0; d < sizes.size(); ++d) {
                known_[input.path + "." + std::to_string(d)] = sizes[d];
                equals((*input.sizes)[d], sizes[d], reel::str("dimension ", d, " of input '", input.path, "'"));
            }
        } else if (input.number) {
            REEL_CHECK_VALUE(value.isInt(), "input '", input.path, "' is ", value.repr(), ", expected an int");
            known_[input.path] = value.toInt();
            equals(*input.number, value.toInt(), "input '" + input.path + "'");
        }
    }
    void check() const {
        for (const auto& [expression, size, what] : derived_) {
            const auto expected = evaluate(*expression);
            REEL_CHECK_VALUE(!expected || *expected == size, what, " is ", size, ", must be ", *expected, " = ",
                             expression->text());
        }
        for (const SizeRange& r : parts_.ranges) {
            const auto size = evaluate(r.expression);
            if (!size) continue;
            REEL_CHECK_VALUE(!r.high || *size <= *r.high, r.expression.text(), " is ", *size, ", at most ", *r.high,
                             " is allowed");
            // sizes below two are let through, as the reference does
            REEL_CHECK_VALUE(!r.low || *r.low <= 2 || *size >= *r.low, r.expression.text(), " is ", *size,
                             ", at least ", *r.low, " is needed");
        }
        for (const SizeExpression& guard : parts_.guards)
            REEL_CHECK_VALUE(evaluate(guard).value_or(1) != 0, "the inputs do not satisfy ", guard.text());
    }

private:
    std::optional<std::int64_t> evaluate(const SizeExpression& e) const {
        return e.evaluate([&](const std::string& name) -> std::optional<std::int64_t> {
            const auto it = known_.find(name);
            return it == known_.end() ? std::nullopt : std::optional(it->second);
        });
    }
    /// A bare symbol that is met first is what it is; everything else is compared once all are known.
    void equals(const SizeExpression& e, std::int64_t size, std::string what) {
        if (const std::string* symbol = e.symbol(); symbol && !known_.contains(*symbol)) known_[*symbol] = size;
        else derived_.push_back({&e, size, std::move(what)});
    }
    struct Derived {
        const SizeExpression* expression;
        std::int64_t size;
        std::string what;
    };
    const ExportedProgramImpl::Parts& parts_;
    std::map<std::string, std::int64_t> known_;
    std::vector<Derived> derived_;
};

bool same_value(const IValue& a, const IValue& b) {
    if (a.kind() != b.kind()) return false;
    return a.isNone() || a.is(b);
}
} // namespace

IValue ExportedProgramImpl::forward_values(const Args& inputs, const Kwargs& kwargs) {
    std::vector<IValue> leaves;
    REEL_CHECK_VALUE(parts_->in_spec.children.size() == 2,
                     "the program's inputs are no pair of arguments and keywords");
    parts_->in_spec.children[0].flatten(IValue::tuple(inputs), "inputs", leaves);
    parts_->in_spec.children[1].flatten(IValue(kwargs), "keywords", leaves);

    std::vector<IValue> arguments;
    std::map<std::string, Tensor> user_tensors;
    Sizes sizes(*parts_);
    std::size_t next = 0;
    for (const ExportedInput& in : parts_->inputs) {
        switch (in.kind) {
        case ExportedInput::Kind::Parameter:
        case ExportedInput::Kind::Buffer:
            arguments.push_back(state(in.path, in.kind == ExportedInput::Kind::Parameter));
            continue;
        case ExportedInput::Kind::Constant:
            arguments.push_back(parts_->constants[in.path]);
            continue;
        case ExportedInput::Kind::Token:
            arguments.emplace_back();
            continue;
        default:
            break;
        }
        REEL_CHECK_VALUE(next < leaves.size(), "input '", in.path, "' is missing");
        const IValue& leaf = leaves[next++];
        if (in.kind == ExportedInput::Kind::Fixed)
            REEL_CHECK_VALUE(same_value(leaf, in.value), "input '", in.path, "' is ", leaf.repr(),
                             ", but the program was exported for ", in.value.repr(), " alone");
        else sizes.learn(in, leaf);
        if (leaf.isTensor()) user_tensors[in.path] = leaf.toTensor();
        arguments.push_back(leaf);
    }
    sizes.check();

    const std::vector<IValue> results = parts_->graph.run(std::move(arguments));
    std::vector<IValue> user;
    const NoGradGuard no_grad;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const ExportedResult& r = parts_->results[i];
        if (r.kind == ExportedResult::Kind::Token) continue;
        if (r.kind == ExportedResult::Kind::User) user.push_back(results[i]);
        else if (r.kind != ExportedResult::Kind::Input)
            state(r.path, r.kind == ExportedResult::Kind::Parameter).copy_(results[i].toTensor());
        else user_tensors.at(r.path).copy_(results[i].toTensor());
    }
    std::size_t at = 0;
    return parts_->out_spec.unflatten(user, at);
}

} // namespace reel::jit
