// Everything that a training program needs.
#pragma once

#include <reel/autograd.hpp>
#include <reel/data.hpp>
#include <reel/inspect.hpp>
#include <reel/nn.hpp>
#include <reel/optim.hpp>
#include <reel/serialize.hpp>
#include <reel/version.hpp>
