// Umbrella header of reel_nn for users.
#pragma once

#include <reel/nn/backends.hpp>
#include <reel/nn/cloneable.hpp>
#include <reel/nn/functional.hpp>
#include <reel/nn/hooks.hpp>
#include <reel/nn/init.hpp>
#include <reel/nn/module.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/modules/activation.hpp>
#include <reel/nn/modules/adaptive.hpp>
#include <reel/nn/modules/any_module.hpp>
#include <reel/nn/modules/attention.hpp>
#include <reel/nn/modules/batch_norm.hpp>
#include <reel/nn/modules/conv.hpp>
#include <reel/nn/modules/distance.hpp>
#include <reel/nn/modules/dropout.hpp>
#include <reel/nn/modules/embedding.hpp>
#include <reel/nn/modules/fractional_pooling.hpp>
#include <reel/nn/modules/linear.hpp>
#include <reel/nn/modules/loss.hpp>
#include <reel/nn/modules/module_list.hpp>
#include <reel/nn/modules/normalization.hpp>
#include <reel/nn/modules/padding.hpp>
#include <reel/nn/modules/parameter_list.hpp>
#include <reel/nn/modules/pooling.hpp>
#include <reel/nn/modules/rnn.hpp>
#include <reel/nn/modules/sequential.hpp>
#include <reel/nn/modules/transformer.hpp>
#include <reel/nn/modules/transformer_layer.hpp>
#include <reel/nn/modules/vision.hpp>
#include <reel/nn/norms.hpp>
#include <reel/nn/parameter.hpp>
#include <reel/nn/replicate.hpp>
#include <reel/nn/state_dict.hpp>
#include <reel/nn/utils/clip_grad.hpp>
#include <reel/nn/utils/convert_parameters.hpp>
#include <reel/nn/utils/rnn.hpp>

// last: names what the headers above declare
#include <reel/nn/instances.hpp>
