// Names: set and read.
#include "emitter.hpp"
#include "library.hpp"

namespace reel::jit::emit {

Value* Emitter::constant(const IValue& value, const SourceRange& range, TypePtr type) {
    return graph_.insert_constant(value, std::move(type), range);
}

void Emitter::open_frame(Block* block) {
    auto frame = std::make_unique<Frame>();
    frame->block = block;
    frame->outer = frame_;
    frame_ = frame.get();
    frames_.push_back(std::move(frame));
    graph_.set_insert_point(block);
}

Frame Emitter::close_frame() {
    Frame frame = std::move(*frame_);
    frame_ = frame.outer;
    frames_.pop_back();
    if (frame_) graph_.set_insert_point(frame_->block);
    return frame;
}

Value* Emitter::load(const std::string& name, TypePtr type, const SourceRange& range) {
    Node* n = graph_.create(pending::load);
    n->set_range(range);
    n->set("name", IValue(name));
    n->output()->set_type(std::move(type));
    return graph_.insert_node(n)->output();
}

Meaning Emitter::find(const syntax::Expr& e) {
    const std::string& name = e.text;
    if (TypePtr type = frame_->find_value(name)) return load(name, type, at(e));
    if (const Meaning* m = frame_->find_meaning(name)) return *m;
    if (auto m = find_global(name)) return *m;
    if (const ScriptError* why = frame_->find_error(name)) throw *why;
    fail(e, "undefined value " + name);
}

std::optional<Meaning> Emitter::find_global(const std::string& name) {
    if (auto m = library_name(name, context_.whole_names)) return m;
    if (name == "inf" || name == "nan")
        return constant(
            name == "inf" ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN(), {});
    if (!context_.whole_names) {
        const std::string qualified = context_.module + "." + name;
        if (Function* f = context_.find_function(qualified)) return f;
        if (TypePtr t = context_.find_type(qualified)) return Constructor{t};
    }
    return std::nullopt;
}

void Emitter::assign(const std::string& name, Meaning meaning, TypePtr annotation, const SourceRange& range) {
    const auto* held = meaning.as<Value*>();
    if (!held) {
        if (annotation) meaning = as_value(meaning, range);
        else {
            if (frame_->find_outside(name))
                fail(range, "Cannot re-assign '" + name + "' to something that is no value in an inner block");
            frame_->values.erase(name);
            frame_->meanings[name] = std::move(meaning);
            return;
        }
        held = meaning.as<Value*>();
    }
    Value* v = *held;
    const auto name_it = [&] {
        if (v->name().empty() && is_meaningful(name) && v->node()->kind() != pending::load &&
            v->node()->kind() != pending::empty)
            v->set_name(name);
    };
    name_it(); // what it is converted to stays without a name
    if (annotation) {
        v = convert(graph_, range, annotation, v, false);
        if (!v->type()->is_subtype_of(*annotation))
            fail(range, "Variable '" + name + "' is annotated with type " + type_name(*annotation) +
                            " but is being assigned to a value of type " + type_name(*v->type()));
    }
    if (TypePtr before = frame_->values.contains(name) ? nullptr : frame_->find_outside(name)) {
        v = convert(graph_, range, before, v, true);
        if (!v->type()->is_subtype_of(*before))
            fail(range, "Variable '" + name + "' previously had type " + type_name(*before) +
                            " but is now being assigned to a value of type " + type_name(*v->type()));
    }
    if ((*held)->name().empty()) name_it();
    Node* n = graph_.create(pending::store, {v}, 0);
    n->set_range(range);
    n->set("name", IValue(name));
    if (annotation) n->set("types", std::vector<TypePtr>{annotation});
    graph_.insert_node(n);
    frame_->meanings.erase(name);
    frame_->values[name] = annotation ? annotation : v->type();
}

} // namespace reel::jit::emit
