#!/usr/bin/env bash
# Trains with several processes on one machine, or on several when called once on each.
#
#   torchrun.sh [OPTIONS] fairseq-train|fairseq-hydra-train ARGUMENTS...
#
#   --processes N     on this machine: its number of GPUs              default: what torch finds
#   --nodes N         machines                                         default 1
#   --master HOST     one of them, named alike on all                  needed for several
#   --port P          a free port there                                default 29500
#   --restarts N      how often to go on from the last checkpoint when a process dies    default 3
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
  die "torch sees no GPU here: give --processes N, which are joined by gloo on the CPU"
fi
# The store of the processes' addresses is new after a restart: in the one that torchrun would share, the
# processes find the addresses of those that died (torch 2.13).
export TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1
# Each process has one thread for the CPU's part unless told otherwise; torchrun would say so each time.
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"
exec "$PYTHON_BIN" -m torch.distributed.run "${where[@]}" --nproc-per-node "$processes" \
  --max-restarts "$restarts" --no-python bash "$HERE/worker.sh" "$@"
