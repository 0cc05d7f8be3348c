// The version of the headers; the build reads it from here.
#pragma once

#define REEL_VERSION_MAJOR 0
#define REEL_VERSION_MINOR 1
#define REEL_VERSION_PATCH 0
#define REEL_VERSION "0.1.0"
