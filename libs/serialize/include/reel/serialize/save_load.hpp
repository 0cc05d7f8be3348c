// PyTorch's own files: `reel::save` writes what `torch.load` reads, `reel::load` reads what `torch.save` wrote.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <reel/autograd/archive.hpp>
#include <reel/autograd/value.hpp>
#include <reel/serialize/detail/objects.hpp>
#include <reel/serialize/file_values.hpp>

namespace reel {

struct LoadOptions {
    /// Tensors lie on the mapped file, private to the program: nothing is read until it is used, and checksums are not
    /// compared. Storages that cannot be mapped (deflated, of the other byte order, unaligned) are copied.
    bool mmap = false;
    /// Compare the checksums of what is read.
    bool check_crc = true;
    /// Give ordered dicts as boxed `serialize::OrderedDictValue` instead of plain dicts with the same attributes.
    bool ordered_dicts = false;
};
struct SaveOptions {
    /// A tensor that shows only a part of its storage is written as that part; else the whole storage is written, as
    /// `torch.save` does, and what shares memory goes on sharing it.
    bool clone_views = false;
};

/// Reads a `.pt` file of `torch.save`: state dicts, training checkpoints, any nesting of dicts, lists, tuples, numbers,
/// strings, tensors; the ZIP container and the legacy one. Tensors that share memory in the file share it here; all are
/// on the CPU. Nothing in a file is ever run: names outside a fixed table are refused (rules SR-1 to SR-13).
/// Errors: Error when the file cannot be opened; ValueError naming file, member, byte and key path when it is damaged,
/// holds something else than values, or a dtype that tensors do not have. TorchScript archives and tar files are
/// refused by name.
Value load(const std::string& path, const LoadOptions& options = {});
/// The same from a stream, from where it stands to its end. Nothing is mapped.
Value load(std::istream& stream, const LoadOptions& options = {});
/// Writes any nesting of values so that PyTorch's restricted loader reads and maps it. Same values, same bytes. The
/// file is replaced atomically. Errors: TypeError or ValueError naming the key path of what cannot be written.
void save(const Value& value, const std::string& path, const SaveOptions& options = {});
/// The same to a stream or a callback, in order; the archive's root folder is `archive` then. Error when one does not
/// take everything.
void save(const Value& value, std::ostream& stream, const SaveOptions& options = {});
void save(const Value& value, const serialize::WriteCallback& write, const SaveOptions& options = {});

/// The same in memory.
std::vector<char> pickle_save(const Value& value);
Value pickle_load(const std::vector<char>& data);

/// `save(model, "model.pt")`: a module (or a holder or pointer), an optimizer, a scheduler, a sampler, a state dict.
/// The target is a file name, a `std::ostream` or a `serialize::WriteCallback`. Modules and optimizers are written as
/// their state dict, which Python loads, unless a class among them overrides `save` and writes something else: then as
/// the archive that `save` fills, nested dicts. Tensors and `std::vector<Tensor>` are values.
template <serialize::detail::Saveable T, class Target>
void save(const T& object, Target&& target, const SaveOptions& options = {}) {
    save(serialize::detail::saved_value(object), std::forward<Target>(target), options);
}
template <serialize::detail::SaveablePointer P, class Target>
void save(const P& object, Target&& target, const SaveOptions& options = {}) {
    serialize::detail::check_pointer(object, "save");
    save(serialize::detail::saved_value(*object), std::forward<Target>(target), options);
}
/// `load(model, "model.pt")`: what `save` wrote, of Reel or of Python. The source is a file name, a `std::istream`, a
/// range in memory (`const char*`, size) or two callbacks (`serialize::ReadCallback`, `SizeCallback`), and a device for
/// the tensors if wanted. One that is refused, cut off, or that the object cannot take changes nothing. Missing entries
/// and other shapes are Errors that name the full dotted path, surplus entries are ignored (`load_state_dict` is
/// strict).
template <serialize::detail::Loadable T, class... Source> void load(T& object, Source&&... source) {
    serialize::InputArchive archive;
    archive.load_from(std::forward<Source>(source)...);
    serialize::detail::load_object(object, archive);
}
template <serialize::detail::LoadablePointer P, class... Source> void load(const P& object, Source&&... source) {
    serialize::detail::check_pointer(object, "load");
    load(*object, std::forward<Source>(source)...);
}
/// A saved tensor. A defined target keeps its identity, device and requires_grad and takes over sizes, dtype and data,
/// as in libtorch; an undefined one becomes the stored tensor. TypeError when the source holds something else.
template <class... Source> void load(Tensor& tensor, Source&&... source) {
    serialize::InputArchive archive;
    archive.load_from(std::forward<Source>(source)...);
    serialize::detail::load_object(tensor, archive);
}
/// A saved list of tensors, appended to `tensors` as in libtorch.
template <class... Source> void load(std::vector<Tensor>& tensors, Source&&... source) {
    serialize::InputArchive archive;
    archive.load_from(std::forward<Source>(source)...);
    serialize::detail::load_object(tensors, archive);
}

} // namespace reel
