// What the parser makes of a text.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <reel/script/source.hpp>

namespace reel::jit::syntax {

enum class ExprKind {
    Name,          ///< text
    Number,        ///< text, as written
    String,        ///< text, decoded
    True,
    False,
    None,
    Dots,          ///< `...`
    Attribute,     ///< operands[0].text
    Call,          ///< operands[0](operands[1..], keywords)
    Subscript,     ///< operands[0][operands[1..]]
    Slice,         ///< operands: begin, end, step; null where there is none
    Tuple,         ///< operands
    List,          ///< operands
    Dict,          ///< operands: key, value, key, value, ...
    ListComp,      ///< [operands[0] for operands[1] in operands[2]]
    DictComp,      ///< {operands[0]: operands[1] for operands[2] in operands[3]}
    Unary,         ///< text operands[0]; text: `-`, `~`, `not`
    Binary,        ///< operands[0] text operands[1]; comparisons, `is`, `is not`, `in`, `not in` too
    And,
    Or,
    Conditional,   ///< operands[0] if operands[1] else operands[2]
    Starred,       ///< *operands[0]
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

/// A keyword of a call: `name=value`.
struct Keyword {
    std::string name;
    ExprPtr value;
};

/// An expression; bytes [begin, end) of the source.
struct Expr {
    ExprKind kind;
    std::size_t begin = 0, end = 0;
    std::string text;
    std::vector<ExprPtr> operands;
    std::vector<Keyword> keywords;
    std::size_t depth = 1; ///< of the tree that hangs here

    Expr(ExprKind k, std::size_t b, std::size_t e, std::string t = {}) : kind(k), begin(b), end(e), text(std::move(t)) {}
    const Expr& operator[](std::size_t i) const { return *operands.at(i); }
    bool is_name(std::string_view name) const { return kind == ExprKind::Name && text == name; }
};

enum class StmtKind {
    Expression, ///< value
    Assign,     ///< targets = value; annotation
    AugAssign,  ///< targets[0] text= value
    Return,     ///< value or null
    Raise,      ///< value or null
    Assert,     ///< value, message or null
    Delete,     ///< targets
    Pass,
    Break,
    Continue,
    Global,
    If,         ///< value; body, otherwise
    While,      ///< value; body
    For,        ///< targets[0] in value; body
    With,       ///< items; body
    Def,        ///< def
};

struct Stmt;
struct Def;
using StmtPtr = std::unique_ptr<Stmt>;
using Block = std::vector<StmtPtr>;

struct WithItem {
    ExprPtr value, target; ///< target: null without `as`
};

struct Stmt {
    StmtKind kind;
    std::size_t begin = 0, end = 0;
    std::string text;
    ExprPtr value, annotation, message;
    std::vector<ExprPtr> targets;
    std::vector<WithItem> items;
    Block body, otherwise;
    std::unique_ptr<Def> def;

    Stmt(StmtKind k, std::size_t b);
    ~Stmt();
};

struct Parameter {
    std::string name;
    std::size_t begin = 0, end = 0;
    ExprPtr annotation, default_value;
    bool keyword_only = false;
};

/// `def name(parameters) -> result: body`.
struct Def {
    std::string name;
    std::size_t begin = 0, end = 0;           ///< of the name
    std::size_t parameters_begin = 0;         ///< of the parenthesis
    std::size_t head_end = 0;                 ///< behind the colon
    std::vector<Parameter> parameters;
    ExprPtr result;
    Block body;
};

/// `class name(base): body`; the statements of the head apart from the methods.
struct ClassDef {
    std::string name;
    std::size_t begin = 0, end = 0;
    std::string base; ///< empty without
    Block fields;
    std::vector<std::unique_ptr<Def>> methods;
};

/// A whole text. One of the two is set in each.
struct Definition {
    std::unique_ptr<Def> function;
    std::unique_ptr<ClassDef> type;
    const std::string& name() const { return function ? function->name : type->name; }
};

struct File {
    std::shared_ptr<const Source> source;
    std::vector<Definition> definitions;
    SourceRange range(std::size_t begin, std::size_t end) const { return {source, begin, end}; }
};

} // namespace reel::jit::syntax
