# Sourced by run.sh: the child's data and runs.

# The same for parent and children.
training=(--criterion label_smoothed_cross_entropy --label-smoothing 0.1
  --optimizer adam --adam-betas '(0.9, 0.98)' --lr-scheduler inverse_sqrt --clip-norm 1.0
  --attention-dropout 0 --activation-dropout 0 --log-format simple --log-interval 100)
children() { die "not yet"; }
