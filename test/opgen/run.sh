#!/usr/bin/env bash
# Blocks that the build must refuse, and what it says. Ends with `N passed, N failed`.
exec python3 "$(dirname "$0")/broken_blocks.py"
