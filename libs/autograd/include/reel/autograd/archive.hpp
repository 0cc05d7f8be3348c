// Archives: named tensors, values and further archives, as `Module::save` and `Module::load` see them. What a file of
// one looks like is libs/serialize's business: `save_to` and `load_from` are defined there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <reel/autograd/value.hpp>

namespace reel::serialize {

/// Takes the next bytes of an archive; returns how many it has taken, which must be all.
using WriteCallback = std::function<std::size_t(const void* data, std::size_t size)>;
/// Puts `size` bytes from position `at` into `to`; returns how many, which must be all.
using ReadCallback = std::function<std::size_t(std::uint64_t at, void* to, std::size_t size)>;
using SizeCallback = std::function<std::size_t()>;

/// An ordered map that is being written. Archives nest: a module writes each submodule into an archive of its own.
/// Tensors are kept as handles until the archive is saved; what shares memory goes on sharing it.
class OutputArchive {
public:
    OutputArchive();
    OutputArchive(OutputArchive&&) noexcept;
    OutputArchive& operator=(OutputArchive&&) noexcept;
    OutputArchive(const OutputArchive&) = delete;
    OutputArchive& operator=(const OutputArchive&) = delete;
    ~OutputArchive();

    /// Adds an entry; an undefined tensor is written as none. ValueError for a key that is there already. Whether a
    /// tensor is a buffer is libtorch's argument and leaves no trace: `requires_grad` is saved as it is.
    void write(const std::string& key, const Tensor& tensor, bool is_buffer = false);
    void write(const std::string& key, const Value& value);
    /// What is written into `nested` later is part of this archive, too. ValueError when `nested` holds this archive.
    void write(const std::string& key, OutputArchive& nested);
    template <class... A> void operator()(A&&... arguments) { write(std::forward<A>(arguments)...); }

    /// A `.pt` file that PyTorch's restricted loader reads as nested dicts; replaced atomically. To a stream or a
    /// callback from the first byte to the last. Errors: Error naming the file; TypeError or ValueError naming the key
    /// path of what cannot be written. (In libreel_serialize.)
    void save_to(const std::string& path) const;
    void save_to(std::ostream& stream) const;
    void save_to(const WriteCallback& write) const;
    /// The entries as a dict; nested archives are dicts in it.
    const Value& value() const;

    /// For classes that write what `state_dict()` holds, once they have: `is_standard()` tells whether the archive and
    /// those in it hold nothing else, so that a state dict serves as well (see `reel::save`).
    void mark_standard();
    bool is_standard() const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

/// An ordered map that is being read. `archive.path()` and messages name entries by their full dotted path.
class InputArchive {
public:
    InputArchive();
    /// Of a dict that is in memory. Another value is read as entry `0`, a list as entries `0`, `1`, ...
    explicit InputArchive(Value value, std::string origin = {});
    InputArchive(InputArchive&&) noexcept;
    InputArchive& operator=(InputArchive&&) noexcept;
    InputArchive(const InputArchive&) = delete;
    InputArchive& operator=(const InputArchive&) = delete;
    ~InputArchive();

    /// Error naming path and origin when there is no such entry or it is of another kind. A defined `tensor` keeps its
    /// identity, its device and whether it requires grad, and takes over the stored sizes, dtype and data, as in
    /// libtorch; an undefined one becomes the stored tensor. Nothing is copied.
    void read(const std::string& key, Tensor& tensor, bool is_buffer = false) const;
    void read(const std::string& key, Value& value) const;
    void read(const std::string& key, InputArchive& nested) const;
    /// False when there is no such entry or it is of another kind; the target is not touched then. Nested entries of a
    /// state dict are those that its dotted keys name below `key`.
    bool try_read(const std::string& key, Tensor& tensor, bool is_buffer = false) const;
    bool try_read(const std::string& key, Value& value) const;
    bool try_read(const std::string& key, InputArchive& nested) const;
    template <class... A> void operator()(A&&... arguments) { read(std::forward<A>(arguments)...); }
    /// In the order of writing.
    std::vector<std::string> keys() const;

