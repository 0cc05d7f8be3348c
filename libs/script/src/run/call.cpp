// Calls from outside: arguments are bound to the schema, errors become exceptions (rules SC-58, SC-59).
#include <mutex>

#include <reel/autograd/error.hpp>
#include <reel/script/function.hpp>

#include "ops/numbers.hpp"
#include "run/limits.hpp"
#include "run/program.hpp"
#include "run/unwinding.hpp"

namespace reel::jit {

Program& Function::program() {
    if (Program* const made = ready_.load(std::memory_order_acquire)) return *made;
    static std::recursive_mutex making; // compiling one function may ask for another
    const std::lock_guard lock(making);
    ensure_defined();
    if (!program_) program_ = std::make_unique<Program>(*graph_, qualified_name_);
    ready_.store(program_.get(), std::memory_order_release);
    return *program_;
}

namespace {
bool is_one_number(const IValue& v) { return v.isTensor() && v.toTensor().defined() && v.toTensor().numel() == 1; }

bool convert_to(IValue& value, const Type& type) {
    if (is_instance(value, type)) return true;
    switch (type.kind()) {
    case TypeKind::Optional:
        return convert_to(value, *type.contained()[0]);
    case TypeKind::Float:
        if (value.isInt()) value = double(value.toInt());
        else if (is_one_number(value)) value = value.toTensor().item().toDouble();
        return value.isDouble();
    case TypeKind::Int:
        if (value.isDtype()) value = number_of_dtype(value.toDtype());
        else if (is_one_number(value) && isIntegralType(value.toTensor().scalar_type(), false))
            value = value.toTensor().item().toLong();
        return value.isInt();
    case TypeKind::Bool:
        if (is_one_number(value) && value.toTensor().scalar_type() == kBool) value = value.toTensor().item().toBool();
        return value.isBool();
    case TypeKind::Complex:
        if (value.isScalar() && !value.isBool()) value = value.toComplexDouble();
        return value.isComplexDouble();
    case TypeKind::Number:
        if (is_one_number(value)) value = value.toTensor().item();
        return value.isScalar();
    case TypeKind::Device:
        if (value.isString()) value = value.toDevice();
        return value.isDevice();
    case TypeKind::List: {
        if (!value.isSequence()) return false;
        std::vector<IValue> elements = value.elements(); // a list of its own, as of tuples
        for (IValue& e : elements)
            if (!convert_to(e, *type.contained()[0])) return false;
        value = IValue::list(std::move(elements));
        return true;
    }
    case TypeKind::Tuple: {
        if (!value.isSequence() || value.elements().size() != type.contained().size()) return false;
        std::vector<IValue> elements = value.elements();
        for (std::size_t i = 0; i < elements.size(); ++i)
            if (!convert_to(elements[i], *type.contained()[i])) return false;
        value = IValue::tuple(std::move(elements));
        return true;
    }
    default:
        return false;
    }
}
} // namespace

bool convert_argument(IValue& value, const Argument& argument) { return convert_to(value, *argument.type); }

std::vector<IValue> bind_arguments(const FunctionSchema& schema, Args args, const Kwargs& kwargs) {
    const auto& wanted = schema.arguments;
    const auto declaration = [&] { return ". Declaration: " + schema.str(); };
    REEL_CHECK_TYPE(args.size() <= wanted.size(), schema.name, "() expected at most ", wanted.size(),
                    " argument(s) but received ", args.size(), " argument(s)", declaration());
    std::vector<IValue> bound(wanted.size());
    std::vector<bool> given(wanted.size());
    for (std::size_t i = 0; i < args.size(); ++i) {
        bound[i] = std::move(args[i]);
        given[i] = true;
    }
    for (const auto& [key, value] : kwargs) {
        const std::size_t i = schema.find_argument(key.toStringRef());
        REEL_CHECK_TYPE(i < wanted.size(), schema.name, "(): unknown keyword argument '", key.toStringRef(), "'",
                        declaration());
        REEL_CHECK_TYPE(!given[i], schema.name, "(): argument '", key.toStringRef(), "' is given twice", declaration());
        bound[i] = value;
        given[i] = true;
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!given[i]) {
            REEL_CHECK_TYPE(wanted[i].default_value, schema.name, "() is missing value for argument '", wanted[i].name,
                            "'", declaration());
            bound[i] = *wanted[i].default_value;
        } else
            REEL_CHECK_TYPE(convert_argument(bound[i], wanted[i]), schema.name, "() expected a value of type '",
                            wanted[i].type->annotation_str(), "' for argument '", wanted[i].name,
                            "' but instead found ", bound[i].repr(), ". Position: ", i, declaration());
    }
    return bound;
}

IValue Function::operator()(Args args, const Kwargs& kwargs) {
    std::vector<IValue> bound = bind_arguments(schema(), std::move(args), kwargs);
    try {
        return program().run(bound);
    } catch (const Unwinding& e) {
        if (run_state().depth) throw; // called by a hook or an operator of a script: on to the caller
        e.leave();
    }
}

} // namespace reel::jit
