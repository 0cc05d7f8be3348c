// From the tree of an archive's pickle to values and objects of the archive's classes (rules SC-9 to SC-13).
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <reel/script/function.hpp>
#include <reel/script/object.hpp>

#include "archive/archive_file.hpp"

namespace reel::jit {

/// Every value is checked against the type that its place asks for. ValueError naming the member and the path of
/// attributes, keys and indices to what does not fit.
class ObjectReader {
public:
    ObjectReader(ArchivePickle& pickle, std::shared_ptr<CompilationUnit> unit)
        : pickle_(pickle), unit_(std::move(unit)) {}
    IValue read(const serialize::Node& node, const TypePtr& expected);

private:
    IValue plain(const serialize::Node& node, const Type& expected);
    IValue shared(const serialize::Node& node, const TypePtr& expected);
    IValue list(const serialize::Node& node, const Type& expected);
    IValue dict(const serialize::Node& node, const Type& expected);
    IValue tuple(const serialize::Node& node, const Type& expected);
    IValue object(const serialize::Node& node, const Type& expected);
    IValue enum_member(const serialize::Node& node, const Type& expected);
    void set_state(Object& object, const IValue& value, const serialize::Node& state);
    void set_attributes(Object& object, const serialize::Node& state);
    /// The list or dict below its tag, which must be of the expected type.
    const serialize::Node& untagged(const serialize::Node& node, const Type& expected) const;
    template <class Step, class Read> auto below(Step&& step, Read read);
    [[noreturn]] void mismatch(const serialize::Node& node, const Type& expected) const;
    [[noreturn]] void fail(const std::string& what) const;

    ArchivePickle& pickle_;
    std::shared_ptr<CompilationUnit> unit_;
    std::unordered_map<const serialize::Node*, IValue> made_;
    std::vector<std::string> path_;
};

} // namespace reel::jit
