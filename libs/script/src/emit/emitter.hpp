// One function's tree to nodes. What a name means while compiling is in meaning.hpp; statements that jump and variables
// that are set leave nodes of their own kinds (environment.hpp), which the passes of lower.hpp then take away.
#pragma once

#include <functional>
#include <set>

#include "annotations.hpp"
#include "context.hpp"
#include "environment.hpp"
#include "match.hpp"

namespace reel::jit::emit {

/// What a condition tells about a variable.
struct Refinement {
    std::string name;
    TypePtr type;
};
using Refinements = std::vector<Refinement>;

/// A condition: its value, what holds where it is true and where it is false, and its outcome where that is known.
struct Condition {
    Value* value;
    Refinements if_true, if_false;
    std::optional<bool> known;
};

class Emitter {
public:
    Emitter(const Context& context, Graph& graph);

    /// Emits the whole function; gives its schema. `self`: the class of a method's first argument, or null.
    FunctionSchema function(const syntax::Def& def, TypePtr self);
    /// The value of an expression without variables: a default, a class's constant.
    static IValue literal(const Context& context, const syntax::Expr& e, const TypePtr& type);
    /// The schema that annotations alone tell; the result is none where it must be inferred.
    static FunctionSchema head(const Context& context, const syntax::Def& def, TypePtr self);

private:
    // -- places and errors
    SourceRange at(const syntax::Expr& e) const { return {context_.source, e.begin, e.end}; }
    SourceRange at(const syntax::Stmt& s) const { return {context_.source, s.begin, s.end}; }
    template <class Tree> [[noreturn]] void fail(const Tree& where, const std::string& message) const {
        context_.fail(where.begin, where.end, message);
    }
    [[noreturn]] void fail(const SourceRange& where, const std::string& message) const {
        throw ScriptError(message, where);
    }

    // -- variables (variables.cpp)
    Meaning find(const syntax::Expr& name);
    std::optional<Meaning> find_global(const std::string& name);
    Value* load(const std::string& name, TypePtr type, const SourceRange& range);
    void assign(const std::string& name, Meaning meaning, TypePtr annotation, const SourceRange& range);
    void open_frame(Block* block);
    Frame close_frame();
    Value* constant(const IValue& value, const SourceRange& range, TypePtr type = nullptr);

    // -- statements (statements.cpp, assignments.cpp, loops.cpp, branches.cpp)
    void statements(const syntax::Block& block);
    void statement(const syntax::Stmt& s);
    void emit_return(const syntax::Stmt& s);
    void emit_raise(const syntax::Stmt& s);
    void emit_assert(const syntax::Expr& holds, const syntax::Expr* message, const SourceRange& range);
    void emit_delete(const syntax::Stmt& s);
    void emit_with(const syntax::Stmt& s, std::size_t item = 0);
    void emit_if(const syntax::Stmt& s);
    void emit_while(const syntax::Stmt& s);
    void emit_for(const syntax::Expr& target, const syntax::Expr& iterated, const SourceRange& range,
                  const SourceRange& where_refused, const std::function<void()>& body);
    void emit_loop(const SourceRange& range, Value* trips, const std::function<Condition()>& condition,
                   const std::function<void(Value* trip)>& body);
    void emit_jump(Symbol kind, const syntax::Stmt& s);
    void emit_unrolled(const syntax::Expr& target, const std::vector<Value*>& elements,
                       const std::function<void()>& body);
    void emit_assign(const syntax::Stmt& s);
    void emit_declaration(const syntax::Stmt& s);
    void emit_aug_assign(const syntax::Stmt& s);
    void assign_to(const syntax::Expr& target, const Meaning& value, const SourceRange& range);
    void assign_tuple(const syntax::Expr& target, const Meaning& value, const SourceRange& range);
    void assign_subscript(const syntax::Expr& target, Value* value, const SourceRange& range);
    void assign_attribute(const syntax::Expr& target, Value* value, const SourceRange& range);
    void set_attribute(Value* object, const std::string& name, Value* value, const SourceRange& range);
    void augment_subscript(const syntax::Stmt& s);
    Value* augmented(const syntax::Stmt& s, Value* left);
    Value* augmented(const syntax::Stmt& s, Value* left, Value* right, bool in_place);
    void leave_block() { leaving_.insert(frame_->block); }
    bool leaves(Block* block) const { return leaving_.contains(block); }

    // -- branches and conditions (branches.cpp, conditions.cpp)
    void branch(const SourceRange& range, const Condition& condition, const std::function<void()>& when_true,
                const std::function<void()>& when_false);
    void join_branches(const SourceRange& range, Node* node, const Frame& when_true, const Frame& when_false);
    Value* choose(const SourceRange& range, const Condition& condition, const std::function<Value*()>& when_true,
                  const std::function<Value*()>& when_false, bool of_user);
    Condition condition(const syntax::Expr& e);
    Condition short_circuit(const syntax::Expr& e);
    Condition none_check(const syntax::Expr& e);
    Condition instance_check(const syntax::Expr& e);
    std::optional<Condition> known_call(const syntax::Expr& e);
    void refine(const Refinements& refinements, const SourceRange& range);
    Value* to_bool(Value* v, const SourceRange& range);

