// Programs of torch.export: `.pt2` archives.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <reel/nn/module_holder.hpp>
#include <reel/script/load_save.hpp>

namespace reel::jit {

struct ExportedGraph; ///< src/exported/program.hpp

/// The object of an exported program: a Reel module with the parameters and buffers of the module that was exported,
/// under their names, that runs the program's graph. It trains like any module; buffers that the program changes are
/// written.
class ExportedProgramImpl : public nn::Module {
public:
    struct Parts; ///< src/exported/program.hpp
    explicit ExportedProgramImpl(std::unique_ptr<Parts> parts);
    ~ExportedProgramImpl() override;

    /// Arguments are those of the module that was exported: lists, tuples and dicts nested as they were then.
    /// ValueError naming the input that is of another tree, size or value than the program allows (rule SC-112).
    IValue forward_values(const Args& inputs, const Kwargs& kwargs) override;
    template <class... A>
    requires(std::is_constructible_v<IValue, A&&>&&...) IValue forward(A&&... inputs) {
        return forward_values(Args{IValue(std::forward<A>(inputs))...}, {});
    }
    /// One line an operation, with its inputs and outputs.
    std::string str() const;
    /// Tensors that belong to the program and are neither parameters nor buffers.
    OrderedDict<std::string, Tensor> constants() const;
    const ExportedGraph& graph() const;
    const Parts& parts() const { return *parts_; } ///< what the file has, for those who write it
    /// The tensor that stands now under a name of the file, where `read` stood when it was loaded.
    Tensor present(const std::string& path, const Tensor& read) const;
    std::string repr_name() const override { return "ExportedProgram"; }

private:
    Tensor state(const std::string& path, bool parameter) const;
    std::unique_ptr<Parts> parts_;
};

/// A handle to an exported program.
class ExportedProgram : public nn::ModuleHolder<ExportedProgramImpl> {
public:
    using nn::ModuleHolder<ExportedProgramImpl>::ModuleHolder;
    ExportedProgram() : ModuleHolder(nullptr) {}
    /// Calls with hooks.
    IValue operator()(Args inputs, const Kwargs& kwargs = {}) const { return get()->call_values(inputs, kwargs); }
    nn::StateDict state_dict() const { return get()->state_dict(); }
    /// Writes an archive that `torch.export.load` reads (`save_exported`).
    void save(const std::string& path, const ExtraFilesMap& extra_files = {}) const;
};

/// Reads a `.pt2` file. Nothing in it is trusted: operators are looked up by name, what is not known is refused.
/// Errors: Error when the file cannot be opened; ValueError naming file, member and node; NotImplementedError naming an
/// operator or kind of argument that is not supported.
ExportedProgram load_exported(const std::string& path, ExtraFilesMap* extra_files = nullptr);
/// The same from the bytes of a file.
ExportedProgram load_exported_from_buffer(std::string bytes, ExtraFilesMap* extra_files = nullptr,
                                          const std::string& name = "the data");

/// Writes the program with the parameters, buffers and constants that it has now, so that `torch.export.load` reads it;
/// what was loaded and not changed comes out byte for byte. Extra files are those given. Errors: ValueError naming a
/// tensor whose dtype or shape is another than the graph was made for; Error when the file cannot be written.
void save_exported(const ExportedProgram& program, const std::string& path, const ExtraFilesMap& extra_files = {});
/// The same in memory.
std::string save_exported_to_buffer(const ExportedProgram& program, const ExtraFilesMap& extra_files = {});

} // namespace reel::jit
