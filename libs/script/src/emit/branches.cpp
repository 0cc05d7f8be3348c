// `if` and what chooses between two values.
#include <algorithm>

#include "emitter.hpp"

namespace reel::jit::emit {

void Emitter::emit_if(const syntax::Stmt& s) {
    const Condition c = condition(*s.value);
    branch(
        {context_.source, s.begin, s.end}, c, [&] { statements(s.body); }, [&] { statements(s.otherwise); });
}

void Emitter::branch(const SourceRange& range, const Condition& c, const std::function<void()>& when_true,
                     const std::function<void()>& when_false) {
    if (c.known) { // the other branch may be wrong for the types that there are
        if (!*c.known) return when_false();
        refine(c.if_true, range);
        return when_true();
    }
    Node* n = graph_.create(prim::If, {c.value}, 0);
    n->set_range(range);
    graph_.insert_node(n);
    const auto emit_block = [&](const Refinements& refinements, const std::function<void()>& body) {
        open_frame(n->add_block());
        refine(refinements, range);
        body();
        return close_frame();
    };
    const Frame true_frame = emit_block(c.if_true, when_true);
    const Frame false_frame = emit_block(c.if_false, when_false);
    join_branches(range, n, true_frame, false_frame);
}

void Emitter::join_branches(const SourceRange& range, Node* n, const Frame& when_true, const Frame& when_false) {
    const bool true_leaves = leaves(n->block(0)), false_leaves = leaves(n->block(1));
    if (true_leaves && false_leaves) return leave_block();
    std::set<std::string> names;
    for (const Frame* f : {&when_true, &when_false})
        for (const auto& [name, type] : f->values) names.insert(name);
    for (const std::string& name : names) {
        TypePtr a = when_true.find_value(name), b = when_false.find_value(name);
        if (true_leaves) a = b;
        if (false_leaves) b = a;
        if (!a && !b) continue;
        if (!a || !b) {
            frame_->errors.insert_or_assign(
                name, ScriptError(name + " is not defined in the " + (a ? "false" : "true") + " branch", range));
            continue;
        }
        auto both = unify(a, b);
        // what both branches narrowed, or set to members of it, is again what it was declared as
        const TypePtr declared = both ? nullptr : frame_->find_value(name);
        if (declared && a->is_subtype_of(*declared) && b->is_subtype_of(*declared)) both = declared;
        if (!both) {
            const std::string message = "Type mismatch: " + name + " is set to type " + type_name(*a) +
                                        " in the true branch and type " + type_name(*b) + " in the false branch";
            if (frame_->find_value(name)) fail(range, message);
            frame_->errors.insert_or_assign(name, ScriptError(message, range));
            continue;
        }
        frame_->errors.erase(name);
        frame_->meanings.erase(name);
        frame_->values[name] = *both;
    }
    // What went wrong in a branch is still wrong behind it.
    for (const Frame* f : {&when_true, &when_false})
        for (const auto& [name, error] : f->errors)
            if (!frame_->find_value(name)) frame_->errors.emplace(name, error);
    // What else a name means is kept only where the other branch is never left by its end.
    const Frame* lasting = true_leaves ? &when_false : false_leaves ? &when_true : nullptr;
    if (!lasting) return;
    for (const auto& [name, m] : lasting->meanings) frame_->meanings.insert_or_assign(name, m);
    for (const auto& [name, error] : lasting->errors) frame_->errors.insert_or_assign(name, error);
}

Value* Emitter::choose(const SourceRange& range, const Condition& c, const std::function<Value*()>& when_true,
                       const std::function<Value*()>& when_false, bool of_user) {
    if (of_user && c.known) {
        return *c.known ? when_true() : when_false();
    }
    Node* n = graph_.create(prim::If, {c.value}, 0);
    n->set_range(range);
    graph_.insert_node(n);
    const auto emit_block = [&](const Refinements& refinements, const std::function<Value*()>& body) {
        open_frame(n->add_block());
        refine(refinements, range);
        Value* v = body();
        n->blocks().back()->add_output(v);
        close_frame();
        return v->type();
    };
    const TypePtr a = emit_block(c.if_true, when_true), b = emit_block(c.if_false, when_false);
    const auto both = unify(a, b);
    if (!both)
        fail(range,
             "if-expression's true branch has type " + type_name(*a) + " but false branch has type " + type_name(*b));
    return n->add_output(*both);
}

} // namespace reel::jit::emit
