// The interpreter of one scenario: scopes, operands, instructions, the trace.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/value.hpp>
#include <reel/nn.hpp>

#include "hooks/values.hpp"

namespace replay {

using reel::Args;
using reel::Kwargs;
using reel::Tensor;
using reel::Value;
using reel::ValueDict;
using reel::nn::Module;
using reel::nn::ModulePtr;

/// The instruction refers to something absent, or an operand is of the wrong kind: it does nothing.
struct Skip {};
/// The program does not know this instruction, kind or type.
struct Unsupported {
    std::string word;
};
/// The exception type of the scenarios that is no framework error.
struct Custom {
    std::string text;
};

/// One scope: the program's, or that of one run of a body.
struct Frame {
    std::unordered_map<std::string, Value> names;
    ModulePtr self;
    int firing = 0; ///< how often the hook of this body has fired
    bool program = false;
    Value result;
};

class Interp {
public:
    explicit Interp(const json::object& scenario);
    ~Interp();
    Interp(const Interp&) = delete;
    /// Runs the program; afterwards trace, warnings and final state can be read.
    void run();

    json::array trace, warnings;
    json::object final_state();
    std::string unsupported; ///< the first word that was not known, empty if none

    // --- What instructions use ------------------------------------------------------------------------------------
    Value operand(const json::value& v, Frame& f);
    /// Operand `i` of `in`.
    Value in(const json::object& ins, Frame& f, std::size_t i);
    std::vector<Value> all_in(const json::object& ins, Frame& f);
    Tensor tensor_in(const json::object& ins, Frame& f, std::size_t i);
    /// A tensor, or an undefined one for null.
    Tensor optional_tensor_in(const json::object& ins, Frame& f, std::size_t i);
    Tensor tensor_operand(const json::value& v, Frame& f, bool allow_none = false);
    ModulePtr module(const json::object& ins, Frame& f);
    ModulePtr module_ref(std::string_view ref, Frame& f);
    ModulePtr module_value(const Value& v);
    /// Runs a body in `f`; true when a `return` ended it.
    bool exec(const json::array& body, Frame& f);
    /// Runs a body in a scope of its own and returns its result.
    Value run_body(const json::array& body, Frame& f);
    /// A hook fires: the event is recorded, then its body runs.
    Value fire(const std::string& label, Module* m, std::vector<std::pair<std::string, Value>> names,
               json::array values);
    json::value to_json(const Value& v);
    json::value module_json(const Module& m);
    [[noreturn]] void give_up(std::string word);

    const json::object& scenario;
    Frame program;
    std::map<std::string, ModulePtr> modules;
    std::vector<std::string> module_order;
    std::map<std::string, reel::RemovableHandle> handles;
    std::vector<reel::autograd::NodePtr> kept_nodes; ///< accumulators with node hooks live as long as the scenario
    std::map<std::string, std::shared_ptr<void>> optimizers;
    struct DictMetadata {
        Value dict; ///< keeps the address alive
        std::shared_ptr<reel::nn::StateMetadata> metadata;
    };
    std::map<const ValueDict*, DictMetadata> metadata;

private:
    void run_steps(const json::array& steps, const std::string& prefix);
    void run_step(const json::object& ins, const std::string& path);
    bool exec_one(const json::object& ins, Frame& f);
    /// Runs `body` inside the mode that the block `ins` names.
    void in_block(const json::object& ins, Frame& f, const std::function<void()>& body);
    void build_modules();

    std::string path_;
    std::map<std::string, Tensor> declared_; ///< the objects declared, whatever their names are bound to later
    std::map<std::string, int> firings_;
    struct Listener;
    std::unique_ptr<Listener> listener_;
};

using Instruction = Value (*)(Interp&, Frame&, const json::object&);
using InstructionTable = std::unordered_map<std::string_view, Instruction>;
const InstructionTable& instructions();
bool is_block(std::string_view name);
/// Words in `needs` that the program knows.
bool knows_need(std::string_view word);

// One function per file of instructions.
void add_tensor_instructions(InstructionTable&);
void add_value_instructions(InstructionTable&);
void add_module_instructions(InstructionTable&);
void add_state_instructions(InstructionTable&);
void add_pass_instructions(InstructionTable&);
void add_hook_instructions(InstructionTable&);
void add_optimizer_instructions(InstructionTable&);

/// Builds a declared module. `Compose` is interpreted, everything else comes from the framework by name.
ModulePtr make_compose(Interp& interp, const json::object& declaration);
ModulePtr make_layer(Interp& interp, const json::object& declaration);
void fill_tables(Interp& interp, const json::object& declaration, Module& m);
/// Calls a module under activation checkpointing.
Value checkpointed_call(Module& m, const Args& args, const Kwargs& kwargs, bool early_stop);
reel::RemovableHandle register_state_hook(Interp& i, const std::string& kind, const std::string& label,
                                          const ModulePtr& m);
/// Applies a custom function of the scenario.
Value apply_function(Interp& interp, const std::string& name, const Args& args);

// --- Small helpers
// ----------------------------------------------------------------------------------------------------
bool flag(const json::object& o, std::string_view name, bool fallback);
std::string text(const json::object& o, std::string_view name, const char* fallback = "");
/// The class of section 0.4 of the rules.
std::string kind_of_current_exception(std::string& message);
[[noreturn]] void throw_kind(std::string_view kind, const std::string& text);
Value none_if_undefined(const Tensor& t);
Value string_list(const std::vector<std::string>& strings);

} // namespace replay
