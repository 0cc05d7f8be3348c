// Makes a program of a graph: a register for each value, jumps for blocks.
#include <algorithm>
#include <unordered_map>

#include <reel/autograd/error.hpp>
#include <reel/script/operator.hpp>

#include "run/construct.hpp"
#include "run/liveness.hpp"
#include "run/program.hpp"

namespace reel::jit {

class Assembler {
public:
    Assembler(Program& program, const Graph& graph) : program_(program), graph_(graph), liveness_(graph) {}

    void run() {
        for (const Value* const v : graph_.inputs()) place(v);
        program_.inputs_ = graph_.inputs().size();
        block(graph_.block());
        // The results stand in a row at the end.
        emit(Code::Move, nullptr);
        take_operands(graph_.block()->return_node());
        for (std::size_t i = 0; i < graph_.outputs().size(); ++i) add_result(fresh());
        program_.registers_ = std::size_t(registers_);
    }

private:
    std::int32_t fresh() { return registers_++; }
    /// The register of a value, which it gets now if it has none.
    std::int32_t place(const Value* v) {
        const auto [at, added] = places_.try_emplace(v, 0);
        if (added) at->second = fresh();
        return at->second;
    }

    Instruction& emit(Code code, const Node* node) {
        Instruction i{};
        i.code = code;
        i.operands = std::uint32_t(program_.operands_.size());
        i.results = std::uint32_t(program_.results_.size());
        program_.code_.push_back(i);
        program_.places_.push_back(node ? node->range() : SourceRange());
        return program_.code_.back();
    }
    Instruction& last() { return program_.code_.back(); }
    void add_operand(const Value* v, bool is_last) {
        program_.operands_.push_back({place(v), is_last && places_.at(v) >= 0});
        ++last().operand_count;
    }
    void add_constant(IValue value) {
        program_.constants_.push_back(std::move(value));
        program_.operands_.push_back({~std::int32_t(program_.constants_.size() - 1), false});
        ++last().operand_count;
    }
    void take_operands(const Node* node, std::size_t from = 0) {
        for (std::size_t i = from; i < node->inputs().size(); ++i)
            add_operand(node->input(i), liveness_.is_last(node, i));
    }
    void add_result(std::int32_t reg) {
        program_.results_.push_back(reg);
        ++last().result_count;
    }
    void give_results(const Node* node) {
        for (const Value* const v : node->outputs()) add_result(v->uses().empty() ? -1 : place(v));
    }
    std::uint32_t name(const std::string& text) {
        program_.names_.push_back(text);
        return std::uint32_t(program_.names_.size() - 1);
    }
    std::uint32_t here() const { return std::uint32_t(program_.code_.size()); }

    void release(const std::vector<const Value*>& values) {
        if (values.empty()) return;
        emit(Code::Release, nullptr);
        for (const Value* const v : values) add_result(place(v));
    }
    void block(const Block* b) {
        for (const Node* n = b->first(); n; n = n->next()) node(n);
    }
    void node(const Node* n);
    void constant(const Node* n);
    void branch(const Node* n);
    void loop(const Node* n);
    void attribute(const Node* n, Code code);
    void call_function(const Node* n);
    void call_method(const Node* n);
    void create(const Node* n);
    void fork(const Node* n);
    void is_instance(const Node* n);
    void operation(const Node* n);
    void constructed(const Node* n, IValue (*with)(std::span<IValue>)) {
        emit(Code::Construct, n).construct = with;
        take_operands(n);
        give_results(n);
    }
    void plain(const Node* n, Code code) {
        emit(code, n);
        take_operands(n);
        give_results(n);
    }

