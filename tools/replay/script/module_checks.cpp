#include "script/module_checks.hpp"

#include <sstream>

namespace replay::script {

using namespace reel;

namespace {
std::string text(const json::value& v) { return std::string(v.as_string()); }
/// Calls `f`; what it throws is held against the case.
template <class F> void guarded(Case& c, const std::string& where, F f) {
    try {
        f();
    } catch (const std::exception& e) {
        c.fail(where, e.what());
    }
}
/// Lines without the comments that say where they come from (rule SC-119).
std::string without_comments(const std::string& code) {
    std::string out;
    std::istringstream lines(code);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = line.find_first_not_of(' ');
        if (first == std::string::npos || line[first] != '#') out += line + "\n";
    }
    return out;
}
void check_code(Case& c, const std::string& got, const std::string& expected, const std::string& where) {
    const std::string ours = without_comments(got), theirs = without_comments(expected);
    c.report().tally("code", ours == theirs ? "exact" : "different");
    c.check_text(ours, theirs, where);
}
void check_graph(Case& c, const jit::Graph& graph, const std::string& expected, const std::string& where) {
    const std::string ours = jit::canonical(graph), theirs = jit::canonical_text(expected);
    c.report().tally("graph", ours != theirs ? "different" : graph.str() == expected ? "exact" : "canonical");
    c.check_text(ours, theirs, where);
}
/// Rule SC-66: no call is left but those of interfaces and in what is forked.
void check_inlined(Case& c, const jit::Block& block, const std::string& where) {
    for (const jit::Node* n = block.first(); n; n = n->next()) {
        const bool call =
            n->kind() == jit::prim::CallFunction ||
            (n->kind() == jit::prim::CallMethod && n->input()->type()->kind() != jit::TypeKind::Interface);
        c.check(!call, where, "a call is left: " + n->kind().str());
        for (const jit::Block* inner : n->blocks()) check_inlined(c, *inner, where);
    }
}
void check_method(Case& c, const jit::Method& m, const json::object& expected, const Values& values) {
    const std::string name = m.name();
    guarded(c, name + " schema", [&] {
        c.check_text(without_tensors(m.schema().str()), without_tensors(text(expected.at("schema"))), name + " schema");
    });
    guarded(c, name + " graph", [&] { check_graph(c, *m.graph(), text(expected.at("graph")), name + " graph"); });
    guarded(c, name + " inlined_graph", [&] {
        const json::value& inlined = expected.at("inlined_graph");
        if (inlined.is_null()) check_inlined(c, *m.inlined_graph()->block(), name + " inlined_graph");
        else check_graph(c, *m.inlined_graph(), text(inlined), name + " inlined_graph");
    });
    guarded(c, name + " code", [&] {
        const auto [code, constants] = m.function->code_with_constants();
        check_code(c, code, text(expected.at("code")), name + " code");
        const json::object& known = expected.at("constants").as_object();
        c.check(constants.size() == known.size(), name + " constants",
                str(constants.size(), " constants, expected ", known.size()));
        for (const auto& [key, value] : constants) {
            const json::value* want = known.if_contains(key);
            const std::string d = want ? difference(value, *want, values) : "not expected";
            c.check(d.empty(), name + " constant " + key, d);
        }
    });
}
void check_submodules(Case& c, const jit::Module& module, const json::object& expected) {
    for (const auto& item : expected) {
        const std::string path(item.key());
        const json::object& o = item.value().as_object();
        guarded(c, path, [&] {
            const auto child = std::dynamic_pointer_cast<jit::ModuleImpl>(module->get_submodule(path));
            if (!child) return c.fail(path, "is no script module");
            const jit::Module m(child);
            c.check_text(m.type()->name(), text(o.at("type")), path + " type");
            c.check_text(m.original_name(), text(o.at("original_name")), path + " original_name");
            if (const auto* code = o.if_contains("code"); code && code->is_object())
                for (const auto& method : code->as_object())
                    guarded(c, path + "." + std::string(method.key()), [&] {
                        check_code(c, m.get_method(std::string(method.key())).code(), text(method.value()),
                                   path + "." + std::string(method.key()) + " code");
                    });
        });
    }
}
std::string kind_text(jit::ClassType::AttributeKind k) {
    using Kind = jit::ClassType::AttributeKind;
    return k == Kind::Parameter ? "parameter" : k == Kind::Buffer ? "buffer" : "attribute";
}
/// One line an attribute or constant: name, type, kind.
std::string lines_of(const jit::ClassType& type) {
    std::string out, constants;
    for (const auto& a : type.attributes())
        out += a.name + " : " + a.type->annotation_str() + " " + kind_text(a.kind) + "\n";
    for (const auto& k : type.constants())
        constants += k.name + " : Final[" + k.type->annotation_str() + "] constant\n";
    return out + constants;
}
std::string lines_of(const json::array& rows) {
    std::string out, constants;
    for (const json::value& row : rows) {
        const json::array& r = row.as_array();
        (text(r[2]) == "constant" ? constants : out) += text(r[0]) + " : " + text(r[1]) + " " + text(r[2]) + "\n";
    }
    return out + constants;
}
std::string joined(const json::array& names) {
    std::string out;
    for (const json::value& n : names) out += text(n) + "\n";
    return out;
}
template <class Named> std::string joined_keys(const Named& named) {
    std::string out;
    for (const auto& item : named) out += item.key() + "\n";
    return out;
}
void check_state_dict(Case& c, const nn::StateDict& ours, const json::object& state, const Values& values,
                      const Closeness& closeness) {
    std::string names;
    for (const auto& item : state) names += std::string(item.key()) + "\n";
    c.check_text(joined_keys(ours), names, "state_dict");
    for (const auto& item : state)
        if (const IValue* v = ours.find(std::string(item.key()))) {
            const std::string d = difference(*v, item.value(), values, closeness);
            c.check(d.empty(), "state_dict " + std::string(item.key()), d);
        }
}
} // namespace

