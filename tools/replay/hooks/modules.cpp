// The modules of a scenario: Compose, whose forward is interpreted, and the framework's own layers.
#include "hooks/interp.hpp"

#include <reel/nn/factory.hpp>

namespace replay {

using namespace reel;

namespace {

/// A user-written module whose forward is a body of the scenario.
class Compose final : public Module {
public:
    Compose(Interp& interp, const json::object& declaration) : interp_(interp), declaration_(declaration) {}

    std::string repr_name() const override { return text(declaration_, "class", "Compose"); }
    std::string extra_repr() const override { return text(declaration_, "extra_repr"); }
    std::int64_t state_version() const override {
        const json::value* v = declaration_.if_contains("version");
        return v ? v->to_number<std::int64_t>() : 1;
    }
    bool has_extra_state() const override { return declaration_.contains("extra_state"); }
    Value get_extra_state() const override {
        Frame f;
        return interp_.operand(declaration_.at("extra_state"), f);
    }
    bool accepts_extra_state() const override { return flag(declaration_, "set_extra_state", false); }
    void set_extra_state(const Value& state) override {
        interp_.trace.push_back(json::object{{"log", "set_extra_state"},
                                             {"m", interp_.module_json(*this)},
                                             {"gm", GradMode::is_enabled()},
                                             {"v", json::array{interp_.to_json(state)}}});
    }
    ModulePtr clone(std::optional<Device> device, bool keep_hooks) const override {
        auto copy = std::make_shared<Compose>(interp_, declaration_);
        copy->copy_from(*this, device, keep_hooks);
        return copy;
    }

    Value forward_values(const Args& args, const Kwargs& kwargs) override {
        const json::value* body = declaration_.if_contains("forward");
        REEL_CHECK_NOT_IMPLEMENTED(body, repr_name(), ": this class has no forward");
        Frame f;
        f.self = shared_from_this();
        bind(args, kwargs, f);
        return interp_.run_body(body->as_array(), f);
    }

private:
    void bind(const Args& args, const Kwargs& kwargs, Frame& f) {
        const json::array& inputs = declaration_.at("inputs").as_array();
        REEL_CHECK_TYPE(args.size() <= inputs.size(), repr_name(), ": forward takes ", inputs.size(),
                        " positional arguments, got ", args.size());
        const auto name_of = [](const json::value& v) {
            return std::string(v.is_string() ? v.get_string() : v.as_array()[0].as_string());
        };
        for (std::size_t i = 0; i < args.size(); ++i) f.names[name_of(inputs[i])] = args[i];
        for (const auto& [key, value] : kwargs) {
            const std::string& name = key.toStringRef();
            bool known = false;
            for (const auto& input : inputs) known = known || name_of(input) == name;
            REEL_CHECK_TYPE(known, repr_name(), ": forward got an unexpected keyword argument '", name, "'");
            REEL_CHECK_TYPE(!f.names.contains(name), repr_name(), ": forward got two values for argument '", name, "'");
            f.names[name] = value;
        }
        for (std::size_t i = args.size(); i < inputs.size(); ++i) {
            const std::string name = name_of(inputs[i]);
            if (f.names.contains(name)) continue;
            REEL_CHECK_TYPE(inputs[i].is_array(), repr_name(), ": forward misses the argument '", name, "'");
            Frame empty;
            f.names[name] = interp_.operand(inputs[i].as_array()[1], empty);
        }
    }
    Interp& interp_;
    const json::object& declaration_;
};

} // namespace

ModulePtr make_compose(Interp& interp, const json::object& declaration) {
    return std::make_shared<Compose>(interp, declaration);
}

ModulePtr make_layer(Interp& interp, const json::object& d) {
    const std::string type = text(d, "type");
    if (!nn::has_module(type)) interp.give_up("module " + type);
    Args args;
    const auto integer = [&](const char* name) { args.emplace_back(d.at(name).to_number<std::int64_t>()); };
    if (type == "Linear") {
        integer("in"), integer("out");
        args.emplace_back(flag(d, "bias", true));
    } else if (type == "LayerNorm") {
        std::vector<Value> shape;
        for (const auto& s : d.at("shape").as_array()) shape.emplace_back(s.to_number<std::int64_t>());
        args.push_back(Value::list(std::move(shape)));
    } else if (type == "BatchNorm1d") integer("features");
    else if (type == "Embedding") integer("num"), integer("dim");
    else if (type == "Dropout") args.emplace_back(d.at("p").to_number<double>());
    else if (type == "ReLU" && flag(d, "inplace", false)) args.emplace_back(true);
    ModulePtr m = nn::make_module(type, args);
    m->to(kDouble);
    return m;
}

void fill_tables(Interp& interp, const json::object& d, Module& m) {
    const auto each = [&](const char* table, const auto& fn) {
        if (const json::value* list = d.if_contains(table))
            for (const auto& entry : list->as_array())
                fn(std::string(entry.as_array()[0].as_string()), entry.as_array()[1], entry.as_array());
    };
    each("params", [&](const std::string& name, const json::value& v, const json::array&) {
        if (v.is_null()) {
            m.register_parameter(name, Tensor(), false);
            return;
        }
        const json::object& o = v.as_object();
        if (const json::value* same = o.if_contains("same")) {
            const std::string path(same->as_string());
            const std::size_t dot = path.find('.');
            const Tensor* shared = interp.modules.at(path.substr(0, dot))->own_parameters().find(path.substr(dot + 1));
            m.register_parameter(name, *shared, shared->requires_grad());
            return;
        }
        const bool rg = flag(o, "rg", true);
        json::object plain = o;
        plain["rg"] = false;
        m.register_parameter(name, nn::Parameter(make_tensor(plain), rg), rg);
    });
    each("buffers", [&](const std::string& name, const json::value& v, const json::array& entry) {
        m.register_buffer(name, v.is_null() ? Tensor() : make_tensor(v.as_object()),
                          entry.size() < 3 || entry[2].as_bool());
    });
    each("children", [&](const std::string& name, const json::value& v, const json::array&) {
        m.add_module(name, v.is_null() ? nullptr : interp.modules.at(std::string(v.as_string())));
    });
}

} // namespace replay
