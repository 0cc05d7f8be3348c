// The table of operators: filled name by name, as programs ask.
#include <reel/script/operator.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

#include <reel/autograd/detail/edit_distance.hpp>
#include <reel/autograd/error.hpp>

#include "ops/mapping.hpp"
#include "ops/own.hpp"
#include "ops/schemas/schemas.hpp"

namespace reel::jit {

namespace {

/// Operators that reach files or the process, and what only the reference's own interpreter means (rule SC-96).
constexpr std::string_view refused_names[] = {"aten::from_file", "aten::save", "prim::PythonOp"};
/// Never dropped though nobody uses their results.
constexpr std::string_view effectful[] = {"aten::manual_seed", "aten::set_grad_enabled", "aten::_assert_scalar",
                                          "aten::_assert_tensor_metadata"};

/// Under which name an operator does the same with the same arguments.
constexpr std::pair<std::string_view, std::string_view> same_as[] = {
    {"aten::_conj", "aten::conj"},
    {"aten::_neg_view", "aten::neg"},
    {"aten::_conj_physical", "aten::conj_physical"},
    {"aten::_stack", "aten::stack"},
    {"aten::_pdist_forward", "aten::pdist"},
    {"aten::_prelu_kernel", "aten::prelu"},
    {"aten::_unsafe_index", "aten::index"},
    {"aten::_unsafe_index_put", "aten::index_put"},
    {"aten::_unsafe_view", "aten::reshape"},
    {"aten::unsafe_split_with_sizes", "aten::split_with_sizes"},
};
FunctionSchema with_usual_name(FunctionSchema schema) {
    for (const auto& [inner, usual] : same_as)
        if (schema.name == inner) schema.name = usual;
    return schema;
}

class Table {
public:
    Table() {
        for (const std::string_view* const family : schemas::all)
            for (std::string_view rest = *family; !rest.empty();) {
                const std::size_t end = std::min(rest.find('\n'), rest.size());
                if (const std::string_view line = rest.substr(0, end); !line.empty())
                    texts_[base(line)].push_back(line);
                rest.remove_prefix(std::min(end + 1, rest.size()));
            }
        for (const auto& lines :
             {own::arithmetic(), own::math(), own::comparisons(), own::strings(), own::formats(), own::lists(),
              own::dicts(), own::tensors(), own::factories(), own::layers(), own::inner(), own::programs(),
              own::gradients(), own::linalg(), own::attention(), own::quantization(), own::decomposed()})
            for (const own::Line& line : lines) own_.emplace(line.name, &line);
    }
    const std::vector<const Operator*>& of(Symbol name) {
        static const std::vector<const Operator*> none;
        std::lock_guard lock(mutex_);
        if (const auto made = made_.find(name.address()); made != made_.end()) return made->second;
        const auto texts = texts_.find(name.str());
        if (texts == texts_.end()) return none;
        std::vector<const Operator*> operators;
        for (const std::string_view text : texts->second) {
            kept_.push_back(make(text));
            operators.push_back(kept_.back().get());
        }
        return made_.emplace(name.address(), std::move(operators)).first->second;
    }
    std::vector<std::string> similar(std::string_view name) const;

private:
    /// `aten::add` of `aten::add.Tensor(...)`.
    static std::string_view base(std::string_view text) {
        text = text.substr(0, text.find('('));
        return text.substr(0, text.find('.'));
    }
    const own::Line* own_line(const FunctionSchema& schema) const {
        if (const auto exact = own_.find(schema.qualified()); exact != own_.end()) return exact->second;
        const bool on_tensors = std::any_of(schema.arguments.begin(), schema.arguments.end(),
                                            [](const Argument& a) { return a.type->kind() == TypeKind::Tensor; });
        const auto all = own_.find(schema.name + ".*");
        return on_tensors || all == own_.end() ? nullptr : all->second;
    }
    std::unique_ptr<Operator> make(std::string_view text) const {
        auto op = std::make_unique<Operator>();
        op->schema = parse_schema(text);
        op->symbol = Symbol(op->schema.name);
        const auto is_in = [&](const auto& names) {
            return std::find(std::begin(names), std::end(names), op->schema.name) != std::end(names);
        };
        op->refused = is_in(refused_names);
        op->has_side_effects = is_in(effectful);
        if (op->refused) return op;
        const FunctionSchema asked = with_usual_name(op->schema);
        if (const own::Line* const line = own_line(asked)) {
            op->run = line->run;
            op->run_pair = line->run_pair;
            op->has_side_effects |= line->has_side_effects;
        } else {
            ReelCall call = map_to_reel(asked);
            op->run = std::move(call.run);
            op->has_side_effects |= call.is_random;
        }
        return op;
    }

    std::mutex mutex_;
    std::unordered_map<std::string_view, std::vector<std::string_view>> texts_;
    std::map<std::string, const own::Line*, std::less<>> own_;
    std::unordered_map<const void*, std::vector<const Operator*>> made_;
    std::vector<std::unique_ptr<Operator>> kept_;
};

Table& table() {
    static auto* const t = new Table; // operators are referred to for as long as the process lives
    return *t;
}

std::vector<std::string> Table::similar(std::string_view name) const {
    constexpr std::size_t longest = 64; // a name from an archive may be of any length
    if (name.size() > longest) return {};
    std::vector<std::string> near;
    for (const auto& [other, texts] : texts_)
        if (reel::detail::edit_distance(name, other) <= 2) near.emplace_back(other);
    std::sort(near.begin(), near.end());
    return near;
}

} // namespace

const std::vector<const Operator*>& operators(Symbol name) { return table().of(name); }

const Operator* find_operator(std::string_view qualified) {
    const std::size_t dot = std::min(qualified.find('.'), qualified.size());
    const std::string_view overload = qualified.substr(std::min(dot + 1, qualified.size()));
    for (const Operator* const op : operators(Symbol(qualified.substr(0, dot))))
        if (op->schema.overload == overload) return op;
    return nullptr;
}

std::vector<std::string> similar_operators(std::string_view name) { return table().similar(name); }

} // namespace reel::jit
