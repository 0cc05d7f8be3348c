// From what was recorded to methods: every call of a module becomes a method of its class, given what its block uses
// from outside, returning what others use of it.
#include <algorithm>

#include "trace/tracer.hpp"

namespace reel::jit::trace_impl {

namespace {

using ValueMap = std::unordered_map<const jit::Value*, jit::Value*>;

/// The type without what a trace knows of tensors.
TypePtr plain(const TypePtr& type) {
    std::vector<TypePtr> inner;
    for (const TypePtr& t : type->contained()) inner.push_back(plain(t));
    switch (type->kind()) {
    case TypeKind::Tensor:
        return Type::Tensor();
    case TypeKind::Tuple:
        return Type::Tuple(std::move(inner));
    case TypeKind::List:
        return Type::List(inner[0]);
    case TypeKind::Dict:
        return Type::Dict(inner[0], inner[1]);
    default:
        return type;
    }
}

bool writes(const Node& n) {
    if (!n.op()) return false;
    const auto& arguments = n.op()->schema.arguments;
    return std::any_of(arguments.begin(), arguments.end(), [](const Argument& a) { return a.is_written; });
}
/// Takes away what nobody uses, from the end on. Unlike in scripts that goes for random numbers, too; calls of methods
/// stay. It comes last: what a module is given and returns counts such uses.
void drop_unused(Block* block) {
    for (Node* n = block->last(); n;) {
        Node* const before = n->prev();
        const bool used = std::any_of(n->outputs().begin(), n->outputs().end(),
                                      [](const jit::Value* v) { return !v->uses().empty(); });
        if (!used && !writes(*n) && n->kind() != prim::CallMethod) n->destroy();
        n = before;
    }
}

/// `a.b` of `a.b.c`, and `c`.
std::vector<std::string> parts(const std::string& path) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t dot = std::min(path.find('.', at), path.size());
        if (dot > at) out.push_back(path.substr(at, dot - at));
        at = dot + 1;
    }
    return out;
}
bool is_below(const std::string& path, const std::string& module) {
    return module.empty() ||
           (path.size() > module.size() && path.compare(0, module.size(), module) == 0 && path[module.size()] == '.');
}

class MethodMaker {
public:
    MethodMaker(Graph& recorded, const Module& root) : recorded_(recorded), root_(root) {}

    void run() {
        Block* const all = recorded_.block();
        calls_of(all);
        const auto graph = body(*all, "", recorded_.inputs(), all->outputs());
        add(root_, graph);
    }

private:
    Module module_at(const std::string& path) const {
        return path.empty() ? root_ : Module(std::static_pointer_cast<ModuleImpl>(root_->get_submodule(path)));
    }
    TypePtr type_of_value(const jit::Value* v) const {
        const auto known = full_.find(v);
        return known == full_.end() ? v->type() : known->second;
    }
    /// The value that stands for a module, where its method is called.
    jit::Value* module_value(const std::string& path) {
        jit::Value*& v = module_values_[path];
        if (!v) {
            Node* const n = recorded_.create(member, {}, 1);
            n->set("name", IValue(path));
            recorded_.block()->prepend(n);
            v = n->output()->set_type(module_at(path).type());
        }
        return v;
    }

    void calls_of(Block* block) {
        for (Node* n = block->first(); n;) {
            Node* const next = n->next();
            if (n->kind() == module_call) replace_call(n);
            n = next;
        }
    }
    void replace_call(Node* n) {
        const std::string path = n->text();
        Block* const block = n->block(0);
        calls_of(block);
        const std::vector<jit::Value*> captured = captures(*block, path), results = used_outside(*block);
        const auto graph = body(*block, path, captured, results);
        const std::string name = add(module_at(path), graph);
        std::vector<jit::Value*> operands = {module_value(path)};
        operands.insert(operands.end(), captured.begin(), captured.end());
        Node* const call = recorded_.create(prim::CallMethod, operands, 1);
        call->set("name", IValue(name));
        call->insert_before(n);
        if (results.size() == 1) {
            full_[call->output()] = type_of_value(results[0]);
            results[0]->replace_all_uses_with(call->output());
        } else if (!results.empty()) {
            call->output()->set_type(Type::Tuple(std::vector<TypePtr>(results.size(), Type::Tensor())));
            Node* const unpack = recorded_.create(prim::TupleUnpack, {call->output()}, 0);
            unpack->insert_before(n);
            for (jit::Value* v : results) v->replace_all_uses_with(unpack->add_output(type_of_value(v)));
        } else call->output()->set_type(Type::None());
        n->destroy();
    }

