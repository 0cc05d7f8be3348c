// The code members of an archive, written from its classes and functions (rules SC-2, SC-7, SC-18, SC-94).
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "print/source_printer.hpp"

namespace reel::jit {

/// Collects what a module's classes need: one file per module path, classes before what they use.
class CodeExport : private SourceContext {
public:
    CodeExport();
    ~CodeExport() override;
    /// Prints the type unless it was, and notes what it needs.
    void add(const TypePtr& type);
    /// Prints all that was noted, and what that needs.
    void finish();

    /// `code/__torch__/a/b.py` and its text, in the order in which the files were begun.
    std::vector<std::pair<std::string, std::string>> files() const;
    /// `CONSTANTS.cN` is number N.
    const std::vector<IValue>& constants() const { return constants_; }
    /// The lowest file version that has all the operators that occur.
    int version() const { return version_; }

private:
    struct File;
    std::size_t constant(const IValue& value) override;
    void needs(const TypePtr& type) override;
    void needs(Function& function) override;
    SourcePrinter& printer(const std::string& qualified_name);
    void add(Function& function);
    void look_at(const Block& block);

    std::vector<std::unique_ptr<File>> files_;
    std::deque<std::pair<TypePtr, Function*>> noted_; ///< one of each pair
    std::unordered_set<std::string> printed_, known_;
    std::vector<IValue> constants_;
    int version_ = 3;
};

} // namespace reel::jit
