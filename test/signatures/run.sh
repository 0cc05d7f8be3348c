#!/usr/bin/env bash
# Every op's names, order and defaults against PyTorch's. Ends with `N passed, N failed`.
exec python3 "$(dirname "$0")/signatures.py"
