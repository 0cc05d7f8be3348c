// What programs that include all of Reel share, parsed once (the build's precompiled header of examples and replays).
#pragma once

#include <reel/reel.hpp>

#include <pch.hpp>
