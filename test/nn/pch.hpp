// What nearly every test of modules reads, parsed once (the precompiled header of the test programs that are about
// them).
#pragma once

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/nn.hpp>

#include <pch.hpp>