void check_texts(Case& c, const jit::Method& method, const std::string& graph, const std::string& code,
                 const std::string& where) {
    guarded(c, where + " graph", [&] { check_graph(c, *method.graph(), graph, where + " graph"); });
    guarded(c, where + " code", [&] { check_code(c, method.code(), code, where + " code"); });
}
void check_methods(Case& c, const jit::Module& module, const json::object& methods, const Values& values) {
    for (const auto& item : methods) {
        const std::string name(item.key());
        if (const auto m = module.find_method(name)) check_method(c, *m, item.value().as_object(), values);
        else c.fail(name, "the module has no such method");
    }
}
void check_module(Case& c, const jit::Module& module, const json::object& expected, const Values& values,
                  const Closeness& closeness) {
    c.check_text(module.original_name(), text(expected.at("original_name")), "original_name");
    c.check_text(module.type()->name(), text(expected.at("type")), "type");
    c.check_text(module.repr(), text(expected.at("repr")), "repr");
    if (const auto* training = expected.if_contains("training"))
        c.check(module.is_training() == training->as_bool(), "training", "the other way");
    if (const auto* names = expected.if_contains("parameters"))
        c.check_text(joined_keys(module->named_parameters()), joined(names->as_array()), "parameters");
    if (const auto* names = expected.if_contains("buffers"))
        c.check_text(joined_keys(module->named_buffers()), joined(names->as_array()), "buffers");
    if (const auto* classes = expected.if_contains("classes"))
        for (const auto& item : classes->as_object())
            guarded(c, std::string(item.key()), [&] {
                const jit::TypePtr type = module->unit()->find_type(std::string(item.key()));
                if (!type) return c.fail(std::string(item.key()), "there is no such class");
                if (const auto* cls = dynamic_cast<const jit::ClassType*>(type.get()))
                    c.check_text(lines_of(*cls), lines_of(item.value().as_array()), std::string(item.key()));
            });
    if (const auto* whole = expected.if_contains("state_dict"); whole && whole->is_object())
        check_state_dict(c, module.state_dict(), whole->as_object(), values, closeness);
    if (const auto* methods = expected.if_contains("methods")) check_methods(c, module, methods->as_object(), values);
    if (const auto* submodules = expected.if_contains("submodules"))
        check_submodules(c, module, submodules->as_object());
}

} // namespace replay::script
