// Texts of the library's functions by group; library_text puts those of a module together.
#pragma once

namespace reel::jit::emit {

extern const char* const functional_losses;
extern const char* const functional_layers;
extern const char* const functional_choices; ///< of which the arguments choose one: interpolate, pools with places
/// Of torch.functional.
extern const char* const torch_functional;

} // namespace reel::jit::emit
