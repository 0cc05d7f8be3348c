// What a replay buffer saves and takes over.
#include <reel/rl/replay/replay_buffer.hpp>

#include <reel/autograd/random.hpp>
#include <reel/serialize/run_checkpoint.hpp>

#include "replay/state.hpp"

namespace reel::rl {
namespace {

constexpr const char* name = "ReplayBuffer";

/// The generator that a state holds; undefined where it holds none.
Generator generator_in(const Value& state) {
    const Value* saved = state.toGenericDict().find("generator");
    if (!saved) return {};
    REEL_CHECK_TYPE(saved->isTensor(), name, ": load_state_dict: 'generator' is ", saved->repr(),
                    ", expected the state of one");
    const Generator generator = reel::detail::createCPUGenerator();
    Generator(generator).set_state(saved->toTensor());
    return generator;
}

} // namespace

Value ReplayBuffer::state(bool copies) const {
    std::vector<Value> transforms;
    for (const auto& t : transforms_) transforms.push_back(t->state_dict());
    ValueDict state{{"storage", storage_->state_dict(copies)},
                    {"sampler", sampler_->state_dict()},
                    {"writer", writer_.state_dict()},
                    {"transforms", Value::list(std::move(transforms))}};
    if (generator_ && generator_->defined()) state.set("generator", generator_->get_state());
    return state;
}
Value ReplayBuffer::state_dict() const {
    const std::lock_guard lock(mutex_);
    return state(true);
}

void ReplayBuffer::load_state_dict(const Value& state) {
    const std::lock_guard lock(mutex_);
    // everything is read before anything is taken over
    const CommitLoad storage = storage_->prepare_load(replay::entry(state, name, "storage"));
    const std::int64_t size =
        replay::count_in(replay::entry(state, name, "storage"), name, "size", storage_->max_size());
    const CommitLoad sampler = sampler_->prepare_load(replay::entry(state, name, "sampler"), size);
    const Value& at = replay::entry(state, name, "writer");
    const CommitLoad writer = writer_.prepare_load(at, storage_->max_size());
    REEL_CHECK_VALUE(std::min(replay::count_in(at, name, "write_count", INT64_MAX), storage_->max_size()) == size, name,
                     ": load_state_dict: the storage holds ", size, " entries after ",
                     replay::entry(at, name, "write_count").toInt(), " writes");
    const Value& transforms = replay::entry(state, name, "transforms");
    REEL_CHECK_TYPE(transforms.isList(), name, ": load_state_dict: 'transforms' is ", transforms.repr(),
                    ", expected a list");
    REEL_CHECK_VALUE(transforms.elements().size() == transforms_.size(), name,
                     ": load_state_dict: the state is that of ", transforms.elements().size(),
                     " transforms, the buffer has ", transforms_.size());
    const Generator generator = generator_in(state);

    std::vector<Value> undo;
    try {
        for (std::size_t i = 0; i < transforms_.size(); ++i) {
            Value old = transforms_[i]->state_dict();
            transforms_[i]->load_state_dict(transforms.elements()[i]);
            undo.push_back(std::move(old));
        }
        storage();
    } catch (...) {
        for (std::size_t i = 0; i < undo.size(); ++i) transforms_[i]->load_state_dict(undo[i]);
        throw;
    }
    sampler();
    writer();
    if (generator.defined()) generator_ = generator;
}

void ReplayBuffer::dumps(const std::string& path) const {
    const std::lock_guard lock(mutex_);
    serialize::save_checkpoint({{"replay_buffer", state(false)}}, path);
}
void ReplayBuffer::loads(const std::string& path) {
    const ValueDict file = serialize::load_checkpoint(path);
    const Value* state = file.find(std::string_view("replay_buffer"));
    REEL_CHECK_VALUE(state, path, ": this checkpoint holds no replay buffer");
    try {
        load_state_dict(*state);
    } catch (Error& e) {
        e.add_context("while loading " + path);
        throw;
    }
}

} // namespace reel::rl
