// `while`, `for`, and what leaves them.
#include <limits>

#include "emitter.hpp"

namespace reel::jit::emit {

void Emitter::emit_jump(Symbol kind, const syntax::Stmt& s) {
    if (loops_ == 0)
        fail(s, std::string("SyntaxError: '") + (kind == pending::stop ? "break" : "continue") + "' outside loop");
    Node* n = graph_.create(kind, {}, 0);
    n->set_range(at(s));
    graph_.insert_node(n);
    leave_block();
}

void Emitter::emit_loop(const SourceRange& range, Value* trips, const std::function<Condition()>& condition,
                        const std::function<void(Value*)>& body) {
    Node* n = graph_.create(prim::Loop, {trips}, 0);
    n->set_range(range);
    graph_.insert_node(n);
    Block* body_block = n->add_block();
    open_frame(n->add_block()); // the condition stands beside the body until loops are lowered
    const Condition goes_on = condition();
    n->block(1)->add_output(goes_on.value);
    close_frame();
    open_frame(body_block);
    Value* trip = body_block->add_input({}, Type::Int());
    ++loops_;
    refine(goes_on.if_true, range);
    body(trip);
    --loops_;
    close_frame();
}

void Emitter::emit_while(const syntax::Stmt& s) {
    Value* endless = constant(std::numeric_limits<std::int64_t>::max(), at(s));
    emit_loop(
        at(s), endless, [&] { return condition(*s.value); }, [&](Value*) { statements(s.body); });
}

void Emitter::emit_for(const syntax::Expr& target, const syntax::Expr& iterated, const SourceRange& range,
                       const SourceRange& where_refused, const std::function<void()>& body) {
    const Meaning source = iterable(meaning(iterated), where_refused);
    if (const auto elements = static_elements(source, at(iterated))) return emit_unrolled(target, *elements, body);
    Value* trips = length(source, at(iterated));
    Value* always = constant(true, range); // before the loop: no step has anything to do for its condition
    const auto condition = [&] { return Condition{always, {}, {}, {}}; };
    emit_loop(range, trips, condition, [&](Value* trip) {
        assign_to(target, element(source, trip, at(iterated)), at(target));
        body();
    });
}

void Emitter::emit_unrolled(const syntax::Expr& target, const std::vector<Value*>& elements,
                            const std::function<void()>& body) {
    const std::size_t around = std::exchange(loops_, 0); // a jump has no loop here
    for (Value* v : elements) {
        assign_to(target, v, at(target));
        body();
        if (leaves(frame_->block)) break;
    }
    loops_ = around;
}

} // namespace reel::jit::emit
