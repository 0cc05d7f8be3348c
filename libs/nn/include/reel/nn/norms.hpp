// The layer norm variants of forecasting models (`reel::nn::norms`); nn.hpp has the ordinary LayerNorm and RMSNorm.
#pragma once

#include <reel/nn/norms/layer_norm.hpp>
#include <reel/nn/norms/rinorm.hpp>
#include <reel/nn/norms/rms_norm.hpp>
