// Reading `models/model.json` (rules SC-102, SC-108, SC-117).
#include "exported/model_reader.hpp"

#include <algorithm>

#include <reel/autograd/error.hpp>
#include <reel/serialize/detail/json.hpp>

#include "exported/graph_reader.hpp"

namespace reel::jit {

namespace {
namespace json = boost::json;
std::string text(const json::value& v) { return std::string(v.as_string()); }

class ModelReader {
public:
    explicit ModelReader(std::unique_ptr<ExportedProgramImpl::Parts> parts) : parts_(std::move(parts)) {}
    std::unique_ptr<ExportedProgramImpl::Parts> read() {
        const json::value model = serialize::parse_json(parts_->model, 200);
        read_model(model.as_object());
        return std::move(parts_);
    }

private:
    void read_model(const json::object& model) {
        if (const json::value* v = model.if_contains("schema_version"))
            REEL_CHECK_VALUE(v->as_object().at("major").as_int64() == 8, "the schema version is ",
                             v->as_object().at("major").as_int64(), "; only 8 is supported");
        const json::object& module = model.at("graph_module").as_object();
        const json::object& graph = module.at("graph").as_object();
        parts_->graph = read_exported_graph(graph);
        const json::object& signature = module.at("signature").as_object();
        for (const json::value& v : signature.at("input_specs").as_array()) read_input(v.as_object(), graph);
        for (const json::value& v : signature.at("output_specs").as_array()) read_output(v.as_object());
        REEL_CHECK_VALUE(parts_->inputs.size() == parts_->graph.inputs.size() &&
                             parts_->results.size() == parts_->graph.outputs.size(),
                         "the signature has ", parts_->inputs.size(), " inputs and ", parts_->results.size(),
                         " outputs, the graph ", parts_->graph.inputs.size(), " and ", parts_->graph.outputs.size());
        read_specs(module);
        read_guards(model);
        put_in_order();
    }
    void read_input(const json::object& o, const json::object& graph) {
        REEL_CHECK_VALUE(o.size() == 1, "an input of the signature is ", json::serialize(o).substr(0, 100));
        const std::string kind(o.begin()->key());
        const json::object& spec = o.begin()->value().as_object();
        ExportedInput in{};
        const auto state = [&](const char* key, ExportedInput::Kind k, OrderedDict<std::string, Tensor>& to) {
            in.kind = k;
            in.path = text(spec.at(key));
            if (to.contains(in.path)) return;
            const Tensor* t = parts_->weights.find(in.path);
            if (!t) t = parts_->file_constants.find(in.path);
            REEL_CHECK_VALUE(t, "the archive has no tensor '", in.path, "'");
            to.insert(in.path, *t);
        };
        if (kind == "parameter") state("parameter_name", ExportedInput::Kind::Parameter, parts_->parameters);
        else if (kind == "buffer") {
            state("buffer_name", ExportedInput::Kind::Buffer, parts_->buffers);
            if (const json::value* p = spec.if_contains("persistent"); p && p->is_bool() && !p->as_bool())
                parts_->non_persistent.push_back(in.path);
        } else if (kind == "tensor_constant")
            state("tensor_constant_name", ExportedInput::Kind::Constant, parts_->constants);
        else if (kind == "user_input") read_user_input(in, spec.at("arg").as_object(), graph);
        else if (kind == "constant_input") {
            in.kind = ExportedInput::Kind::Fixed;
            in.path = text(spec.at("name"));
            in.value = fixed(spec.at("value").as_object());
        } else if (kind == "token") in.kind = ExportedInput::Kind::Token; // orders effects, which here have one anyway
        else REEL_THROW(NotImplementedError, "inputs of the kind '", kind, "' are not supported");
        parts_->inputs.push_back(std::move(in));
    }
    static IValue fixed(const json::object& o) {
        const std::string kind(o.begin()->key());
        const json::value& v = o.begin()->value();
        if (kind == "as_none") return {};
        if (kind == "as_int") return v.as_int64();
        if (kind == "as_float") return v.to_number<double>();
        if (kind == "as_bool") return v.as_bool();
        if (kind == "as_string") return text(v);
        REEL_THROW(NotImplementedError, "constant inputs of the kind '", kind, "' are not supported");
    }
    void read_user_input(ExportedInput& in, const json::object& arg, const json::object& graph) {
        in.kind = ExportedInput::Kind::User;
        if (const json::value* t = arg.if_contains("as_tensor")) {
            in.path = text(t->as_object().at("name"));
            const json::object& meta = graph.at("tensor_values").as_object().at(in.path).as_object();
            in.sizes.emplace();
            for (const json::value& s : meta.at("sizes").as_array()) in.sizes->push_back(read_size(s.as_object()));
        } else if (const json::value* s = arg.if_contains("as_sym_int")) {
            in.path = text(s->as_object().at("as_name"));
            in.number = read_size(graph.at("sym_int_values").as_object().at(in.path).as_object());
        } else {
            in.kind = ExportedInput::Kind::Fixed;
            in.path = "number " + std::to_string(parts_->inputs.size());
            in.value = fixed(arg);
        }
    }
    void read_output(const json::object& o) {
        REEL_CHECK_VALUE(o.size() == 1, "an output of the signature is ", json::serialize(o).substr(0, 100));
        const std::string kind(o.begin()->key());
        const json::object& spec = o.begin()->value().as_object();
        if (kind == "user_output") parts_->results.push_back({ExportedResult::Kind::User, {}});
        else if (kind == "buffer_mutation")
            parts_->results.push_back({ExportedResult::Kind::Buffer, text(spec.at("buffer_name"))});
        else if (kind == "parameter_mutation")
            parts_->results.push_back({ExportedResult::Kind::Parameter, text(spec.at("parameter_name"))});
        else if (kind == "token") parts_->results.push_back({ExportedResult::Kind::Token, {}});
        else if (kind == "user_input_mutation")
            parts_->results.push_back({ExportedResult::Kind::Input, text(spec.at("user_input_name"))});
        else REEL_THROW(NotImplementedError, "outputs of the kind '", kind, "' are not supported");
    }
    void read_specs(const json::object& module) {
        for (const json::value& entry : module.at("module_call_graph").as_array()) {
            if (text(entry.as_object().at("fqn")) != "") continue;
            const json::object& s = entry.as_object().at("signature").as_object();
            parts_->in_spec = TreeSpec::parse(text(s.at("in_spec")));
            parts_->out_spec = TreeSpec::parse(text(s.at("out_spec")));
        }
        const auto users = [](const auto& all, auto... kinds) {
            return std::size_t(
                std::count_if(all.begin(), all.end(), [&](const auto& e) { return ((e.kind == kinds) || ...); }));
        };
        REEL_CHECK_VALUE(parts_->in_spec.leaves() ==
                                 users(parts_->inputs, ExportedInput::Kind::User, ExportedInput::Kind::Fixed) &&
                             parts_->out_spec.leaves() == users(parts_->results, ExportedResult::Kind::User),
                         "the trees of inputs and outputs do not have the leaves of the signature");
    }
    void read_guards(const json::object& model) {
        const auto bound = [](const json::object& o, const char* key) -> std::optional<std::int64_t> {
            const json::value* v = o.if_contains(key);
            return v && v->is_int64() ? std::optional(v->as_int64()) : std::nullopt;
        };
        for (const auto& item : model.at("range_constraints").as_object()) {
            const json::object& o = item.value().as_object();
            parts_->ranges.push_back(
                {SizeExpression::parse(std::string(item.key())), bound(o, "min_val"), bound(o, "max_val")});
        }
        if (const json::value* guards = model.if_contains("guards_code"))
            for (const json::value& g : guards->as_array()) parts_->guards.push_back(SizeExpression::parse(text(g)));
    }
    /// Parameters and buffers as the weights are listed, which is the order of the module that was exported.
    void put_in_order() {
        const auto sorted = [&](OrderedDict<std::string, Tensor>& table) {
            OrderedDict<std::string, Tensor> out(table.key_description());
            for (const auto& w : parts_->weights)
                if (const Tensor* t = table.find(w.key())) out.insert(w.key(), *t);
            for (const auto& rest : table)
                if (!out.contains(rest.key())) out.insert(rest.key(), *rest);
            table = std::move(out);
        };
        sorted(parts_->parameters);
        sorted(parts_->buffers);
    }

    std::unique_ptr<ExportedProgramImpl::Parts> parts_;
};
} // namespace

std::unique_ptr<ExportedProgramImpl::Parts> read_exported_model(std::string model,
                                                                OrderedDict<std::string, Tensor> weights,
                                                                OrderedDict<std::string, Tensor> constants) {
    auto parts = std::make_unique<ExportedProgramImpl::Parts>();
    parts->model = std::move(model);
    parts->weights = std::move(weights);
    parts->file_constants = std::move(constants);
    return ModelReader(std::move(parts)).read();
}

} // namespace reel::jit
