// Parts of torch.nn.functional by group; library_text puts them together.
#pragma once

namespace reel::jit::emit {

extern const char* const functional_losses;
extern const char* const functional_layers;

} // namespace reel::jit::emit
