// Which instruction set the kernels of this process use.
#pragma once

namespace reel::cpu {

enum class Isa { base, v2, v3, v4 };
/// The best that the machine has; the environment variable REEL_ISA (v2, v3, v4) lowers it.
Isa isa();
const char* isa_name(Isa i);

} // namespace reel::cpu
