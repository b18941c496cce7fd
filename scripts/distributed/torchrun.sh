#!/usr/bin/env bash
# Trains with several processes on one machine, or on several when called once on each.
#
#   torchrun.sh [OPTIONS] fairseq-train|fairseq-hydra-train ARGUMENTS...
#
#   --processes N     on this machine: its number of GPUs              default: what torch finds
#   --nodes N         machines                                         default 1
#   --node-rank R     which one this is, from 0 on                     default 0
#   --master HOST     the machine of rank 0                            default localhost
#   --port P          a free port there                                default: any, or 29500
#   --restarts N      how often to go on from the last checkpoint when a process dies    default 3
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"
HERE="$ROOT/scripts/distributed"
export PYTHON_BIN="${PYTHON_BIN:-$VENV/bin/python}"
processes=gpu nodes=1 node_rank=0 master=localhost port= restarts=3
while [ $# -gt 0 ]; do
  case "$1" in
    --processes) processes="$2" ;;
    --nodes) nodes="$2" ;;
    --node-rank) node_rank="$2" ;;
    --master) master="$2" ;;
    --port) port="$2" ;;
    --restarts) restarts="$2" ;;
    -h | --help) sed -n '2,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    --*) die "unknown option: $1 (--help lists them)" ;;
    *) break ;;
  esac
  shift 2
done
if [ "$nodes" -eq 1 ] && [ -z "$port" ]; then
  where=(--standalone)
else
  where=(--nnodes "$nodes" --node-rank "$node_rank" --master-addr "$master" --master-port "${port:-29500}")
fi
# Each process has one thread for the CPU's part unless told otherwise; torchrun would say so each time.
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"
exec "$PYTHON_BIN" -m torch.distributed.run "${where[@]}" --nproc-per-node "$processes" \
  --max-restarts "$restarts" --no-python bash "$HERE/worker.sh" "$@"
