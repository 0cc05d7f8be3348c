// The text of a graph (rules SC-60 to SC-65).
#include <reel/script/function.hpp>

#include "literal.hpp"

namespace reel::jit {

namespace {

class GraphPrinter {
public:
    explicit GraphPrinter(bool with_source_ranges) : with_source_ranges_(with_source_ranges) {}

    std::string print(const Graph& graph) {
        print_graph(graph);
        // Bodies of `fork` follow, which may have such bodies themselves.
        for (std::size_t i = 0; i < bodies_.size(); ++i) {
            const Graph& body = *bodies_[i];
            out_ += "with prim::fork_" + std::to_string(i) + " = ";
            names_.clear();
            print_graph(body);
        }
        return std::move(out_);
    }

private:
    void print_graph(const Graph& graph) {
        out_ += "graph(";
        for (const Value* v : graph.inputs()) {
            if (v->offset()) out_ += ",\n      ";
            define(v);
        }
        out_ += "):\n";
        print_nodes(*graph.block(), 2);
        out_ += "  return (" + operands(graph.outputs()) + ")\n";
    }

    void print_nodes(const Block& block, std::size_t indent) {
        for (const Node* n = block.first(); n; n = n->next()) {
            print_node(*n, indent);
        }
    }

    void print_node(const Node& n, std::size_t indent) {
        out_.append(indent, ' ');
        for (const Value* v : n.outputs()) {
            if (v->offset()) out_ += ", ";
            define(v);
        }
        out_ += " = " + n.kind().str();
        print_attributes(n);
        out_ += "(" + operands(n.inputs()) + ")";
        if (!n.scope().empty()) out_ += ", scope: " + n.scope();
        if (with_source_ranges_) {
            if (std::string where = n.range().str(); !where.empty()) out_ += " # " + where;
        }
        out_ += "\n";
        for (std::size_t i = 0; i < n.blocks().size(); ++i) {
            const Block& b = *n.block(i);
            out_.append(indent + 2, ' ');
            out_ += "block" + std::to_string(i) + "(";
            for (const Value* v : b.inputs()) {
                if (v->offset()) out_ += ", ";
                define(v);
            }
            out_ += "):\n";
            print_nodes(b, indent + 4);
            out_.append(indent + 4, ' ');
            out_ += "-> (" + operands(b.outputs()) + ")\n";
        }
    }

    void print_attributes(const Node& n) {
        std::string text;
        for (const auto& [name, value] : n.attributes()) {
            if (auto* body = std::get_if<std::shared_ptr<Graph>>(&value)) {
                out_ += "_" + std::to_string(bodies_.size());
                bodies_.push_back(body->get());
                continue;
            }
            if (std::holds_alternative<Function*>(value)) continue; // its name stands beside it
            const bool empty_list = n.kind() == prim::Constant && std::holds_alternative<IValue>(value) &&
                                    std::get<IValue>(value).isList() && std::get<IValue>(value).elements().empty();
            std::string shown = empty_list
                                    ? "annotate(" + n.output()->type()->annotation_str() + ", [])" // as code has it
                                    : attribute_text(value);
            if (n.kind() == prim::Constant && shown == "None") continue;
            text += (text.empty() ? "" : ", ") + name + "=" + shown;
        }
        if (!text.empty()) out_ += "[" + text + "]";
    }

    static std::string attribute_text(const Attribute& value) {
        if (auto* types = std::get_if<std::vector<TypePtr>>(&value)) {
            std::string text = "[";
            for (const TypePtr& t : *types) {
                text += (text.size() > 1 ? ", " : "") + t->str();
            }
            return text + "]";
        }
        return literal(std::get<IValue>(value));
    }

    void define(const Value* v) {
        // A name's number makes it unique; values without a name are numbers.
        std::string name =
            v->name().empty() ? std::to_string(unnamed_++) : v->name() + "." + std::to_string(++named_[v->name()]);
        out_ += "%" + name + " : " + v->type()->str();
        names_[v] = std::move(name);
    }

    std::string operands(const std::vector<Value*>& values) {
        std::string text;
        for (const Value* v : values) {
            auto it = names_.find(v);
            text += (text.empty() ? "%" : ", %") + (it == names_.end() ? std::string("?") : it->second);
        }
        return text;
    }

    bool with_source_ranges_;
    std::string out_;
    std::unordered_map<const Value*, std::string> names_;
    std::unordered_map<std::string, std::size_t> named_;
    std::size_t unnamed_ = 0;
    std::vector<const Graph*> bodies_;
};

} // namespace

std::string Graph::str(bool with_source_ranges) const { return GraphPrinter(with_source_ranges).print(*this); }

} // namespace reel::jit
