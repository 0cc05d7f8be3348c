// All of the inspecting library.
#pragma once

#include <reel/inspect/backward_steps.hpp>
#include <reel/inspect/explain_grad.hpp>
#include <reel/inspect/flow_view.hpp>
#include <reel/inspect/freeze.hpp>
#include <reel/inspect/hook_log.hpp>
#include <reel/inspect/html.hpp>
#include <reel/inspect/inplace_autopsy.hpp>
#include <reel/inspect/leaf_ledger.hpp>
#include <reel/inspect/recorder.hpp>
#include <reel/inspect/tape_bytes.hpp>
