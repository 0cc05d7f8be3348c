// Optimizers over a module's parameters.
#include "hooks/interp.hpp"

namespace replay {

void add_optimizer_instructions(InstructionTable&) {}

} // namespace replay