    static bool is_inside(const jit::Value* v, const Block& block) { return v->node()->owning_block() == &block; }
    static bool is_member(const jit::Value* v) { return v->node()->kind() == member; }
    /// Whether the module can fetch it from itself.
    static bool is_own(const jit::Value* v, const std::string& path) {
        return is_member(v) && is_below(v->node()->text(), path);
    }
    /// What the block uses from outside, in the order of first uses.
    static std::vector<jit::Value*> captures(const Block& block, const std::string& path) {
        std::vector<jit::Value*> out;
        for (const Node* n = block.first(); n; n = n->next())
            for (jit::Value* v : n->inputs())
                if (!is_inside(v, block) && !is_own(v, path) && std::find(out.begin(), out.end(), v) == out.end())
                    out.push_back(v);
        return out;
    }
    /// What others use of the block, in the order in which they do.
    std::vector<jit::Value*> used_outside(const Block& block) const {
        std::vector<jit::Value*> out;
        for (const Node* n = block.first(); n; n = n->next())
            for (jit::Value* v : n->outputs())
                if (std::any_of(v->uses().begin(), v->uses().end(),
                                [&](const Use& u) { return u.user->owning_block() != &block; }))
                    out.push_back(v);
        if (out.size() < 2) return out;
        std::vector<jit::Value*> ordered;
        order_by_use(*recorded_.block(), block, out, ordered);
        return ordered;
    }
    static void order_by_use(const Block& where, const Block& made_in, const std::vector<jit::Value*>& values,
                             std::vector<jit::Value*>& ordered) {
        if (&where == &made_in || ordered.size() == values.size()) return;
        const auto take = [&](jit::Value* v) {
            if (std::find(values.begin(), values.end(), v) != values.end() &&
                std::find(ordered.begin(), ordered.end(), v) == ordered.end())
                ordered.push_back(v);
        };
        for (const Node* n = where.first(); n; n = n->next()) {
            for (jit::Value* v : n->inputs()) take(v);
            for (const Block* inner : n->blocks()) order_by_use(*inner, made_in, values, ordered);
        }
        for (jit::Value* v : where.outputs()) take(v);
    }

    /// The graph of a method of the module at `path`.
    std::shared_ptr<Graph> body(const Block& block, const std::string& path, const std::vector<jit::Value*>& inputs,
                                const std::vector<jit::Value*>& results) {
        auto graph = std::make_shared<Graph>();
        const Module module = module_at(path);
        jit::Value* const self = graph->add_input("self", module.type());
        ValueMap map;
        for (const jit::Value* v : inputs) map[v] = graph->add_input(v->name(), type_of_value(v));
        const auto fetch = [&](const jit::Value* v) {
            if (is_own(v, path) && !map.count(v)) map[v] = get_member(*graph, self, module, v->node()->text(), path);
        };
        for (const Node* n = block.first(); n; n = n->next())
            for (const jit::Value* v : n->inputs()) fetch(v);
        for (const jit::Value* v : results) fetch(v);
        copy_nodes(block, *graph, map);
        add_results(*graph, map, results);
        drop_unused(graph->block());
        return graph;
    }
    /// As Graph::copy_block_into, without the values that stand for members.
    static void copy_nodes(const Block& block, Graph& graph, ValueMap& map) {
        graph.set_insert_point(graph.block());
        for (const Node* n = block.first(); n; n = n->next()) {
            if (n->kind() == member || n->kind() == looked_at) continue;
            std::vector<jit::Value*> operands;
            for (const jit::Value* v : n->inputs()) operands.push_back(map.at(v));
            Node* const copy = graph.create(n->kind(), operands, 0);
            for (const jit::Value* v : n->outputs()) map[v] = copy->add_output(v->type())->set_name(v->name());
            for (const auto& [name, value] : n->attributes()) copy->set(name, value);
            copy->set_op(n->op());
            copy->set_scope(n->scope());
            graph.insert_node(copy);
        }
    }
    void add_results(Graph& graph, const ValueMap& map, const std::vector<jit::Value*>& results) const {
        if (results.size() == 1) graph.add_output(map.at(results[0]));
        else if (results.empty()) graph.add_output(graph.insert_constant({}, Type::None()));
        else {
            std::vector<jit::Value*> values;
            std::vector<TypePtr> types;
            for (const jit::Value* v : results) {
                values.push_back(map.at(v));
                types.push_back(type_of_value(v));
            }
            Node* const tuple = graph.insert_node(graph.create(prim::TupleConstruct, values, 1));
            graph.add_output(tuple->output()->set_type(Type::Tuple(types)));
        }
    }
    /// `self.a.b`: a chain before all others.
    static jit::Value* get_member(Graph& graph, jit::Value* self, const Module& module, const std::string& path,
                                  const std::string& own) {
        std::vector<Node*> chain;
        jit::Value* from = self;
        ClassTypePtr type = module.type();
        for (const std::string& name : parts(own.empty() ? path : path.substr(own.size() + 1))) {
            Node* const get = graph.create(prim::GetAttr, {from}, 1);
            get->set("name", IValue(name));
            const TypePtr& attribute = type->attributes()[type->find_slot(name).value()].type;
            from = get->output()->set_type(attribute)->set_name(name[0] >= '0' && name[0] <= '9' ? "_" + name : name);
            if (attribute->kind() == TypeKind::Class)
                type = std::const_pointer_cast<ClassType>(attribute->cast<ClassType>());
            chain.push_back(get);
        }
        for (auto n = chain.rbegin(); n != chain.rend(); ++n) graph.block()->prepend(*n);
        return from;
    }
    /// `forward`, or `forward1` where the module was called before.
    static std::string add(const Module& module, const std::shared_ptr<Graph>& graph) {
        std::string name = "forward";
        for (int n = 1; module.type()->find_method(name); ++n) name = "forward" + std::to_string(n);
        FunctionSchema schema;
        schema.name = name;
        int unnamed = 0;
        for (const jit::Value* v : graph->inputs()) {
            Argument a;
            a.name = !v->name().empty() ? v->name() : "argument_" + std::to_string(++unnamed);
            a.type = plain(v->type());
            schema.arguments.push_back(std::move(a));
        }
        Argument result;
        result.type = plain(graph->outputs()[0]->type());
        schema.returns.push_back(std::move(result));
        module.type()->add_method(
            std::make_shared<Function>(module.type()->name() + "." + name, graph, std::move(schema)));
        return name;
    }

