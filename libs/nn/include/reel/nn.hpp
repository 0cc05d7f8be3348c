// Umbrella header of reel_nn for users.
#pragma once

#include <reel/nn/backends.hpp>
#include <reel/nn/cloneable.hpp>
#include <reel/nn/deep_copy.hpp>
#include <reel/nn/factory.hpp>
#include <reel/nn/functional.hpp>
#include <reel/nn/functional_call.hpp>
#include <reel/nn/hook_list.hpp>
#include <reel/nn/hooks.hpp>
#include <reel/nn/init.hpp>
#include <reel/nn/layers.hpp>
#include <reel/nn/module.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/norms.hpp>
#include <reel/nn/parameter.hpp>
#include <reel/nn/replicate.hpp>
#include <reel/nn/state_dict.hpp>
#include <reel/nn/utils/averaged_model.hpp>
#include <reel/nn/utils/clip_grad.hpp>
#include <reel/nn/utils/consume_prefix.hpp>
#include <reel/nn/utils/convert_parameters.hpp>
#include <reel/nn/utils/parametrizations.hpp>
#include <reel/nn/utils/parametrize.hpp>
#include <reel/nn/utils/prune.hpp>
#include <reel/nn/utils/rnn.hpp>
#include <reel/nn/utils/spectral_norm.hpp>
#include <reel/nn/utils/weight_norm.hpp>

// last: names what the headers above declare
#include <reel/nn/instances.hpp>
