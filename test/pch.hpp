// What nearly every test reads, parsed once (the build's precompiled header of the test programs).
#pragma once

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>

#include <pch.hpp>
