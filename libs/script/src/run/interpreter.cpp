// Runs programs: one loop over instructions.
#include <memory>
#include <new>
#include <utility>

#include <reel/autograd/error.hpp>
#include <reel/script/object.hpp>

#include "exported/autocast.hpp"
#include "ops/numbers.hpp"
#include "run/limits.hpp"
#include "run/program.hpp"
#include "run/unwinding.hpp"
#include "run/value_stack.hpp"

namespace reel::jit {

/// One call of a program.
class Interpreter {
public:
    Interpreter(const Program& program, RunState& state, IValue* registers)
        : program_(program), state_(state), stack_(ValueStack::of_thread()), registers_(registers) {}

    void run();
    /// Leaves the `with` blocks that an exception came out of, innermost first.
    void leave_blocks();
    const SourceRange& place() const { return program_.places_[pc_]; }

private:
    using Room = ValueStack::Room;

    IValue& operand(const Instruction& i, std::size_t n = 0) {
        const std::int32_t at = program_.operands_[i.operands + n].index;
        // Constants are never changed: what may change is copied out first.
        return at >= 0 ? registers_[at] : const_cast<IValue&>(program_.constants_[std::size_t(~at)]);
    }
    void load(const Instruction& i, Room& room, std::size_t from = 0) {
        const Operand* const operands = program_.operands_.data() + i.operands;
        for (std::size_t n = from; n < i.operand_count; ++n) {
            const auto [at, last] = operands[n];
            if (at < 0) room.add(program_.constants_[std::size_t(~at)]);
            else if (last) room.add(std::move(registers_[at]));
            else room.add(std::as_const(registers_[at]));
        }
    }
    std::int32_t result(const Instruction& i, std::size_t n) const { return program_.results_[i.results + n]; }
    void store(const Instruction& i, IValue value) {
        if (i.result_count == 1) {
            if (const std::int32_t at = result(i, 0); at >= 0) registers_[at] = std::move(value);
        } else if (i.result_count > 1) store_elements(i, value.elements());
    }
    void store_elements(const Instruction& i, const std::vector<IValue>& elements) {
        for (std::size_t n = 0; n < i.result_count; ++n)
            if (const std::int32_t at = result(i, n); at >= 0) registers_[at] = elements.at(n);
    }

    void operation(const Instruction& i);
    void pair(const Instruction& i) {
        IValue value = i.pair(operand(i, 0), operand(i, 1));
        if (const std::int32_t at = result(i, 0); at >= 0) registers_[at] = std::move(value);
    }
    void unpack(const Instruction& i);
    void move(const Instruction& i);
    bool next_step(const Instruction& i);
    void release(const Instruction& i);
    void get_attribute(const Instruction& i);
    void set_attribute(const Instruction& i);
    void create(const Instruction& i);
    void call_method(const Instruction& i);
    void fork(const Instruction& i);
    void is_instance(const Instruction& i);
    void enter(const Instruction& i);
    void exit(const Instruction& i);
    void step(const Instruction& i);

