// What a program includes to make an op of a pointwise rule of its own: a rule is a type of `rule.hpp`,
// `apply("swiglu", swiglu_op{}, x, gate)` is its op, and its derivatives are written in ops.
#pragma once

#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/ops/index/nonzero.hpp>
#include <reel/autograd/ops/pointwise.hpp>
#include <reel/autograd/pointwise/run_rule.hpp>
