#include "hooks/interp.hpp"

#include <reel/autograd/anomaly.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/saved_tensor_hooks.hpp>

namespace replay {

using namespace reel;

// --- Helpers ---------------------------------------------------------------------------------------------------------

bool flag(const json::object& o, std::string_view name, bool fallback) {
    const json::value* v = o.if_contains(name);
    return v && !v->is_null() ? v->as_bool() : fallback;
}
std::string text(const json::object& o, std::string_view name, const char* fallback) {
    const json::value* v = o.if_contains(name);
    return v && v->is_string() ? std::string(v->get_string()) : fallback;
}
Value none_if_undefined(const Tensor& t) { return t.defined() ? Value(t) : Value(); }
Value string_list(const std::vector<std::string>& strings) {
    std::vector<Value> e(strings.begin(), strings.end());
    return Value::list(std::move(e));
}

std::string kind_of_current_exception(std::string& message) {
    try {
        throw;
    } catch (const Custom& e) {
        message = e.text;
        return "Custom";
    } catch (const IndexError& e) {
        return message = e.what(), "IndexError";
    } catch (const TypeError& e) {
        return message = e.what(), "TypeError";
    } catch (const ValueError& e) {
        return message = e.what(), "ValueError";
    } catch (const KeyError& e) {
        return message = e.what(), "KeyError";
    } catch (const AttributeError& e) {
        return message = e.what(), "AttributeError";
    } catch (const NotImplementedError& e) {
        return message = e.what(), "NotImplementedError";
    } catch (const Error& e) {
        return message = e.what(), "RuntimeError";
    } catch (const std::exception& e) {
        return message = e.what(), "std::exception";
    }
}
void throw_kind(std::string_view kind, const std::string& t) {
    if (kind == "Custom") throw Custom{t};
    if (kind == "TypeError") throw TypeError(t);
    if (kind == "ValueError") throw ValueError(t);
    if (kind == "KeyError") throw KeyError(t);
    if (kind == "AttributeError") throw AttributeError(t);
    if (kind == "IndexError") throw IndexError(t);
    if (kind == "NotImplementedError") throw NotImplementedError(t);
    throw Error(t);
}

bool is_block(std::string_view name) {
    for (const char* b :
         {"no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "anomaly", "saved_hooks", "scoped", "repeat"})
        if (name == b) return true;
    return false;
}

const InstructionTable& instructions() {
    static const InstructionTable table = [] {
        InstructionTable t;
        add_tensor_instructions(t);
        add_value_instructions(t);
        add_module_instructions(t);
        add_state_instructions(t);
        add_pass_instructions(t);
        add_hook_instructions(t);
        add_optimizer_instructions(t);
        return t;
    }();
    return table;
}

// --- Execution -------------------------------------------------------------------------------------------------------

void Interp::give_up(std::string word) {
    if (unsupported.empty()) unsupported = word;
    throw Unsupported{std::move(word)};
}

bool Interp::exec(const json::array& body, Frame& f) {
    for (const auto& i : body)
        if (exec_one(i.as_object(), f)) return true;
    return false;
}
Value Interp::run_body(const json::array& body, Frame& f) {
    exec(body, f);
    return std::exchange(f.result, Value());
}

bool Interp::exec_one(const json::object& ins, Frame& f) {
    const std::string_view name = ins.at("do").as_string();
    try {
        if (name == "return") {
            f.result = ins.contains("in") && !ins.at("in").as_array().empty() ? in(ins, f, 0) : Value();
            return true;
        }
        if (name == "raise") throw_kind(text(ins, "kind"), "raised by the scenario");
        if (name == "nth") {
            for (const auto& n : ins.at("n").as_array())
                if (n.to_number<int>() == f.firing) return exec(ins.at("body").as_array(), f);
            return false;
        }
        if (is_block(name)) {
            bool returned = false;
            in_block(ins, f, [&] { returned = exec(ins.at("body").as_array(), f); });
            return returned;
        }
        const auto it = instructions().find(name);
        if (it == instructions().end()) give_up(std::string(name));
        Value r = it->second(*this, f, ins);
        if (const json::value* to = ins.if_contains("to")) f.names[std::string(to->as_string())] = std::move(r);
    } catch (const Skip&) {
    }
    return false;
}

void Interp::in_block(const json::object& ins, Frame& f, const std::function<void()>& body) {
    const std::string_view name = ins.at("do").as_string();
    if (name == "no_grad") {
        NoGradGuard guard;
        body();
    } else if (name == "enable_grad") {
        EnableGradGuard guard;
        body();
    } else if (name == "set_grad_enabled") {
        AutoGradMode guard(ins.at("value").as_bool());
        body();
    } else if (name == "inference_mode") {
        InferenceMode guard;
        body();
    } else if (name == "anomaly") {
        autograd::DetectAnomalyGuard guard(flag(ins, "check_nan", true));
        body();
    } else if (name == "saved_hooks") {
        const std::string pack = text(ins, "pack"), unpack = text(ins, "unpack");
        autograd::SavedTensorsHooksGuard guard(
            [this, pack](const Tensor& t) {
                return fire(pack, nullptr, {{"tensor", Value(t)}}, {tensor_json(t)});
            },
            [this, unpack](const Value& v) -> Tensor {
                const Value r = fire(unpack, nullptr, {{"packed", v}}, {to_json(v)});
                REEL_CHECK_TYPE(r.isTensor(), "unpack hook must return a Tensor, got ", r.kind_name());
                return r.toTensor();
            });
        body();
    } else if (name == "scoped") {
        for (const auto& h : ins.at("handles").as_array()) // first all: a skipped block removes nothing
            if (!handles.contains(std::string(h.as_string()))) throw Skip{};
        std::vector<ScopedHook> scope;
        for (const auto& h : ins.at("handles").as_array()) scope.emplace_back(handles.at(std::string(h.as_string())));
        body();
    } else { // repeat
        const std::int64_t n = ins.at("n").as_int64();
        for (std::int64_t i = 0; i < n; ++i) exec(ins.at("body").as_array(), f);
    }
}

Value Interp::fire(const std::string& label, Module* m, std::vector<std::pair<std::string, Value>> names,
                   json::array values) {
    json::object event{{"h", label}, {"gm", GradMode::is_enabled()}, {"v", std::move(values)}};
    if (m) event["m"] = module_json(*m);
    trace.push_back(std::move(event));
    Frame f;
    f.firing = ++firings_[label];
    if (m) f.self = m->shared_from_this();
    for (auto& [name, value] : names) f.names.emplace(name, std::move(value));
    const json::value* hooks = scenario.if_contains("hooks");
    const json::value* body = hooks ? hooks->as_object().if_contains(label) : nullptr;
    if (!body) give_up("hook " + label);
    return run_body(body->as_array(), f);
}

void Interp::run_steps(const json::array& steps, const std::string& prefix) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
        path_ = prefix + std::to_string(i);
        const std::string path = path_;
        const json::object& ins = steps[i].as_object();
        const bool block = is_block(ins.at("do").as_string());
        json::object entry{{"s", path}};
        try {
            if (block && ins.at("do").as_string() != "repeat")
                in_block(ins, program, [&] { run_steps(ins.at("body").as_array(), path + "."); });
            else run_step(ins, path);
            path_ = path;
            continue;
        } catch (const Unsupported&) {
            throw;
        } catch (const Skip&) {
            entry["skip"] = true;
            trace.push_back(std::move(entry));
            continue;
        } catch (...) {
            if (!unsupported.empty()) throw Unsupported{unsupported};
            std::string message;
            entry["err"] = kind_of_current_exception(message);
            entry["message"] = message;
            trace.push_back(std::move(entry));
            if (!prefix.empty()) throw; // ends the enclosing block too
        }
    }
}

void Interp::run_step(const json::object& ins, const std::string& path) {
    const std::string_view name = ins.at("do").as_string();
    json::object entry{{"s", path}};
    if (name == "repeat") return in_block(ins, program, {});
    if (name == "raise") throw_kind(text(ins, "kind"), "raised by the scenario");
    const auto it = instructions().find(name);
    if (it == instructions().end()) give_up(std::string(name));
    Value r = it->second(*this, program, ins);
    if (const json::value* to = ins.if_contains("to")) {
        entry["r"] = to_json(r);
        program.names[std::string(to->as_string())] = std::move(r);
    }
    trace.push_back(std::move(entry));
}

// --- The scenario ----------------------------------------------------------------------------------------------------

struct Interp::Listener : WarningHandler {
    explicit Listener(Interp& i) : interp(i) {}
    void process(const Warning& w) override {
        const auto has = [&](const char* s) { return w.msg().find(s) != std::string::npos; };
        const char* code = has("do not fire for an output")                  ? "non-tensor-output"
                           : has("fires when the gradient of its outputs")   ? "hook-at-output"
                           : has("failed while forward was already failing") ? "rescue-failed"
                           : has(".grad of a tensor that is not a leaf")     ? "non-leaf-grad"
                                                                             : nullptr;
        if (code) interp.warnings.push_back(json::array{json::string(interp.path_), code});
    }
    Interp& interp;
};

Interp::Interp(const json::object& s) : scenario(s), listener_(std::make_unique<Listener>(*this)) {
    program.program = true;
}
Interp::~Interp() {
    // A gradient that `backward(create_graph)` left holds the graph, and the graph its leaf: whoever asks for that has
    // to drop the gradient.
    const auto drop = [](const Tensor& t) {
        try {
            if (t.defined() && (t.is_leaf() || t.retains_grad())) t.mutable_grad() = Tensor();
        } catch (const Error&) {
        } // a view that may no longer be looked at
    };
    for (const auto& item : declared_) drop(item.second);
    for (const auto& item : program.names)
        if (item.second.isTensor()) drop(item.second.toTensor());
    for (const auto& item : modules)
        for (const Tensor& p : item.second->parameters()) drop(p);
}

void Interp::build_modules() {
    const json::value* list = scenario.if_contains("modules");
    if (!list) return;
    for (const auto& d : list->as_array()) {
        const json::object& o = d.as_object();
        const std::string id = text(o, "id");
        ModulePtr m = text(o, "type") == "Compose" ? make_compose(*this, o) : make_layer(*this, o);
        modules[id] = m;
        module_order.push_back(id);
        fill_tables(*this, o, *m);
    }
}

void Interp::run() {
    WarningUtils::WarningHandlerGuard handler(listener_.get());
    WarningUtils::WarnAlways always;
    if (const json::value* tensors = scenario.if_contains("tensors"))
        for (const auto& kv : tensors->as_object()) {
            const std::string name(kv.key());
            program.names[name] = Value(declared_[name] = make_tensor(kv.value().as_object()));
        }
    build_modules();
    run_steps(scenario.at("program").as_array(), "");
}

json::object Interp::final_state() {
    const auto grad_json = [&](const Tensor& t) -> json::value {
        if (!t.defined()) return nullptr;
        NoGradGuard guard;
        if (!t.is_leaf() && !t.retains_grad()) return nullptr;
        const Tensor g = t.mutable_grad();
        return g.defined() ? tensor_json(g) : json::value(nullptr);
    };
    json::object tensors, all;
    if (const json::value* declared = scenario.if_contains("tensors"))
        for (const auto& kv : declared->as_object()) {
            const Tensor t = declared_[std::string(kv.key())];
            tensors[kv.key()] = json::array{tensor_json(t), grad_json(t)};
        }
    for (const std::string& id : module_order) {
        const Module& m = *modules[id];
        json::array params, buffers;
        for (const auto& p : m.own_parameters())
            params.push_back(json::array{json::string(p.key()), to_json(Value(*p)), grad_json(*p)});
        for (const auto& b : m.own_buffers()) buffers.push_back(json::array{json::string(b.key()), to_json(Value(*b))});
        if (params.empty() && buffers.empty()) continue;
        json::object entry{{"params", std::move(params)}};
        if (!buffers.empty()) entry["buffers"] = std::move(buffers);
        all[id] = std::move(entry);
    }
    return {{"tensors", std::move(tensors)}, {"modules", std::move(all)}};
}

bool knows_need(std::string_view word) {
    for (const char* known : {"global-hooks",
                              "legacy-hooks",
                              "registration-hooks",
                              "node-hooks",
                              "multi-grad-hooks",
                              "post-accumulate-hooks",
                              "functions",
                              "checkpoint",
                              "deepcopy",
                              "saved-tensor-hooks",
                              "anomaly",
                              "queue-callback",
                              "inference-mode",
                              "version",
                              "set-data",
                              "double-backward",
                              "optimizer",
                              "strict-in-place",
                              "strict-outputs",
                              "attribute-assignment"})
        if (word == known) return true;
    return false;
}

} // namespace replay
