// Statements that are neither assignments, branches nor loops.
#include "emitter.hpp"

namespace reel::jit::emit {

using syntax::Expr;
using syntax::ExprKind;
using syntax::Stmt;
using syntax::StmtKind;

void Emitter::statements(const syntax::Block& block) {
    for (const auto& s : block) {
        statement(*s);
        if (leaves(frame_->block)) return; // what follows is never reached, and may be wrong
    }
}

void Emitter::statement(const Stmt& s) {
    graph_.set_current_range(at(s));
    switch (s.kind) {
    case StmtKind::Expression:
        meaning(*s.value);
        return;
    case StmtKind::Assign:
        return emit_assign(s);
    case StmtKind::AugAssign:
        return emit_aug_assign(s);
    case StmtKind::Return:
        return emit_return(s);
    case StmtKind::Raise:
        return emit_raise(s);
    case StmtKind::Assert:
        return emit_assert(*s.value, s.message.get(), at(s));
    case StmtKind::Delete:
        return emit_delete(s);
    case StmtKind::Pass:
        return;
    case StmtKind::Break:
        return emit_jump(pending::stop, s);
    case StmtKind::Continue:
        return emit_jump(pending::next, s);
    case StmtKind::If:
        return emit_if(s);
    case StmtKind::While:
        return emit_while(s);
    case StmtKind::For:
        return emit_for(*s.targets[0], *s.value, at(s), at(*s.targets[0]), [&] { statements(s.body); });
    case StmtKind::With:
        return emit_with(s);
    case StmtKind::Def:
        frame_->meanings[s.def->name] = Closure{s.def.get()};
        return;
    case StmtKind::Global:
        break;
    }
    fail(s, "Unrecognized statement kind global");
}

void Emitter::emit_return(const Stmt& s) {
    Value* v = s.value ? value(*s.value, declared_result_) : constant(IValue(), at(s), Type::None());
    if (declared_result_) {
        v = convert(graph_, at(s), declared_result_, v, true);
        if (!v->type()->is_subtype_of(*declared_result_))
            fail(s, "Return value was annotated as having type " + type_name(*declared_result_) +
                        " but is actually of type " + type_name(*v->type()));
    } else {
        const auto both = result_ ? unify(result_, v->type()) : v->type();
        if (!both)
            fail(s, "Previous return statement returned a value of type " + type_name(*result_) +
                        " but this return statement returns a value of type " + type_name(*v->type()));
        result_ = *both;
    }
    Node* n = graph_.create(pending::leave, {v}, 0);
    n->set_range(at(s));
    graph_.insert_node(n);
    leave_block();
}

void Emitter::emit_raise(const Stmt& s) {
    if (!s.value) fail(s, "raise needs an exception");
    const Meaning raised = meaning(*s.value);
    const auto* exception = raised.as<ExceptionClass>();
    if (!exception) fail(s, "exceptions must derive from BaseException");
    Arguments arguments;
    Value* message = exception->message ? exception->message : constant(IValue(""), at(s));
    if (message->type()->kind() != TypeKind::String)
        message = call_operator(graph_, at(s), "aten::str", {{message}, {}});
    arguments.positional.push_back(message);
    // Without a call, and for failed assertions, no class is told (rule SC-53).
    if (exception->message && exception->name != "AssertionError")
        arguments.positional.push_back(constant(IValue("builtins." + exception->name), at(s)));
    call_operator(graph_, at(s), "prim::RaiseException", arguments);
    leave_block();
}

void Emitter::emit_assert(const Expr& holds, const Expr* told, const SourceRange& range) {
    const Condition checked = condition(holds);
    const auto fails = [&] {
        Value* message = told ? value(*told) : constant(IValue(""), range);
        if (message->type()->kind() != TypeKind::String)
            message = call_operator(graph_, range, "aten::str", {{message}, {}});
        Value* head = constant(IValue("AssertionError: "), range);
        message = call_operator(graph_, range, "aten::add", {{head, message}, {}});
        call_operator(graph_, range, "prim::RaiseException", {{message}, {}});
        leave_block();
    };
    branch(
        range, checked, [] {}, fails);
}

void Emitter::emit_delete(const Stmt& s) {
    for (const auto& target : s.targets) {
        if (target->kind == ExprKind::Name) {
            find(*target);
            frame_->values.erase(target->text);
            frame_->meanings.erase(target->text);
        } else if (target->kind == ExprKind::Subscript && target->operands.size() == 2 &&
                   (*target)[1].kind != ExprKind::Slice) {
            Value* held = value((*target)[0]);
            Value* index = value((*target)[1]);
            if (held->type()->kind() == TypeKind::Class) call_method(held, "__delitem__", {{index}, {}}, at(*target));
            else call_operator(graph_, at(*target), "aten::Delete", {{held, index}, {}});
        } else fail(*target, "del statements are only supported for deleting list and dict items and variables");
    }
}

void Emitter::emit_with(const Stmt& s, std::size_t item) {
    if (item == s.items.size()) return statements(s.body);
    const syntax::WithItem& with = s.items[item];
    Value* object = value(*with.value);
    const auto* type = dynamic_cast<const ClassType*>(object->type().get());
    if (!type) fail(*with.value, "With item expression must return an object");
    jit::Function* enter = type->find_method("__enter__");
    if (!enter || !type->find_method("__exit__"))
        fail(*with.value, "Object returned by with item expression does not define __enter__ and __exit__ methods");
    Node* begin = graph_.create(prim::Enter, {object});
    begin->set_range(at(*with.value));
    begin->output()->set_type(checked_schema(*enter, at(*with.value)).returns.at(0).type);
    graph_.insert_node(begin);
    if (with.target) assign(with.target->text, begin->output(), nullptr, at(*with.target));
    emit_with(s, item + 1);
    Node* end = graph_.create(prim::Exit, {object});
    graph_.insert_node(end);
}

} // namespace reel::jit::emit