    // -- expressions (expressions.cpp, operators.cpp, literals.cpp, subscripts.cpp)
    Value* value(const syntax::Expr& e, TypePtr hint = nullptr);
    Meaning meaning(const syntax::Expr& e, TypePtr hint = nullptr);
    Value* as_value(const Meaning& m, const SourceRange& range);
    Value* conditional(const syntax::Expr& e, TypePtr hint);
    Value* unary(const syntax::Expr& e);
    Value* binary(const syntax::Expr& e);
    Value* number(const syntax::Expr& e, bool negative = false);
    Value* list(const syntax::Expr& e, TypePtr hint);
    Value* dict(const syntax::Expr& e, TypePtr hint);
    Value* tuple(const syntax::Expr& e, TypePtr hint);
    Value* list_comprehension(const syntax::Expr& e, TypePtr hint);
    Value* dict_comprehension(const syntax::Expr& e, TypePtr hint);
    Value* subscript(const syntax::Expr& e, TypePtr hint);
    Value* element_of_tuple(Value* tuple, const syntax::Expr& index, const SourceRange& range);
    Value* tuple_slice(Value* tuple, const syntax::Expr& slice, const SourceRange& range);
    Value* slice(Value* sliced, Value* dim, const syntax::Expr& slice, const SourceRange& range);
    /// Integers, slices, `...` and None are applied; what tensors remain to index with are returned.
    std::pair<Value*, std::vector<Value*>> index_plainly(Value* tensor, const syntax::Expr& subscript);
    Value* tensor_list(const std::vector<Value*>& indices, const SourceRange& range);
    Value* tensor_from(Value* v, Value* like, const SourceRange& range);

    // -- calls (calls.cpp, special_forms.cpp, attributes.cpp)
    Meaning call(const syntax::Expr& e, TypePtr hint);
    Meaning call_meaning(const Meaning& callee, const Arguments& arguments, const syntax::Expr& e);
    Arguments arguments_of(const syntax::Expr& call, std::size_t first = 1);
    Value* call_function(Function& f, const Arguments& arguments, const SourceRange& range);
    Value* insert_function_call(Function& f, Matched matched, const SourceRange& range);
    Value* call_choice(const LibraryChoice& choice, const Arguments& arguments, const SourceRange& range);
    Value* cast_tensor(const TensorCast& cast, const Arguments& arguments, const SourceRange& range);
    Value* call_method(Value* self, const std::string& name, const Arguments& arguments, const SourceRange& range);
    Value* call_module(Value* self, const Arguments& arguments, const SourceRange& range);
    Value* construct(const Constructor& c, const Arguments& arguments, const SourceRange& range);
    Value* call_overloads(const Overloads& overloads, Arguments arguments, const SourceRange& range);
    Value* special_form(const SpecialForm& form, const syntax::Expr& e, TypePtr hint);
    Meaning print_form(const syntax::Expr& e);
    Value* getattr_form(const syntax::Expr& e, TypePtr hint);
    Value* list_of(const Meaning& source, const SourceRange& range, TypePtr hint);
    Value* dict_of(const Meaning& source, const SourceRange& range, TypePtr hint);
    std::optional<Meaning> iterable_form(const SpecialForm& form, const syntax::Expr& e);
    Value* fork(const syntax::Expr& e);
    Value* fork_body(const SourceRange& range, bool is_closure, const std::function<Value*()>& emit_body);
    Value* annotate(const syntax::Expr& e);
    Value* to_list(Value* tensor, TypePtr hint, const SourceRange& range);
    Meaning attribute(const syntax::Expr& e);
    Meaning attribute_of(Value* v, const std::string& name, const SourceRange& range);
    std::optional<Meaning> attribute_in(const Namespace& ns, const std::string& name, const SourceRange& range);
    std::optional<Meaning> attribute_of_object(Value* v, const std::string& name, const SourceRange& range);
    bool has_attribute(const Type& type, const std::string& name) const;
    const FunctionSchema& checked_schema(Function& f, const SourceRange& range) const;

    // -- loops' sources (iterables.cpp)
    Meaning iterable(const Meaning& m, const SourceRange& range);
    Value* length(const Meaning& iterable, const SourceRange& range);
    Meaning element(const Meaning& iterable, Value* trip, const SourceRange& range);
    /// A loop over an iterable that binds no variable.
    void walk(const Meaning& iterable, const SourceRange& range, const std::function<void(const Meaning&)>& body);
    /// What `zip` gives in one step, as a tuple.
    Value* whole(const Meaning& element, const SourceRange& range);
    std::optional<std::vector<Value*>> static_elements(const Meaning& iterable, const SourceRange& range);

    const Context& context_;
    Graph& graph_;
    Frame* frame_ = nullptr;
    std::vector<std::unique_ptr<Frame>> frames_;
    std::set<Block*> leaving_; ///< blocks whose end is not reached
    std::size_t loops_ = 0;
    TypePtr declared_result_, result_;
    std::vector<std::unique_ptr<FunctionSchema>> kept_;
};

/// The methods and functions that are being compiled now, from the outermost to the innermost: for recursion.
bool is_being_compiled(const Function& f);

} // namespace reel::jit::emit
