#!/usr/bin/env bash
# usage: run.sh OUT   mistakes that do not compile, and say what is wrong in a sentence.
exec python3 "$(dirname "$0")/compile_errors.py"
