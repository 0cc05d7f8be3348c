// Instructions on modules: calls, traversal, registration, conversion.
#include "hooks/interp.hpp"

#include <reel/autograd/ops.hpp>

namespace replay {

using namespace reel;

namespace {

struct CallOperands {
    ModulePtr module;
    Args args;
    Kwargs kwargs;
};
CallOperands call_operands(Interp& i, Frame& f, const json::object& ins) {
    CallOperands c{i.module(ins, f), {}, {}};
    if (const json::value* args = ins.if_contains("args"))
        for (const auto& a : args->as_array()) c.args.push_back(i.operand(a, f));
    if (const json::value* kwargs = ins.if_contains("kwargs"))
        for (const auto& kv : kwargs->as_array())
            c.kwargs.set(Value(std::string(kv.as_array()[0].as_string())), i.operand(kv.as_array()[1], f));
    return c;
}
Value boxed(const ModulePtr& m) { return m ? Value::box(m) : Value(); }
Value shared(Module* m) { return boxed(m->shared_from_this()); }

void add_calls(InstructionTable& t) {
    t["call"] = [](Interp& i, Frame& f, const json::object& ins) {
        const CallOperands c = call_operands(i, f, ins);
        return c.module->call_values(c.args, c.kwargs);
    };
    t["call_forward"] = [](Interp& i, Frame& f, const json::object& ins) {
        const CallOperands c = call_operands(i, f, ins);
        return c.module->forward_values(c.args, c.kwargs);
    };
    t["checkpoint"] = [](Interp& i, Frame& f, const json::object& ins) {
        const CallOperands c = call_operands(i, f, ins);
        return checkpointed_call(*c.module, c.args, c.kwargs, flag(ins, "early_stop", false));
    };
    t["function"] = [](Interp& i, Frame& f, const json::object& ins) {
        Args args;
        for (const auto& a : ins.at("args").as_array()) args.push_back(i.operand(a, f));
        return apply_function(i, text(ins, "fn"), args);
    };
}

void add_flags(InstructionTable& t) {
    t["train"] = [](Interp& i, Frame& f, const json::object& ins) {
        i.module(ins, f)->train(flag(ins, "mode", true));
        return Value();
    };
    t["training"] = [](Interp& i, Frame& f, const json::object& ins) { return Value(i.module(ins, f)->is_training()); };
    t["freeze"] = [](Interp& i, Frame& f, const json::object& ins) {
        i.module(ins, f)->requires_grad_(flag(ins, "flag", true));
        return Value();
    };
    t["zero_grad"] = [](Interp& i, Frame& f, const json::object& ins) {
        i.module(ins, f)->zero_grad(flag(ins, "set_to_none", true));
        return Value();
    };
    t["to"] = [](Interp& i, Frame& f, const json::object& ins) {
        i.module(ins, f)->to(dtype_from_name(text(ins, "dtype").c_str()));
        return Value();
    };
    t["convert"] = [](Interp& i, Frame& f, const json::object& ins) {
        const ModulePtr m = i.module(ins, f);
        const std::string method = text(ins, "method");
        if (method == "float") m->float_();
        else if (method == "double") m->double_();
        else if (method == "half") m->half();
        else if (method == "bfloat16") m->bfloat16();
        else if (method == "cpu") m->cpu();
        else if (method == "type") m->type(dtype_from_name(text(ins, "dtype").c_str()));
        else i.give_up("convert " + method);
        return Value();
    };
    t["repr"] = [](Interp& i, Frame& f, const json::object& ins) { return Value(i.module(ins, f)->repr()); };
}

void add_traversal(InstructionTable& t) {
    t["apply"] = [](Interp& i, Frame& f, const json::object& ins) {
        const std::string hook = text(ins, "hook");
        i.module(ins, f)->apply([&](Module& m) { i.fire(hook, &m, {}, {}); });
        return Value();
    };
    t["named"] = [](Interp& i, Frame& f, const json::object& ins) {
        const ModulePtr m = i.module(ins, f);
        const std::string what = text(ins, "what"), prefix = text(ins, "prefix");
        const bool recurse = flag(ins, "recurse", true), unique = flag(ins, "remove_duplicate", true);
        std::vector<Value> r;
        if (what == "parameters" || what == "buffers") {
            for (const auto& item : what == "buffers" ? m->buffer_items(prefix, recurse, unique)
                                                      : m->parameter_items(prefix, recurse, unique))
                r.emplace_back(item.first);
        } else if (what == "modules") {
            for (const auto& [name, module] : m->module_items(prefix, unique))
                r.push_back(Value::tuple({Value(name), shared(module)}));
        } else {
            for (const auto& item : m->named_children()) r.push_back(Value::tuple({Value(item.key()), boxed(*item)}));
        }
        return Value::list(std::move(r));
    };
    t["get_submodule"] = [](Interp& i, Frame& f, const json::object& ins) {
        return boxed(i.module(ins, f)->get_submodule(text(ins, "path")));
    };
    t["get_parameter"] = [](Interp& i, Frame& f, const json::object& ins) {
        return none_if_undefined(i.module(ins, f)->get_parameter(text(ins, "path")));
    };
    t["get_buffer"] = [](Interp& i, Frame& f, const json::object& ins) {
        return none_if_undefined(i.module(ins, f)->get_buffer(text(ins, "path")));
    };
    t["set_submodule"] = [](Interp& i, Frame& f, const json::object& ins) {
        const ModulePtr m = i.module(ins, f);
        m->set_submodule(text(ins, "path"), i.module_value(i.in(ins, f, 0)), flag(ins, "strict", false));
        return Value();
    };
}

void add_registration(InstructionTable& t) {
    t["register_module"] = [](Interp& i, Frame& f, const json::object& ins) {
        const ModulePtr m = i.module(ins, f);
        m->add_module(text(ins, "name"), i.module_value(i.in(ins, f, 0)));
        return Value();
    };
    t["register_parameter"] = [](Interp& i, Frame& f, const json::object& ins) {
        const ModulePtr m = i.module(ins, f);
        const Tensor p = i.optional_tensor_in(ins, f, 0);
        // Python registers Parameters only, whose flag stays; a bare tensor is a TypeError there.
        const std::string name = text(ins, "name");
        const bool name_fits = !name.empty() && name.find('.') == std::string::npos && !m->own_buffers().find(name) &&
                               !m->own_children().find(name); // checked before the value is (M-2)
        if (name_fits && p.defined() && !nn::Parameter::is(p) && !p.grad_fn())
            throw TypeError("register_parameter: '" + name + "': expected a Parameter, got a Tensor");
        m->register_parameter(name, p, p.defined() && p.requires_grad());
        return Value();
    };
    t["register_buffer"] = [](Interp& i, Frame& f, const json::object& ins) {
        const ModulePtr m = i.module(ins, f);
        m->register_buffer(text(ins, "name"), i.optional_tensor_in(ins, f, 0), flag(ins, "persistent", true));
        return Value();
    };
    t["setattr"] = [](Interp& i, Frame& f, const json::object& ins) {
        i.module(ins, f)->set_attribute(text(ins, "name"), i.in(ins, f, 0));
        return Value();
    };
    t["delattr"] = [](Interp& i, Frame& f, const json::object& ins) {
        i.module(ins, f)->delete_attribute(text(ins, "name"));
        return Value();
    };
    t["insert"] = [](Interp& i, Frame& f, const json::object& ins) {
        const ModulePtr m = i.module(ins, f);
        auto* s = m->as<nn::SequentialImpl>();
        if (!s) i.give_up("insert into " + m->repr_name());
        s->insert(ins.at("index").to_number<std::int64_t>(), i.module_value(i.in(ins, f, 0)));
        return Value();
    };
    t["deepcopy"] = [](Interp& i, Frame& f, const json::object& ins) {
        const ModulePtr m = i.module(ins, f);
        const std::string prefix = text(ins, "prefix");
        const ModulePtr copy = m->clone();
        const auto from = m->module_items("", false), to = copy->module_items("", false);
        for (std::size_t k = 0; k < from.size() && k < to.size(); ++k)
            for (const std::string& id : std::vector<std::string>(i.module_order))
                if (i.modules[id].get() == from[k].second && !i.modules.contains(prefix + id)) {
                    i.modules[prefix + id] = to[k].second->shared_from_this();
                    i.module_order.push_back(prefix + id);
                }
        return Value();
    };
}

} // namespace

void add_module_instructions(InstructionTable& t) {
    add_calls(t);
    add_flags(t);
    add_traversal(t);
    add_registration(t);
}

} // namespace replay
