#!/bin/bash
set -e
torchrun --nnodes=4 --nproc-per-node=4 train.py | tee log
if true; then
