#!/usr/bin/env bash
# Trains with several processes on one machine, or on several machines if called once on each.
#
#   torchrun.sh [OPTIONS] fairseq-train|fairseq-hydra-train ARGUMENTS...
#
#   --processes N     processes on this machine                        default: its number of GPUs
#   --nodes N         number of machines                               default 1
#   --master HOST     one of the machines, the same name on all        required for several
#   --port P          a free port on that machine                      default 29500
#   --restarts N      maximum number of restarts from the last checkpoint if a process dies    default 3
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"
HERE="$ROOT/scripts/distributed"
export PYTHON_BIN="${PYTHON_BIN:-$VENV/bin/python}"
processes=gpu nodes=1 master= port=29500 restarts=3
while [ $# -gt 0 ]; do
  value="${2:-}"
  case "$1" in
    --processes) processes="$value" ;;
    --nodes) nodes="$value" ;;
    --master) master="$value" ;;
    --port) port="$value" ;;
    --restarts) restarts="$value" ;;
    -h | --help) script_help; exit 0 ;;
    --*) die "unknown option: $1 (--help lists them)" ;;
    *) break ;;
  esac
  [ -n "$value" ] || die "$1 needs a value (--help lists the options)"
  shift 2
done
case "${1:-}" in
  fairseq-train | fairseq-hydra-train) ;;
  *) die "expected fairseq-train or fairseq-hydra-train and its arguments, found '${1:-}'" ;;
esac
where=(--standalone)
if [ "$nodes" -gt 1 ]; then
  [ -n "$master" ] || die "--nodes $nodes needs --master HOST"
  where=(--nnodes "$nodes" --rdzv-backend c10d --rdzv-endpoint "$master:$port" --rdzv-id "fairseq-$port")
fi
if [ "$processes" = gpu ] \
  && ! "$PYTHON_BIN" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())'; then
  die "torch sees no GPU here: give --processes N to train on the CPU with gloo"
fi
# Do not share torchrun's address store: after a restart, processes would find the addresses of dead ones in it
# (torch 2.13).
export TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1
# One CPU thread per process unless set otherwise; torchrun does the same but prints a warning each time.
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"
exec "$PYTHON_BIN" -m torch.distributed.run "${where[@]}" --nproc-per-node "$processes" \
  --max-restarts "$restarts" --no-python bash "$HERE/worker.sh" "$@"