    Graph& recorded_;
    Module root_;
    std::map<std::string, jit::Value*> module_values_;
    std::unordered_map<const jit::Value*, TypePtr> full_; ///< of results of calls, which show no more than `Tensor`
};

/// Prints as what was traced.
class TracedModuleImpl final : public ModuleImpl {
public:
    using ModuleImpl::ModuleImpl;
    std::string repr_name() const override { return original_name(); }
};

/// The script module of `m`, children first.
Module make_module(const nn::Module& m, const std::string& class_name, const std::shared_ptr<CompilationUnit>& unit,
                   std::map<const nn::Module*, Module>& made) {
    if (const auto known = made.find(&m); known != made.end()) return known->second;
    std::vector<std::pair<std::string, Module>> children;
    for (const auto& child : m.own_children())
        if (*child) children.emplace_back(child.key(), make_module(**child, "", unit, made));
    std::string name = class_name;
    if (name.empty()) {
        const Layer* const layer = find_layer(m);
        name = (layer ? "torch.nn.modules." + std::string(layer->file) + "." : std::string()) + m.repr_name();
    }
    const auto type = std::make_shared<ClassType>(unit->mangled("__torch__." + name), true, unit.get());
    unit->add_type(type);
    const auto impl = std::make_shared<TracedModuleImpl>(type, unit);
    using Kind = ClassType::AttributeKind;
    for (const auto& p : m.own_parameters())
        if (p->defined()) impl->add_attribute(p.key(), Type::Tensor(), *p, Kind::Parameter);
    for (const auto& b : m.own_buffers())
        if (b->defined()) impl->add_attribute(b.key(), Type::Tensor(), *b, Kind::Buffer);
    impl->add_attribute("training", Type::Bool(), m.is_training(), Kind::Regular);
    impl->add_attribute("_is_full_backward_hook", Type::Optional(Type::Bool()), {}, Kind::Regular);
    const Module out(impl);
    for (const auto& [key, child] : children) out.register_module(key, child);
    if (!m.is_training()) impl->train(false);
    return made.emplace(&m, out).first->second;
}
} // namespace

Module make_modules(const nn::Module& root, const std::string& class_name) {
    std::map<const nn::Module*, Module> made;
    return make_module(root, class_name, std::make_shared<CompilationUnit>(), made);
}
void make_methods(Graph& recorded, const Module& root) { MethodMaker(recorded, root).run(); }

} // namespace reel::jit::trace_impl
