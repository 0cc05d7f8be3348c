// Everything that a training program needs.
#pragma once

#include <reel/autograd.hpp>
#include <reel/nn.hpp>
#include <reel/version.hpp>
