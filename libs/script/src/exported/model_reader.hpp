// The model of an exported program, as `models/model.json` tells it.
#pragma once

#include <memory>
#include <string>

#include "exported/program.hpp"

namespace reel::jit {

/// The program of this JSON text, with the tensors of the two tables by name. ValueError and NotImplementedError saying
/// what is wrong.
std::unique_ptr<ExportedProgramImpl::Parts> read_exported_model(std::string model,
                                                                OrderedDict<std::string, Tensor> weights,
                                                                OrderedDict<std::string, Tensor> constants);

} // namespace reel::jit