    Program& program_;
    const Graph& graph_;
    Liveness liveness_;
    std::int32_t registers_ = 0;
    std::unordered_map<const Value*, std::int32_t> places_;
};

namespace {
const ClassType* class_of(const Value* v) {
    return v->type() && v->type()->kind() == TypeKind::Class ? static_cast<const ClassType*>(v->type().get()) : nullptr;
}
bool is_true(const Value* v) {
    return v->node()->kind() == prim::Constant && v->node()->has("value") && v->node()->value().isBool() &&
           v->node()->value().toBool();
}
bool is_number(const Value* v) {
    const TypeKind kind = v->type()->kind();
    return kind == TypeKind::Int || kind == TypeKind::Float || kind == TypeKind::Bool;
}
/// The operator of a node that was not matched (a graph that was read from text, say): the first that takes as many.
const Operator* guessed(const Node* n) {
    for (const bool by_type : {true, false})
        for (const Operator* const op : operators(n->kind())) {
            const auto& arguments = op->schema.arguments;
            if (op->schema.is_vararg) return op;
            if (arguments.size() != n->inputs().size()) continue;
            const auto fits = [&](const Argument& a) {
                return n->input(std::size_t(&a - arguments.data()))->type()->is_subtype_of(*a.type);
            };
            if (!by_type || std::all_of(arguments.begin(), arguments.end(), fits)) return op;
        }
    return nullptr;
}
} // namespace

void Assembler::node(const Node* n) {
    const Symbol kind = n->kind();
    if (kind == prim::Constant) constant(n);
    else if (kind == prim::If) branch(n);
    else if (kind == prim::Loop) loop(n);
    else if (kind == prim::GetAttr) attribute(n, Code::GetAttribute);
    else if (kind == prim::SetAttr) attribute(n, Code::SetAttribute);
    else if (kind == prim::CallFunction) call_function(n);
    else if (kind == prim::CallMethod) call_method(n);
    else if (kind == prim::CreateObject) create(n);
    else if (kind == prim::fork || (kind.ns() == "prim" && kind.name().starts_with("fork"))) fork(n);
    else if (kind == prim::isinstance) is_instance(n);
    else if (kind == prim::TupleConstruct) constructed(n, construct::tuple);
    else if (kind == prim::ListConstruct) constructed(n, construct::list);
    else if (kind == prim::DictConstruct) constructed(n, construct::dict);
    else if (kind == prim::TupleUnpack || kind == prim::ListUnpack) plain(n, Code::Unpack);
    else if (kind == prim::unchecked_cast) plain(n, Code::Move);
    else if (kind == prim::Enter) plain(n, Code::Enter);
    else if (kind == prim::Exit) plain(n, Code::Exit);
    else operation(n);
}

void Assembler::constant(const Node* n) {
    if (n->outputs().empty() || n->output()->uses().empty()) return;
    IValue value;
    if (n->has("value"))
        if (const IValue* const given = std::get_if<IValue>(&n->attribute("value"))) value = *given;
    program_.constants_.push_back(std::move(value));
    places_.emplace(n->output(), ~std::int32_t(program_.constants_.size() - 1));
}

void Assembler::branch(const Node* n) {
    const auto results_of = [&](const Block* b) {
        bool any = false;
        for (const Value* const v : n->outputs()) any |= !v->uses().empty();
        if (!any) return;
        emit(Code::Move, n);
        for (std::size_t i = 0; i < n->outputs().size(); ++i) {
            add_operand(b->outputs()[i], liveness_.is_last(b->return_node(), i));
            add_result(n->output(i)->uses().empty() ? -1 : place(n->output(i)));
        }
    };
    emit(Code::JumpUnless, n);
    add_operand(n->input(), liveness_.is_last(n, 0));
    const std::size_t to_else = here() - 1;
    release(liveness_.dead_at_start(n->block(0)));
    block(n->block(0));
    results_of(n->block(0));
    emit(Code::Jump, n);
    const std::size_t to_end = here() - 1;
    program_.code_[to_else].target = here();
    release(liveness_.dead_at_start(n->block(1)));
    block(n->block(1));
    results_of(n->block(1));
    program_.code_[to_end].target = here();
}

// A carried value keeps one register through all steps: that of the body's input is that of the node's output.
void Assembler::loop(const Node* n) {
    const Block* const body = n->block(0);
    const std::int32_t trips = fresh(), condition = fresh(), counter = fresh();
    const std::int32_t index = body->inputs()[0]->uses().empty() ? -1 : place(body->inputs()[0]);
    const bool counted = is_true(n->input(1)) && is_true(body->outputs()[0]); // nothing else ends it
    const auto next_step = [&](Code code) {
        emit(code, n);
        program_.operands_.push_back({trips, false});
        program_.operands_.push_back({condition, false});
        last().operand_count = counted ? 1 : 2;
        add_result(counter);
        add_result(index);
    };
    for (std::size_t i = 0; i < n->outputs().size(); ++i) places_[n->output(i)] = place(body->inputs()[i + 1]);
    emit(Code::Move, n);
    take_operands(n);
    add_constant(-1);
    add_result(trips);
    add_result(condition);
    for (const Value* const v : n->outputs()) add_result(place(v));
    add_result(counter);
    const std::uint32_t head = here();
    next_step(Code::LoopNext);
    block(body);
    if (!counted || !n->outputs().empty()) emit(Code::Move, n);
    take_operands(body->return_node(), counted ? 1 : 0);
    if (!counted) add_result(condition);
    for (const Value* const v : n->outputs()) add_result(place(v));
    next_step(Code::LoopAgain);
    last().target = head + 1;
    program_.code_[head].target = here();
    std::vector<const Value*> dead = liveness_.dead_behind(n);
    for (const Value* const v : n->outputs())
        if (v->uses().empty()) dead.push_back(v);
    release(dead);
}

void Assembler::attribute(const Node* n, Code code) {
    const std::string& attribute = n->text();
    const ClassType* type = class_of(n->input());
    const auto slot = type ? type->find_slot(attribute) : std::nullopt;
    if (type) program_.classes_.push_back(n->input()->type());
    Instruction& i = emit(code, n);
    i.type = slot ? type : nullptr;
    i.target = std::uint32_t(slot.value_or(0));
    i.name = name(attribute);
    take_operands(n);
    give_results(n);
}

void Assembler::call_function(const Node* n) {
    const Node* const callee = n->input()->node();
    Function* function = nullptr;
    for (const auto& [key, value] : callee->attributes())
        if (const auto* const f = std::get_if<Function*>(&value)) function = *f;
    REEL_CHECK(function, "script: a call of a function that the graph does not name");
    emit(Code::CallFunction, n).function = function;
    take_operands(n, 1);
    give_results(n);
}

void Assembler::call_method(const Node* n) {
    const ClassType* const type = class_of(n->input());
    Function* const method = type ? type->find_method(n->text()) : nullptr;
    if (type) program_.classes_.push_back(n->input()->type());
    Instruction& i = emit(Code::CallMethod, n);
    i.function = method;
    i.name = name(n->text());
    take_operands(n);
    give_results(n);
}

void Assembler::create(const Node* n) {
    const ClassType* const type = class_of(n->output());
    REEL_CHECK(type, "script: an object of ", n->output()->type()->str(), " cannot be made");
    program_.classes_.push_back(n->output()->type());
    emit(Code::Create, n).type = type;
    give_results(n);
}

void Assembler::fork(const Node* n) {
    const auto& body = std::get<std::shared_ptr<Graph>>(n->attribute("Subgraph"));
    program_.forks_.push_back(std::make_unique<Program>(*body, program_.name_));
    emit(Code::Fork, n).forked = program_.forks_.back().get();
    take_operands(n);
    give_results(n);
}

void Assembler::is_instance(const Node* n) {
    program_.types_.push_back(std::get<std::vector<TypePtr>>(n->attribute("types")));
    emit(Code::IsInstance, n).target = std::uint32_t(program_.types_.size() - 1);
    take_operands(n);
    give_results(n);
}

void Assembler::operation(const Node* n) {
    const Operator* const op = n->op() ? n->op() : guessed(n);
    const bool numbers = n->inputs().size() == 2 && is_number(n->input(0)) && is_number(n->input(1));
    if (op && op->run_pair && numbers && n->outputs().size() == 1) emit(Code::Pair, n).pair = op->run_pair;
    else if (op && op->run) {
        Instruction& i = emit(Code::Operation, n);
        i.operation = &op->run;
        i.name = name(op->schema.name); // by which regions of autocast know it
    } else {
        const std::string known = op ? op->schema.str() : n->kind().str();
        emit(Code::Refuse, n).name = name(known);
    }
    take_operands(n);
    give_results(n);
}

Program::Program(const Graph& graph, std::string name) : name_(std::move(name)) { Assembler(*this, graph).run(); }
Program::~Program() = default;

} // namespace reel::jit
