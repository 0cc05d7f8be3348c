// An exported program in memory: its graph with operators looked up and names turned into slots.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <reel/script/exported_program.hpp>
#include <reel/script/operator.hpp>

#include "exported/batches.hpp"
#include "exported/size_expression.hpp"
#include "exported/tree_spec.hpp"

namespace reel::jit {

struct ExportedGraph;

/// What a node takes: a value that the file holds, the value of a slot, a list of such, or a graph.
struct ExportedArgument {
    enum class Kind : std::uint8_t { Value, Slot, List, Graph };
    Kind kind = Kind::Value;
    IValue value;
    std::size_t slot = 0;
    std::vector<ExportedArgument> items;
    std::shared_ptr<ExportedGraph> graph;
};
/// One result goes to one slot, a list of them to several.
struct ExportedOutput {
    bool is_list = false;
    std::vector<std::size_t> slots;
};
struct ExportedNode {
    std::string target, name;
    const Operator* op = nullptr; ///< null for those that `run` knows itself
    IValue (*builtin)(std::span<IValue>) = nullptr;
    BatchStep batch_step = BatchStep::None;
    std::size_t region_end = 0;           ///< of BatchStep::Begin: the node that ends the region
    std::vector<ExportedArgument> inputs; ///< one per argument of the operator's schema
    std::vector<ExportedOutput> outputs;
};
struct ExportedGraph {
    std::map<std::string, std::size_t> slots; ///< of names
    std::vector<std::size_t> inputs;
    std::vector<ExportedArgument> outputs;
    std::vector<ExportedNode> nodes;
    bool is_single_result = false;

    /// The results of a run: inputs stand in the order of `inputs`.
    std::vector<IValue> run(std::vector<IValue> arguments) const;
    std::string str(const std::string& indent) const;

private:
    void run_nodes(std::size_t begin, std::size_t end, std::vector<IValue>& values, Batch* batch) const;
    void run_node(const ExportedNode& node, std::vector<IValue>& values, Batch* batch) const;
    void run_region(std::size_t begin, std::vector<IValue>& values) const;
};

/// Where an input of the graph comes from.
struct ExportedInput {
    enum class Kind : std::uint8_t { Parameter, Buffer, Constant, User, Fixed, Token };
    Kind kind;
    std::string path; ///< of a parameter, buffer or constant; the name of a user's input
    IValue value;     ///< that a fixed input must have
    std::optional<std::vector<SizeExpression>> sizes; ///< of a user's tensor
    std::optional<SizeExpression> number;             ///< of a user's int
};
/// Where a result of the graph goes.
struct ExportedResult {
    enum class Kind : std::uint8_t { User, Buffer, Parameter, Input, Token };
    Kind kind;
    std::string path; ///< of the buffer or parameter; the name of the input
};
struct SizeRange {
    SizeExpression expression;
    std::optional<std::int64_t> low, high;
};

struct ExportedProgramImpl::Parts {
    ExportedGraph graph;
    std::vector<ExportedInput> inputs;
    std::vector<ExportedResult> results;
    std::vector<SizeRange> ranges;
    std::vector<SizeExpression> guards;
    TreeSpec in_spec, out_spec;
    OrderedDict<std::string, Tensor> parameters{"Parameter"}, buffers{"Buffer"}, constants{"Constant"};
    std::vector<std::string> non_persistent;
    // As the file has them, to be written again.
    std::string model, sample_inputs;
    OrderedDict<std::string, Tensor> weights{"Weight"};          ///< in the order of the module that was exported
    OrderedDict<std::string, Tensor> file_constants{"Constant"}; ///< constants, and buffers that are not saved
};

/// Operators that the file names without `torch.ops.aten`: `_operator.mul`, `torch.sym_max`; null when unknown.
IValue (*exported_builtin(const std::string& target))(std::span<IValue>);
/// Higher-order operators, which take graphs; null when unknown. `graphs` are those among the inputs.
bool is_higher_order(const std::string& target);
IValue run_higher_order(const ExportedNode& node, std::vector<IValue> inputs);

} // namespace reel::jit
