// One file of reference cases: its JSON, its tensors, and the reading of arguments.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include <boost/json.hpp>

#include <reel/autograd/value.hpp>
#include <reel/serialize/safetensors.hpp>

namespace replay {

namespace json = boost::json;

/// How inputs lie in memory; values are equal under each.
enum class MemoryLayout { contiguous, strided, transposed, offset };
MemoryLayout layout_from_name(const std::string& name);
/// A leaf with the values of `t`, laid out as asked.
reel::Tensor lay_out(const reel::Tensor& t, MemoryLayout layout);

/// A file of cases.
class CaseFile {
public:
    explicit CaseFile(const std::filesystem::path& path);
    /// Whether the file holds reference cases.
    static bool has_cases(const std::filesystem::path& path);
    const std::filesystem::path& path() const { return path_; }
    std::string stem() const { return path_.stem().string(); }
    const json::array& cases() const { return cases_; }
    bool has(const std::string& key) const { return file_.contains(key); }
    reel::Tensor tensor(const std::string& key) const { return file_.tensor(key); }
    const std::vector<std::string>& keys() const { return file_.keys(); }

private:
    std::filesystem::path path_;
    reel::serialize::SafetensorsFile file_;
    json::array cases_;
};

/// Reads the argument notation of the reference cases. Tensors are made once per key and remembered.
class ArgumentReader {
public:
    ArgumentReader(const CaseFile& file, MemoryLayout layout, reel::Device device = reel::kCPU)
        : file_(&file), layout_(layout), device_(device) {}
    reel::Value read(const json::value& v);
    reel::Args read_args(const json::value& list);
    reel::Kwargs read_kwargs(const json::value& object);
    /// The tensors met so far, by key.
    const std::map<std::string, reel::Tensor>& tensors() const { return tensors_; }

private:
    reel::Tensor tensor(const std::string& key, bool requires_grad);
    reel::Device device(std::string_view name) const;
    const CaseFile* file_;
    MemoryLayout layout_;
    reel::Device device_;
    std::map<std::string, reel::Tensor> tensors_;
};

/// The tensors of a result, in order; undefined ones are left out.
void flatten_tensors(const reel::Value& v, std::vector<reel::Tensor>& out);

} // namespace replay