    const Program& program_;
    RunState& state_;
    ValueStack& stack_;
    IValue* registers_;
    std::size_t pc_ = 0;
    /// Open `with` blocks: their objects, and what an object of torch.autocast has in force.
    struct Entered {
        IValue object;
        std::unique_ptr<AutocastRegion> region;
    };
    std::vector<Entered> entered_;
};

void Interpreter::operation(const Instruction& i) {
    Room arguments(stack_, i.operand_count);
    load(i, arguments);
    if (autocast_is_on()) [[unlikely]]
        autocast(program_.names_[i.name], {arguments.begin(), arguments.size()});
    IValue value = (*i.operation)(std::span<IValue>(arguments.begin(), arguments.size()));
    if (state_.limits.live_bytes) state_.watch(value);
    store(i, std::move(value));
}

void Interpreter::unpack(const Instruction& i) {
    const IValue whole = operand(i);
    const auto& elements = whole.elements();
    REEL_CHECK_VALUE(elements.size() == i.result_count, "Expected ", i.result_count, " elements in a list but found ",
                     elements.size());
    store_elements(i, elements);
}

void Interpreter::move(const Instruction& i) {
    if (i.operand_count == 1) {
        const auto [at, last] = program_.operands_[i.operands];
        const std::int32_t to = result(i, 0);
        if (to < 0) return;
        if (last) registers_[to] = std::move(registers_[at]);
        else registers_[to] = std::as_const(operand(i));
        return;
    }
    Room values(stack_, i.operand_count);
    load(i, values);
    for (std::size_t n = 0; n < i.result_count; ++n)
        if (const std::int32_t at = result(i, n); at >= 0) registers_[at] = std::move(values.begin()[n]);
}

bool Interpreter::next_step(const Instruction& i) {
    const std::int64_t steps = registers_[result(i, 0)].toInt() + 1;
    if (steps >= operand(i, 0).toInt() || (i.operand_count > 1 && !operand(i, 1).toBool())) return false;
    registers_[result(i, 0)] = IValue(steps);
    if (const std::int32_t index = result(i, 1); index >= 0) registers_[index] = IValue(steps);
    return true;
}

void Interpreter::release(const Instruction& i) {
    for (std::size_t n = 0; n < i.result_count; ++n) registers_[result(i, n)] = IValue();
}

void Interpreter::get_attribute(const Instruction& i) {
    const ObjectPtr& object = to_object(operand(i));
    store(i, object->type().get() == i.type && i.type ? object->slot(i.target) : object->attr(program_.names_[i.name]));
}

void Interpreter::set_attribute(const Instruction& i) {
    const ObjectPtr& object = to_object(operand(i));
    IValue value = operand(i, 1);
    if (object->type().get() == i.type && i.type) object->set_slot(i.target, std::move(value));
    else object->setattr(program_.names_[i.name], std::move(value));
}

void Interpreter::create(const Instruction& i) {
    const auto type = std::const_pointer_cast<ClassType>(i.type->cast<ClassType>());
    store(i, to_ivalue(std::make_shared<Object>(type)));
}

void Interpreter::call_method(const Instruction& i) {
    Room arguments(stack_, i.operand_count);
    load(i, arguments);
    const std::string& name = program_.names_[i.name];
    const ObjectPtr object = to_object(arguments.begin()[0]);
    Function* const method = i.function ? i.function : object->type()->find_method(name);
    REEL_CHECK_WITH(AttributeError, method, object->type()->name(), " has no method '", name, "'");
    if (name == "forward" && object->intercepts_calls()) {
        Args inputs(std::make_move_iterator(arguments.begin() + 1),
                    std::make_move_iterator(arguments.begin() + arguments.size()));
        store(i, object->call_forward(*method, std::move(inputs)));
    } else store(i, method->program().run({arguments.begin(), arguments.size()}));
}

void Interpreter::fork(const Instruction& i) {
    Room arguments(stack_, i.operand_count);
    load(i, arguments);
    auto future = std::make_shared<FutureValue>();
    try {
        future->value = i.forked->run({arguments.begin(), arguments.size()});
    } catch (const Unwinding&) { // the program's own; limits are no business of whoever waits
        future->error = std::current_exception();
    }
    store(i, to_ivalue(std::shared_ptr<const FutureValue>(std::move(future))));
}

void Interpreter::is_instance(const Instruction& i) {
    const IValue& v = operand(i);
    bool any = false;
    for (const TypePtr& type : program_.types_[i.target]) any = any || reel::jit::is_instance(v, *type);
    store(i, any);
}

namespace {
IValue call_named(const IValue& object, std::string_view name, std::size_t nones) {
    Function* const method = to_object(object)->type()->find_method(name);
    REEL_CHECK_WITH(AttributeError, method, to_object(object)->type()->name(), " has no method '", name, "'");
    std::vector<IValue> arguments(1 + nones);
    arguments[0] = object;
    return method->program().run(arguments);
}
} // namespace

/// What `with torch.autocast(...)` puts in force for tensors of the CPU; null for other objects and devices. Archives
/// hold the class as the library had it when they were written, in one of several modules.
std::unique_ptr<AutocastRegion> autocast_of(const IValue& v) {
    const ObjectPtr& object = to_object(v);
    const std::string& name = object->type()->name();
    if (!name.ends_with(".autocast") || name.find("autocast_mode.") == std::string::npos) return nullptr;
    const std::string& device = object->attr("device").toStringRef();
    if (device != "cpu") return nullptr;
    const auto dtype = optional_dtype(object->attr("fast_dtype")).value_or(kBFloat16);
    return std::make_unique<AutocastRegion>(device, dtype, object->attr("_enabled").toBool());
}

void Interpreter::enter(const Instruction& i) {
    const IValue object = operand(i);
    store(i, call_named(object, "__enter__", 0));
    entered_.push_back({object, autocast_of(object)});
}
void Interpreter::exit(const Instruction& i) {
    const IValue object = operand(i);
    if (!entered_.empty()) entered_.pop_back();
    store(i, call_named(object, "__exit__", 3));
}
void Interpreter::leave_blocks() {
    for (; !entered_.empty(); entered_.pop_back()) {
        state_.grant();
        try {
            call_named(entered_.back().object, "__exit__", 3);
        } catch (const std::exception&) { // the first exception is the one that counts
        }
    }
}

void Interpreter::step(const Instruction& i) {
    switch (i.code) {
    case Code::Construct: {
        Room arguments(stack_, i.operand_count);
        load(i, arguments);
        store(i, i.construct({arguments.begin(), arguments.size()}));
        break;
    }
    case Code::Unpack:
        unpack(i);
        break;
    case Code::GetAttribute:
        get_attribute(i);
        break;
    case Code::SetAttribute:
        set_attribute(i);
        break;
    case Code::Create:
        create(i);
        break;
    case Code::CallFunction: {
        Room arguments(stack_, i.operand_count);
        load(i, arguments);
        store(i, i.function->program().run({arguments.begin(), arguments.size()}));
        break;
    }
    case Code::CallMethod:
        call_method(i);
        break;
    case Code::Fork:
        fork(i);
        break;
    case Code::IsInstance:
        is_instance(i);
        break;
    case Code::Enter:
        enter(i);
        break;
    case Code::Exit:
        exit(i);
        break;
    case Code::Refuse:
        REEL_THROW(NotImplementedError, "the operator ", program_.names_[i.name], " cannot run here");
    default:
        break;
    }
}

void Interpreter::run() {
    const std::size_t end = program_.code_.size();
    for (; pc_ < end; ++pc_) {
        const Instruction& i = program_.code_[pc_];
        if (--state_.until_check < 0) [[unlikely]]
            state_.check();
        switch (i.code) {
        case Code::Operation:
            operation(i);
            break;
        case Code::Pair:
            pair(i);
            break;
        case Code::Move:
            move(i);
            break;
        case Code::Jump:
            pc_ = i.target - 1;
            break;
        case Code::JumpUnless:
            if (!operand(i).toBool()) pc_ = i.target - 1;
            break;
        case Code::LoopNext:
            if (!next_step(i)) pc_ = i.target - 1;
            break;
        case Code::LoopAgain:
            if (next_step(i)) pc_ = i.target - 1;
            break;
        case Code::Release:
            release(i);
            break;
        default:
            step(i);
        }
    }
}

IValue Program::run(std::span<IValue> arguments) const {
    RunState& state = run_state();
    const CallDepth depth(state);
    REEL_CHECK(arguments.size() == inputs_, name_, ": ", arguments.size(), " arguments for ", inputs_);
    ValueStack::Room registers(ValueStack::of_thread(), registers_);
    for (IValue& v : arguments) registers.add(std::move(v));
    while (registers.size() < registers_) registers.add();
    Interpreter interpreter(*this, state, registers.begin());
    try {
        interpreter.run();
    } catch (...) {
        interpreter.leave_blocks();
        Unwinding unwinding = current_unwinding();
        unwinding.pass(name_, interpreter.place());
        throw unwinding;
    }
    const std::size_t results = code_.back().result_count;
    IValue* const first = registers.begin() + registers_ - results;
    if (results == 1) return std::move(*first);
    return results ? IValue::tuple({std::make_move_iterator(first), std::make_move_iterator(first + results)})
                   : IValue();
}

} // namespace reel::jit
