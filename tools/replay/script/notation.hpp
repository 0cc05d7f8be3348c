// Values as the cases of scripts write them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <boost/json.hpp>

#include <reel/script/module.hpp>
#include <reel/serialize/safetensors.hpp>

namespace replay::script {

namespace json = boost::json;

/// The table that `{"tensor": KEY}` names.
class Values {
public:
    Values() = default;
    /// A missing file is an empty table.
    explicit Values(const std::filesystem::path& file);
    /// The table of a case that has one in it: `values`.
    explicit Values(const json::object& whole);
    reel::Tensor tensor(const json::object& notation) const;

private:
    std::optional<reel::serialize::SafetensorsFile> file_;
    const json::object* inside_ = nullptr;
};
/// `float32`; std::runtime_error for what is none.
reel::ScalarType dtype_named(const std::string& name);

/// How close results must be; real files are given more room.
struct Closeness {
    bool real_file = false;
};

/// An argument. Enums are looked up by the last part of their name among the types of `unit`.
reel::IValue read_value(const json::value& notation, const Values& values, const reel::jit::CompilationUnit& unit);
/// Empty when `got` is what is written; else where and how it differs.
std::string difference(const reel::IValue& got, const json::value& expected, const Values& values,
                       const Closeness& closeness = {});

/// A text with a word in the place of every tensor: how they print is free (rule SC-49), `tensor([1., 2.])` or
/// `Tensor[2] float32` here, lines of numbers and `[ CPUFloatType{2} ]` there.
std::string without_tensors(const std::string& text);

} // namespace replay::script
