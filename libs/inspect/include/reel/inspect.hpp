// All of the inspecting library.
#pragma once

#include <reel/inspect/explain_grad.hpp>
#include <reel/inspect/freeze.hpp>
#include <reel/inspect/hook_log.hpp>
#include <reel/inspect/recorder.hpp>
