#!/usr/bin/env bash
# Runs one process of a training run; torchrun.sh and slurm.sh start it once per GPU.
#
#   worker.sh fairseq-train|fairseq-hydra-train ARGUMENTS...
#
# Its rank and the number of processes come from torchrun (RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR,
# MASTER_PORT) or from SLURM. Without a GPU, or with CPU=1, the processes communicate by gloo.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"
PYTHON_BIN="${PYTHON_BIN:-$VENV/bin/python}"

if [ -z "${RANK:-}" ]; then
  [ -n "${SLURM_PROCID:-}" ] || die "not started by torchrun or srun: see scripts/distributed/README.md"
  export RANK="$SLURM_PROCID" WORLD_SIZE="$SLURM_NTASKS" LOCAL_RANK="$SLURM_LOCALID"
  export MASTER_ADDR="${MASTER_ADDR:-$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)}"
  # Jobs on the same machine need different ports.
  export MASTER_PORT="${MASTER_PORT:-$((20000 + SLURM_JOB_ID % 10000))}"
fi

place=("world_size=$WORLD_SIZE" "rank=$RANK" "init_method=env://")
if [ -n "${CPU:-}" ] || ! "$PYTHON_BIN" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())'; then
  cpu=1
  place+=("backend=gloo")
fi

command="${1:-}"
[ $# -eq 0 ] || shift
case "$command" in
  fairseq-train)
    set -- -m fairseq_cli.train "$@" --distributed-no-spawn
    for setting in "${place[@]}"; do
      name="${setting%%=*}"
      set -- "$@" "--distributed-${name//_/-}" "${setting#*=}"
    done
    # torch's own DDP needs a GPU per process.
    [ -z "${cpu:-}" ] || set -- "$@" --cpu --ddp-backend legacy_ddp
    ;;
  fairseq-hydra-train)
    set -- -m fairseq_cli.hydra_train "$@" distributed_training.distributed_no_spawn=true \
      "${place[@]/#/distributed_training.distributed_}"
    [ -z "${cpu:-}" ] || set -- "$@" common.cpu=true distributed_training.ddp_backend=legacy_ddp
    ;;
  *) die "expected fairseq-train or fairseq-hydra-train and its arguments, found '$command'" ;;
esac
exec "$PYTHON_BIN" "$@"
