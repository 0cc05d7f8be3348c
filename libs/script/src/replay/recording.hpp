// What a thread's ops did to memory while somebody watched: steps over numbered blocks of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <reel/autograd/detail/launch_observer.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel::jit::replay {

/// Where a block of memory comes from.
enum class Origin : std::uint8_t {
    Fresh,    ///< made and written by the steps
    Argument, ///< of the function
    Seed,     ///< a gradient with which the backward pass begins
    Outside,  ///< was there before, or holds numbers that depend on nothing
};

/// A block of memory that steps touch.
struct Memory {
    Origin origin = Origin::Fresh;
    std::size_t bytes = 0;  ///< of a fresh one
    std::int64_t start = 0; ///< bytes into the storage at which an argument or a seed begins
    Tensor held{};          ///< Outside: keeps it alive and knows its version
    StoragePtr alias{};     ///< Outside: the same bytes
    bool constant = false;  ///< Outside: nobody but the recording needs to know it
    bool written = false;
    int first = -1, last = -1;          ///< step that touches it
    std::vector<TensorImplPtr> bound{}; ///< operands of kernels that lie here
};

/// A recorded call of a kernel, its tensors being stand-ins that belong to the recording.
class KernelCall {
public:
    virtual ~KernelCall() = default;
    virtual void run() = 0;
};

/// An operand of a flat loop.
struct Place {
    int memory = -1; ///< -1: the loop's own number
    std::int64_t offset = 0, step = 0;
    friend bool operator==(const Place&, const Place&) = default;
};

/// A pointwise loop over operands that are dense in one order, or one element for all.
struct FlatLoop {
    static constexpr int most = 6;
    void (*loop)(char* const*, const std::int64_t*, std::int64_t, const void*) = nullptr;
    std::vector<std::max_align_t> rule; ///< a copy
    alignas(16) char number[16] = {};
    std::int64_t count = 0; ///< of elements
    int operands = 0;       ///< with the result, which comes first
    Place places[most];
};

/// A tensor from outside that steps write: running moments, a count of calls.
struct Change {
    int memory;
    std::vector<char> before; ///< its bytes when the recording began
    std::uint32_t version;    ///< then
};

/// A number that a kernel finds on the host, in every run anew, and that later calls use.
struct HostNumber {
    std::vector<std::int64_t> of; ///< what tells it from others
    std::vector<int> read;        ///< blocks of memory in which it was found
    std::size_t step;             ///< by which step
    std::shared_ptr<double> value;
};

/// A kernel's call, or a loop.
struct Step {
    const char* name;
    std::unique_ptr<KernelCall> call{}; ///< null for a flat loop
    FlatLoop flat{};
    std::vector<int> touched{}, written{}; ///< blocks of memory
};

/// Records what this thread does.
class Recorder final : public reel::detail::LaunchObserver {
public:
    /// `t` is an argument or a seed; false when its storage is known already.
    bool announce(const Tensor& t, Origin origin);

    void storage_made(const Storage& s, bool fresh) override;
    void generated(const Tensor& t) override;
    void host_works(const char* what) override;
    void loop(const reel::detail::LoopLaunch& launch) override;
    /// A kernel that has run; `checks`: it may throw, and so belongs to the steps though it writes nothing.
    void kernel(const char* name, std::unique_ptr<KernelCall> call, ArrayRef<const Tensor*> read,
                ArrayRef<const Tensor*> written, bool checks = false);
    /// A kernel is going to write `t`.
    void about_to_write(const Tensor& t);
    /// A kernel is going to draw from the default generator, or from one of its own.
    void about_to_draw(bool own_generator);
    /// The number that the next step finds; one known by the same name must still be what it was.
    std::shared_ptr<double> find_number(std::vector<std::int64_t> of, std::vector<int> read);
    /// One that was found before.
    std::shared_ptr<double> found_number(const std::vector<std::int64_t>& of);
    /// Whatever is recorded cannot be replayed; the first reason counts.
    void give_up(std::string why);
    /// A tensor of the same geometry for a recorded call.
    Tensor stand_in(const Tensor& t);
    /// The block in which `t` lies.
    int memory_of(const Tensor& t);

    bool given_up() const { return !why_.empty(); }
    const std::string& why() const { return why_; }
    std::vector<Memory> memories;
    std::vector<Step> steps;
    std::vector<Change> changes;
    bool draws = false;
    bool in_backward = false; ///< what is seen belongs to the backward pass, which changes nothing outside

private:
    void touch(Step& step, const Tensor& t, bool writes);
    bool still_holds(const HostNumber& n) const;
    bool may_change(const Memory& m, const Tensor& t) const;
    bool flat_places(const reel::detail::LoopLaunch& l, FlatLoop& flat);
    std::unordered_map<const Storage*, int> known_;
    std::vector<Tensor> announced_;
    std::vector<HostNumber> numbers_;
    std::string why_;
};

/// The recorder of this thread, null when nobody records.
Recorder* current_recorder();
/// `recorder` watches this thread in this scope.
class RecordingScope {
public:
    explicit RecordingScope(Recorder& recorder);
    ~RecordingScope();
    RecordingScope(const RecordingScope&) = delete;

private:
    Recorder* previous_;
    reel::detail::LaunchObserver* observer_;
};

} // namespace reel::jit::replay
