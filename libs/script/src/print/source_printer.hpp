// Writes functions and classes as source text: `code`, and the members of archives (rules SC-18 to SC-25, SC-68 to
// SC-75).
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include <reel/script/function.hpp>

#include "inline_plan.hpp"
#include "names.hpp"

namespace reel::jit {

/// What a text needs beside itself.
class SourceContext {
public:
    virtual ~SourceContext() = default;
    /// The number N of `CONSTANTS.cN`.
    virtual std::size_t constant(const IValue& value) = 0;
    /// A class, enum, interface or named tuple that the text names.
    virtual void needs(const TypePtr& type) { (void)type; }
    virtual void needs(Function& function) { (void)function; }
};

/// The text of one file.
class SourcePrinter {
public:
    explicit SourcePrinter(SourceContext& context) : context_(context) {}
    /// `def NAME(...)`; code leaves the type of `self` out, archives write it.
    void print_function(Function& function, bool with_first_type = true);
    /// A class, enum, interface or named tuple with its methods.
    void print_type(const TypePtr& type);
    const std::string& text() const { return out_; }

private:
    struct Indented;
    // source_printer.cpp: statements
    void print_body(const Block& block);
    void print_nodes(const Block& block, bool something_follows);
    void print_node(const Node* n, bool is_top_constant);
    void print_if(const Node* n);
    void print_loop(const Node* n);
    void print_fork(const Node* n);
    void print_enter(const Node* n);
    void split_long_operands(const std::vector<Value*>& operands);
    void print_definition(const Node* n, const std::string& expression);
    void print_assignment(const std::vector<Value*>& to, const std::vector<Value*>& from);
    void print_branch_results(const std::vector<Value*>& to, const std::vector<Value*>& from, bool is_first);
    void line(const std::string& text);
    bool is_long(const std::string& expression) const { return expression.size() + 2 * level_ >= 40; }
    void need(const TypePtr& type);
    // expression.cpp: what a node computes
    std::string expression(const Node* n);
    std::string call(const Node* n);
    std::string operator_call(const Node* n);
    std::string list_expression(const Node* n);
    std::string dict_expression(const Node* n);
    std::string isinstance_expression(const Node* n);
    std::string constant_expression(const Node* n);
    std::string constant_text(const IValue& value, const Type& type);
    std::string operands(const std::vector<Value*>& values, const char* open = "", const char* close = "",
                         std::size_t from = 0);
    // class_printer.cpp
    void print_class(const ClassType& type);
    void print_class_head(const ClassType& type);
    void print_attribute(const ClassType::Attribute& attribute, bool is_first);
    void print_interface(const InterfaceType& type);

    const std::string& use(const Value* v) const;
    void assign(const Value* v, std::string expression) { text_of_[v] = std::move(expression); }
    void assign_name(const Value* v);

    SourceContext& context_;
    std::string out_;
    std::size_t level_ = 0;
    NameTable names_;
    InlinePlan inlined_;
    std::vector<const Node*> pending_; ///< inlined, and not yet part of a line or of another expression
    std::unordered_map<const Value*, std::string> text_of_;
};

} // namespace reel::jit
