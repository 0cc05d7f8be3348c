// PyTorch's own files: `reel::save` writes what `torch.load` reads, `reel::load` reads what `torch.save` wrote.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <reel/autograd/value.hpp>
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
/// Writes any nesting of values so that PyTorch's restricted loader reads and maps it. Same values, same bytes. The
/// file is replaced atomically. Errors: TypeError or ValueError naming the key path of what cannot be written.
void save(const Value& value, const std::string& path, const SaveOptions& options = {});

/// The same in memory.
std::vector<char> pickle_save(const Value& value);
Value pickle_load(const std::vector<char>& data);

namespace serialize::detail {
inline Value state_value(Value v) { return v; }
/// An ordered dict with `_metadata`, as Python's state dicts have it.
template <class StateDict>
requires(!std::is_convertible_v<StateDict, Value>) Value state_value(const StateDict& dict) {
    OrderedDictValue out;
    for (const auto& item : dict) out.items.set(Value(item.key()), item.value());
    if (dict.metadata) {
        OrderedDictValue metadata;
        for (const auto& item : *dict.metadata) metadata.items.set(Value(item.key()), Value(item.value()));
        out.attributes.set("_metadata", Value::box(std::move(metadata)));
    }
    return Value::box(std::move(out));
}
template <class T> void load_state(T& target, const Value& v) {
    using State = std::decay_t<decltype(target.state_dict())>;
    if constexpr (std::is_convertible_v<State, Value>) target.load_state_dict(v);
    else target.load_state_dict(State::from_value(v));
}
} // namespace serialize::detail

/// `save(model, "model.pt")`: the state dict of a module (with its `_metadata`), an optimizer or a scheduler.
template <class T>
requires requires(T& t) { t.state_dict(); }
void save(T& object, const std::string& path, const SaveOptions& options = {}) {
    save(serialize::detail::state_value(object.state_dict()), path, options);
}
/// The same through a module holder or a pointer.
template <class T>
requires requires(T& t) { t->state_dict(); }
void save(T& object, const std::string& path, const SaveOptions& options = {}) {
    save(serialize::detail::state_value(object->state_dict()), path, options);
}
/// `load(model, "model.pt")`: reads the file, then `load_state_dict`. A file that is refused changes nothing.
template <class T>
requires requires(T& t) { t.state_dict(); }
void load(T& object, const std::string& path) { serialize::detail::load_state(object, load(path)); }
template <class T>
requires requires(T& t) { t->state_dict(); }
void load(T& object, const std::string& path) { serialize::detail::load_state(*object, load(path)); }

} // namespace reel
