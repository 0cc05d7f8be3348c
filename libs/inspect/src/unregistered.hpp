// What a model uses and does not have.
#pragma once

#include <string>
#include <vector>

#include "recorder_data.hpp"

namespace reel::inspect {

/// One sentence for each leaf that requires grad, is used inside of a call of the model or one of its modules and is
/// none of its parameters, and for each module with parameters that one of its modules called and that is not below it.
std::vector<std::string> find_unregistered(const nn::Module& model, const RecorderData& data);

} // namespace reel::inspect
