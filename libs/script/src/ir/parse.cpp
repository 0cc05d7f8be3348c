// Reads the text of a graph.
#include <reel/script/function.hpp>

#include "../types/type_reader.hpp"
#include "literal.hpp"
#include "match.hpp"

namespace reel::jit {

namespace {

class GraphReader {
public:
    GraphReader(std::string_view text, CompilationUnit* unit) : reader_(text, "graph"), unit_(unit) {}

    std::shared_ptr<Graph> read() {
        auto graph = read_graph();
        // The bodies of `fork`, in the order in which they were met.
        for (std::size_t i = 0; i < forks_.size(); ++i) {
            skip_lines();
            reader_.expect("with prim::fork_" + std::to_string(i));
            reader_.expect('=');
            forks_[i]->set("Subgraph", read_graph());
        }
        skip_lines();
        if (!reader_.at_end()) reader_.fail("the end of the graph");
        return graph;
    }

private:
    std::shared_ptr<Graph> read_graph() {
        auto graph = std::make_shared<Graph>();
        values_.clear();
        skip_lines();
        reader_.expect("graph(");
        read_params(*graph->block());
        read_nodes(*graph->block());
        reader_.expect("return");
        for (Value* v : read_operands()) {
            graph->add_output(v);
        }
        end_line();
        return graph;
    }

    // `%x.1 : Tensor, %y : int):`
    void read_params(Block& block) {
        for (bool first = true; !accept_after_lines(')'); first = false) {
            if (!first) reader_.expect(',');
            skip_lines();
            auto [text, type] = read_definition();
            declare(text, block.add_input(std::string(), std::move(type)));
        }
        reader_.expect(':');
        end_line();
    }

    void read_nodes(Block& block) {
        while (true) {
            skip_lines();
            const char c = reader_.peek();
            if (c == '%' || c == '=') read_node(block);
            else return;
        }
    }

    void read_node(Block& block) {
        std::vector<std::pair<std::string, TypePtr>> outputs;
        while (!reader_.accept('=')) {
            if (!outputs.empty()) reader_.expect(',');
            outputs.push_back(read_definition());
        }
        std::string kind = reader_.qualified();
        if (kind.find("::") == kind.npos) reader_.fail("the kind of a node");
        const bool is_fork = kind.starts_with("prim::fork_");
        Graph* graph = block.graph();
        Node* n = graph->create(is_fork ? prim::fork : Symbol(kind), {}, 0);
        if (is_fork) forks_.push_back(n);
        read_attributes(*n, outputs.empty() ? Type::None() : outputs[0].second);
        for (Value* v : read_operands()) {
            n->add_input(v);
        }
        for (auto& [text, type] : outputs) {
            declare(text, n->add_output(std::move(type)));
        }
        if (reader_.accept(", scope: ")) n->set_scope(read_scope());
        block.append(n);
        end_line();
        read_blocks(*n);
        if (n->blocks().empty()) n->set_op(match_operator(*n));
    }

    void read_blocks(Node& n) {
        TextReader::Level level(reader_);
        for (std::size_t i = 0;; ++i) {
            skip_lines();
            if (!reader_.accept("block" + std::to_string(i) + "(")) return;
            Block* b = n.add_block();
            read_params(*b);
            read_nodes(*b);
            reader_.expect("->");
            for (Value* v : read_operands()) {
                b->add_output(v);
            }
            end_line();
        }
    }

    void read_attributes(Node& n, const TypePtr& type) {
        if (!reader_.accept('[')) {
            if (n.kind() == prim::Constant) n.set("value", IValue());
            return;
        }
        for (bool first = true; !reader_.accept(']'); first = false) {
            if (!first) reader_.expect(',');
            std::string name = reader_.word();
            reader_.expect('=');
            if (n.kind() == prim::Constant && type->kind() == TypeKind::Function) {
                Function* function = read_function();
                n.set(name, IValue(function->name()));
                n.set("function", function);
            } else if (n.kind() == prim::Constant) n.set(name, read_literal(reader_, *type));
            else if (reader_.peek() == '[') n.set(name, read_types());
            else if (reader_.peek() == '"') n.set(name, IValue(reader_.quoted()));
            else n.set(name, reader_.number());
        }
    }

    // A graph names a function by the last part of its name.
    Function* read_function() {
        const std::string name = reader_.quoted();
        if (unit_) {
            for (Function* f : unit_->functions()) {
                if (f->name() == name) return f;
            }
        }
        reader_.fail("a function that is known, not '" + name + "'");
    }

    std::vector<TypePtr> read_types() {
        std::vector<TypePtr> types;
        reader_.expect('[');
        while (!reader_.accept(']')) {
            if (!types.empty()) reader_.expect(',');
            types.push_back(read_type());
        }
        return types;
    }

    TypePtr read_type() { return TypeReader(reader_, TypeReader::Dialect::Graph, unit_).read(); }

    std::pair<std::string, TypePtr> read_definition() {
        std::string name = read_name();
        reader_.expect(':');
        return {std::move(name), read_type()};
    }

    std::string read_name() {
        reader_.expect('%');
        std::string name = reader_.qualified();
        if (name.empty()) reader_.fail("the name of a value");
        return name;
    }

    void declare(const std::string& text, Value* v) {
        // `%x.1`: the number only tells values of one name apart; `%7` has none.
        const std::size_t dot = text.rfind('.');
        const bool numbered = dot != text.npos && text.find_first_not_of("0123456789", dot + 1) == text.npos;
        std::string name = numbered ? text.substr(0, dot) : text;
        if (name.find_first_not_of("0123456789") != name.npos) v->set_name(std::move(name));
        if (!values_.emplace(text, v).second) reader_.fail("a value that is given once, not '%" + text + "' again");
    }

    std::vector<Value*> read_operands() {
        std::vector<Value*> operands;
        reader_.expect('(');
        while (!reader_.accept(')')) {
            if (!operands.empty()) reader_.expect(',');
            std::string name = read_name();
            auto it = values_.find(name);
            if (it == values_.end()) reader_.fail("a value that is given before it is used, not '%" + name + "'");
            operands.push_back(it->second);
        }
        return operands;
    }

    std::string read_scope() {
        const std::size_t begin = reader_.position(), end = line_end();
        std::string_view rest = reader_.between(begin, end);
        rest = rest.substr(0, rest.find(" #"));
        reader_.seek(begin + rest.size());
        return std::string(rest);
    }

    std::size_t line_end() { return std::min(reader_.text().find('\n', reader_.position()), reader_.text().size()); }

    void end_line() {
        if (reader_.accept('#')) reader_.seek(line_end());
        if (!reader_.accept('\n') && !reader_.at_end()) reader_.fail("the end of the line");
    }

    void skip_lines() {
        while (reader_.accept('\n')) {
        }
    }

    bool accept_after_lines(char c) {
        skip_lines();
        return reader_.accept(c);
    }

    TextReader reader_;
    CompilationUnit* unit_;
    std::unordered_map<std::string, Value*> values_;
    std::vector<Node*> forks_;
};

} // namespace

std::shared_ptr<Graph> parse_graph(std::string_view text, CompilationUnit* unit) {
    auto graph = GraphReader(text, unit).read();
    graph->verify();
    return graph;
}

} // namespace reel::jit
