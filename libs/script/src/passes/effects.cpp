#include "effects.hpp"

#include <reel/script/operator.hpp>

namespace reel::jit::passes {

namespace {

bool is_call(const Node* n) {
    return n->kind() == prim::CallFunction || n->kind() == prim::CallMethod || n->kind() == prim::fork;
}

} // namespace

bool is_mutable(const Type& type) {
    switch (type.kind()) {
    case TypeKind::Int:
    case TypeKind::Float:
    case TypeKind::Bool:
    case TypeKind::Complex:
    case TypeKind::Number:
    case TypeKind::String:
    case TypeKind::None:
    case TypeKind::Device:
    case TypeKind::Enum:
    case TypeKind::Function:
        return false;
    case TypeKind::Optional:
    case TypeKind::Tuple:
    case TypeKind::Union:
        for (const TypePtr& t : type.contained()) {
            if (is_mutable(*t)) return true;
        }
        return false;
    default:
        return true;
    }
}

bool has_side_effects(const Node* n) {
    static const std::unordered_set<std::string> kinds = {"prim::Print",
                                                          "prim::RaiseException",
                                                          "prim::SetAttr",
                                                          "prim::CallFunction",
                                                          "prim::CallMethod",
                                                          "prim::fork",
                                                          "prim::Enter",
                                                          "prim::Exit",
                                                          "aten::warn",
                                                          "aten::wait",
                                                          "aten::backward",
                                                          "aten::manual_seed",
                                                          "aten::set_grad_enabled"};
    if (kinds.contains(n->kind().str())) return true;
    return n->op() && n->op()->has_side_effects;
}

bool writes(const Node* n, std::size_t operand) {
    if (!n->op() || operand >= n->op()->schema.arguments.size()) return false;
    return n->op()->schema.arguments[operand].is_written;
}

bool writes(const Node* n) {
    for (std::size_t i = 0; i < n->inputs().size(); ++i) {
        if (writes(n, i)) return true;
    }
    return false;
}

namespace {
/// A tensor that is written takes the elements of others, and goes on sharing memory with nothing but what it is.
bool writes_tensors_alone(const Node* n) {
    bool any = false;
    for (std::size_t i = 0; i < n->inputs().size(); ++i) {
        if (!writes(n, i)) continue;
        if (n->input(i)->type()->kind() != TypeKind::Tensor) return false;
        any = true;
    }
    for (const Value* v : n->outputs())
        if (v->type()->kind() != TypeKind::Tensor) return false;
    return any;
}
} // namespace

AliasClasses::AliasClasses(const Graph& graph) {
    for (const Value* v : graph.inputs()) {
        see(v);
    }
    add_block(*graph.block());
}

const Value* AliasClasses::of(const Value* v) {
    const Value* root = v;
    for (auto it = parent_.find(root); it != parent_.end(); it = parent_.find(root)) root = it->second;
    while (v != root) { // paths are kept short
        const Value*& up = parent_[v];
        v = up;
        up = root;
    }
    return root;
}

void AliasClasses::join(const Value* a, const Value* b) {
    a = of(a);
    b = of(b);
    if (a == b) return;
    parent_[a] = b;
    if (seen_outside_.contains(a)) seen_outside_.insert(b);
}

void AliasClasses::see(const Value* v) { seen_outside_.insert(of(v)); }

void AliasClasses::join_all(const Node* n) {
    const Value* first = nullptr;
    const auto one = [&](const Value* v) {
        if (!is_mutable(*v->type())) return;
        if (first) join(first, v);
        first = v;
    };
    for (const Value* v : n->inputs()) {
        one(v);
    }
    for (const Value* v : n->outputs()) {
        one(v);
    }
}

void AliasClasses::join_written(const Node* n) {
    const Value* written = nullptr;
    for (std::size_t i = 0; i < n->inputs().size(); ++i) {
        if (!writes(n, i)) continue;
        if (written) join(written, n->input(i));
        written = n->input(i);
    }
    for (const Value* v : n->outputs()) join(written, v);
}

void AliasClasses::add_block(const Block& b) {
    for (const Node* n = b.first(); n; n = n->next()) {
        add_node(n);
    }
}

void AliasClasses::add_node(const Node* n) {
    for (const Block* b : n->blocks()) {
        add_block(*b);
    }
    if (n->kind() == prim::If) {
        for (std::size_t i = 0; i < n->outputs().size(); ++i) {
            for (const Block* b : n->blocks()) {
                join(n->output(i), b->outputs()[i]);
            }
        }
    } else if (n->kind() == prim::Loop) {
        for (std::size_t i = 0; i < n->outputs().size(); ++i) {
            join(n->output(i), n->input(i + 2));
            join(n->output(i), n->block(0)->inputs()[i + 1]);
            join(n->output(i), n->block(0)->outputs()[i + 1]);
        }
    } else if (is_call(n) || n->kind() == prim::GetAttr || n->kind() == prim::SetAttr || !n->blocks().empty()) {
        for (const Value* v : n->inputs()) {
            see(v);
        }
        for (const Value* v : n->outputs()) {
            see(v);
        }
    } else if (n->op()) {
        // A result is fresh unless the schema says that it is part of an operand; a written container holds what it
        // got.
        const FunctionSchema& schema = n->op()->schema;
        if (writes_tensors_alone(n)) return join_written(n);
        bool shares = writes(n) || schema.is_vararg;
        for (const Argument& r : schema.returns) {
            shares |= r.is_alias || r.type->kind() == TypeKind::Var;
        }
        for (const Value* v : n->outputs()) {
            shares |= v->type()->kind() != TypeKind::Tensor && is_mutable(*v->type());
        }
        if (shares) join_all(n);
    } else if (n->kind() != prim::Constant) {
        join_all(n);
    }
}

} // namespace reel::jit::passes
