#!/bin/sh
# What a look at a worktree costs at 100, 10,000 and 100,000 files, or at the sizes given: tests/bench/tree.sh 100 10000
exec cargo bench --quiet --bench tree -- "$@"