    /// Reads a `.pt` file, or one out of memory or through callbacks; `device` is where its tensors go. The archive is
    /// not changed by one that is refused. Errors: as `reel::load`. (In libreel_serialize.)
    void load_from(const std::string& path, std::optional<Device> device = std::nullopt);
    void load_from(std::istream& stream, std::optional<Device> device = std::nullopt); ///< from here to its end
    void load_from(const char* data, std::size_t size, std::optional<Device> device = std::nullopt);
    void load_from(const ReadCallback& read, const SizeCallback& size, std::optional<Device> device = std::nullopt);

    /// What was given or read, whatever it is.
    const Value& value() const { return value_; }
    /// Where this archive lies in the outermost one, dotted; empty for that one.
    const std::string& path() const { return path_; }
    /// The file, for messages; may be empty.
    const std::string& origin() const { return origin_; }
    /// Dotted path of one of its entries.
    std::string path_of(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }

private:
    friend class LoadGuard;
    struct Undo;
    const Value* find(const std::string& key) const;
    [[noreturn]] void missing(const char* what, const std::string& key) const;
    Value value_, entries_; ///< as given, and as a dict
    std::string path_, origin_;
    std::shared_ptr<Undo> undo_; ///< shared with the archives in it
};

/// What a load has changed, until it is complete: a guard that is destroyed without `commit` undoes, in reverse, what
/// was announced since it was made. Guards over one archive and those in it nest.
class LoadGuard {
public:
    explicit LoadGuard(InputArchive& archive);
    ~LoadGuard();
    LoadGuard(const LoadGuard&) = delete;
    LoadGuard& operator=(const LoadGuard&) = delete;
    void on_failure(std::function<void()> undo);
    /// `tensor`'s present values are put back on failure.
    void keep(const Tensor& tensor);
    void commit();

private:
    std::shared_ptr<InputArchive::Undo> undo_;
    std::size_t begin_;
    bool done_ = false;
};

template <class T>
concept HasArchiveSave = requires(const T& t, OutputArchive& a) {
    t.save(a);
};
template <class T>
concept HasArchiveLoad = requires(T& t, InputArchive& a) {
    t.load(a);
};

/// `archive << tensor` writes entry `0`; modules, optimizers and whatever has `save(OutputArchive&)` write their own,
/// also through holders and pointers. Error for an empty pointer.
inline OutputArchive& operator<<(OutputArchive& archive, const Tensor& tensor) {
    archive.write("0", tensor);
    return archive;
}
template <class T>
requires HasArchiveSave<T> OutputArchive& operator<<(OutputArchive& archive, const T& object) {
    object.save(archive);
    return archive;
}
template <class T>
requires(!HasArchiveSave<T> && requires(const T& t, OutputArchive& a) { t->save(a); }) OutputArchive&
operator<<(OutputArchive& archive, const T& pointer) {
    if constexpr (requires { pointer == nullptr; }) REEL_CHECK(pointer != nullptr, "save: the pointer is empty");
    pointer->save(archive);
    return archive;
}
/// The other way.
inline InputArchive& operator>>(InputArchive& archive, Tensor& tensor) {
    archive.read("0", tensor);
    return archive;
}
template <class T>
requires HasArchiveLoad<T> InputArchive& operator>>(InputArchive& archive, T& object) {
    object.load(archive);
    return archive;
}
template <class T>
requires(!HasArchiveLoad<T> && requires(T & t, InputArchive& a) { t->load(a); }) InputArchive&
operator>>(InputArchive& archive, const T& pointer) {
    if constexpr (requires { pointer == nullptr; }) REEL_CHECK(pointer != nullptr, "load: the pointer is empty");
    pointer->load(archive);
    return archive;
}

} // namespace reel::serialize
