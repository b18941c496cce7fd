#!/usr/bin/env bash
# Trains on machines allocated by SLURM. Submit it from the checkout, with one task per GPU:
#
#   sbatch --nodes 2 --ntasks-per-node 8 --gpus-per-node 8 --cpus-per-task 4 --time 48:00:00 \
#     scripts/distributed/slurm.sh fairseq-train ARGUMENTS...
#   sbatch --gpus 1 --time 48:00:00 scripts/distributed/slurm.sh recipe ARGUMENTS...
#
# The second form is a part of a recipe, which scripts/recipe.py --launch slurm submits.
# If a process dies or a machine is lost, the job is requeued and resumes from the last checkpoint.
#SBATCH --job-name=fairseq-subword
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail
# SLURM runs a copy of this file from another folder.
HERE="${SLURM_SUBMIT_DIR:?submit this with sbatch}/scripts/distributed"
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"
if [ "${1:-}" = recipe ]; then
  shift
  task=(srun --ntasks 1 "${PYTHON_BIN:-$SLURM_SUBMIT_DIR/.venv/bin/python}" "$SLURM_SUBMIT_DIR/scripts/recipe.py")
else
  task=(srun --kill-on-bad-exit=1 bash "$HERE/worker.sh")
fi
status=0
"${task[@]}" "$@" || status=$?
if [ "$status" -ne 0 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt "${RESTARTS:-3}" ]; then
  scontrol requeue "$SLURM_JOB_ID" || exit "$status"
fi
exit "$status"
