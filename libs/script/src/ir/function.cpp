// Functions: compiled when first asked for, with what is derived from their graphs kept. (Calls are in run/.)
#include <reel/script/function.hpp>

#include "run/program.hpp"

namespace reel::jit {

namespace {
std::string last_part(const std::string& qualified) { return qualified.substr(qualified.rfind('.') + 1); }
} // namespace

Function::Function(std::string qualified_name, std::shared_ptr<Graph> graph, FunctionSchema schema)
    : qualified_name_(std::move(qualified_name)), name_(last_part(qualified_name_)), graph_(std::move(graph)),
      schema_(std::move(schema)) {}

Function::Function(std::string qualified_name, std::function<void(Function&)> compile)
    : qualified_name_(std::move(qualified_name)), name_(last_part(qualified_name_)), compile_(std::move(compile)) {}

Function::~Function() = default;

void Function::ensure_defined() {
    if (graph_) return;
    if (compiling_) {
        throw ScriptError("function '" + name_ + "' is called recursively. Recursive calls are not supported", {});
    }
    REEL_CHECK(compile_, "function '", qualified_name_, "' has no body");
    compiling_ = true;
    struct Done {
        bool& flag;
        ~Done() { flag = false; }
    } done{compiling_};
    compile_(*this);
    REEL_INTERNAL_ASSERT(graph_, "compiling '", qualified_name_, "' gave no graph");
    compile_ = nullptr;
}

const FunctionSchema& Function::schema() {
    ensure_defined();
    return schema_;
}

const std::shared_ptr<Graph>& Function::graph() {
    ensure_defined();
    return graph_;
}

void Function::set(std::shared_ptr<Graph> graph, FunctionSchema schema) {
    graph_ = std::move(graph);
    schema_ = std::move(schema);
    inlined_.reset();
    ready_ = nullptr;
    program_.reset();
}

} // namespace reel::jit
