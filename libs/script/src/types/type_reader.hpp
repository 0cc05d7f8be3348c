// Reads types as schemas and graphs spell them.
#pragma once

#include <reel/script/schema.hpp>

#include "text_reader.hpp"

namespace reel::jit {

class TypeReader {
public:
    enum class Dialect {
        Schema, ///< variables (`t`), alias marks (`Tensor(a!)`), `int[2]`
        Graph   ///< `Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)`
    };
    /// Classes and interfaces are looked up in `unit`; where it is null, a qualified name is a class by itself.
    TypeReader(TextReader& reader, Dialect dialect, CompilationUnit* unit = nullptr)
        : reader_(reader), dialect_(dialect), unit_(unit) {}

    TypePtr read();
    // What the type that was read last was marked with.
    bool is_alias = false, is_written = false;
    std::optional<std::int64_t> broadcast;

private:
    TypePtr read_base();
    TypePtr read_word(const std::string& word);
    TypePtr read_tuple();
    TypePtr read_named_tuple();
    TypePtr read_profile(ScalarType dtype);
    TypePtr find_named(const std::string& qualified_name);
    std::vector<TypePtr> read_bracketed();
    bool read_alias();
    TypePtr read_suffixes(TypePtr type);

    TextReader& reader_;
    Dialect dialect_;
    CompilationUnit* unit_;
};

} // namespace reel::jit
