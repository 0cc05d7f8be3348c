// Saving a run so that going on gives the same bits.
#pragma once

#include <string>

#include <reel/autograd/value.hpp>
#include <reel/rl/tensordict.hpp>

#include "options.hpp"

namespace agents {

/// A dictionary with the batch sizes of all its parts, for `serialize::save_checkpoint`.
reel::Value to_value(const reel::rl::TensorDict& dict);
reel::rl::TensorDict tensordict_from(const reel::Value& value);

/// `values`, the seed, the program's name and the default generator's state, in one file that is replaced atomically.
void save_run(const std::string& program, const RunOptions& options, reel::ValueDict values);
/// What was saved; puts the default generator back. Error naming the file when it is damaged, of another program or of
/// another seed.
reel::ValueDict load_run(const std::string& program, const RunOptions& options);

} // namespace agents
