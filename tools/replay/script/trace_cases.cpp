// Traces: programs of steps are run on their example, and what the trace holds is compared.
#include <sstream>

#include <reel/autograd/random.hpp>
#include <reel/nn/call.hpp>
#include <reel/nn/factory.hpp>
#include <reel/nn/modules/sequential.hpp>
#include <reel/script/load_save.hpp>

#include "script/cases.hpp"
#include "script/module_checks.hpp"
#include "script/runs.hpp"
#include "script/trace_program.hpp"

namespace replay::script {

using namespace reel;

namespace {
std::string text(const json::value& v) { return std::string(v.as_string()); }

nn::ModulePtr make_module(const json::object& o) {
    const std::string cls = text(o.at("class"));
    if (cls == "Sequential" || cls == "ModuleList") {
        nn::Sequential out;
        for (const json::value& child : o.at("args").as_array()) out->push_back(make_module(child.as_object()));
        return out.ptr();
    }
    Args args;
    Kwargs kwargs;
    const Values none;
    const jit::CompilationUnit no_classes;
    for (const json::value& v : o.at("args").as_array()) args.push_back(read_value(v, none, no_classes));
    for (const auto& item : o.at("kwargs").as_object())
        kwargs.set(std::string(item.key()), read_value(item.value(), none, no_classes));
    return nn::make_module(cls, args, kwargs);
}

/// The case's program as a module: its children, and `forward` by its steps.
class Program : public nn::Module {
public:
    Program(const json::object& o, const Values& values) : nn::Module("Program"), steps_(o, values) {
        for (const json::value& m : o.at("modules").as_array())
            register_module(text(m.as_array()[0]), make_module(m.as_array()[1].as_object()));
        train(o.at("train").as_bool());
    }
    Value forward_values(const Args& args, const Kwargs&) override { return steps_.run(*this, args); }

private:
    TraceProgram steps_;
};

jit::Module traced(const json::object& o, const Values& values) {
    const auto program = std::make_shared<Program>(o, values);
    nn::StateDict state;
    const jit::CompilationUnit no_classes;
    for (const auto& item : o.at("state").as_object())
        state.insert_or_assign(std::string(item.key()), read_value(item.value(), values, no_classes));
    program->load_state_dict(state);
    Args example;
    for (const json::value& v : o.at("example").as_array()) example.push_back(read_value(v, values, no_classes));
    jit::TraceOptions options;
    options.class_name = "program.Program";
    options.strict = !o.if_contains("strict") || o.at("strict").as_bool();
    for (const json::value& name : o.at("inputs").as_array()) options.input_names.push_back(text(name));
    manual_seed(o.at("seed").to_number<std::uint64_t>());
    return jit::trace(program, example, options);
}

void check_submodules(Case& c, const jit::Module& module, const json::object& expected) {
    for (const auto& item : expected) {
        const std::string path(item.key());
        const json::object& o = item.value().as_object();
        try {
            const auto child = std::dynamic_pointer_cast<jit::ModuleImpl>(module->get_submodule(path));
            if (!child) return c.fail(path, "is no script module");
            const jit::Module m(child);
            c.check_text(m.type()->name(), text(o.at("type")), path + " type");
            const auto method = m.find_method("forward");
            const json::value& code = o.at("code");
            c.check(bool(method) == code.is_string(), path, "has a forward where it should not, or none");
            if (method && code.is_string()) check_texts(c, *method, text(o.at("graph")), text(code), path);
        } catch (const std::exception& e) {
            c.fail(path, e.what());
        }
    }
}
jit::Module saved_and_loaded(const jit::Module& module) {
    std::stringstream file;
    jit::save(module, file);
    return jit::load(file);
}
} // namespace

void run_trace(const std::filesystem::path& file, Report& report) {
    Case c(report, "trace", file.stem().string());
    try {
        const json::value whole = read_json(file);
        const json::object& o = whole.as_object();
        const Values values(o);
        const jit::Module module = traced(o, values);
        c.check_text(module.repr(), text(o.at("repr")), "repr");
        check_methods(c, module, {{"forward", o.at("traced")}}, values);
        check_submodules(c, module, o.at("submodules").as_object());
        const jit::Module loaded = saved_and_loaded(module);
        const json::object& after = o.at("loaded").as_object();
        check_texts(c, *loaded.find_method("forward"), text(after.at("graph")), text(after.at("code")), "loaded");
        std::size_t i = 0;
        for (const json::value& run : o.at("runs").as_array())
            check_run(c, str("run ", i++), traced(o, values), run.as_object(), values);
    } catch (const std::exception& e) {
        c.fail("trace", e.what());
    }
}

} // namespace replay::script
