// A parsed text with what it needs to be compiled: kept alive by every function that is still to be compiled.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include <reel/script/compile.hpp>

#include "context.hpp"

namespace reel::jit::emit {

struct Text : std::enable_shared_from_this<Text> {
    Context context;
    syntax::File file;
    std::map<std::string, const syntax::Definition*> by_name;
    std::set<std::string> in_progress; ///< classes that are being made

    /// Parses. ScriptError for a text that cannot be read, or that defines a name twice.
    static std::shared_ptr<Text> parse(Source source, bool classes);

    /// A function that is compiled when it is first asked for; `self`: of the class that it is a method of, or null.
    std::shared_ptr<Function> function(const syntax::Def& def, const std::string& qualified_name,
                                       const ClassType* self);
    /// Adds what is defined as `qualified_name` to the unit; false when there is no such thing.
    bool define(const std::string& qualified_name);

private:
    TypePtr make_type(const syntax::ClassDef& def, const std::string& qualified_name);
};

/// The class that a class text describes (section B of the rules).
TypePtr make_class(Text& text, const syntax::ClassDef& def, const std::string& qualified_name, bool is_module);
TypePtr make_named_tuple(Text& text, const syntax::ClassDef& def, const std::string& qualified_name);
TypePtr make_enum(Text& text, const syntax::ClassDef& def, const std::string& qualified_name);
TypePtr make_interface(Text& text, const syntax::ClassDef& def, const std::string& qualified_name);

} // namespace reel::jit::emit
