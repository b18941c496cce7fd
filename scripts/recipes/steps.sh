# Sourced by recipes that have WORK (folder of the run), PYTHON_BIN and CPU (1 keeps off a GPU).

# step NAME SETTINGS COMMAND... : skips a step that is finished with the same settings; an interrupted
# step is not marked and runs again.
step() {
  local name="$1" settings="$2" stamp
  shift 2
  stamp="$WORK/.done-${name//\//.}"
  if [ "$(cat "$stamp" 2> /dev/null)" = "$settings" ]; then
    say "$name: done before, kept (--fresh starts over)"
    return
  fi
  rm -f "$stamp"
  "$@"
  printf '%s\n' "$settings" > "$stamp"
}

# The GPUs that training will use; 0 for the CPU.
count_gpus() {
  [ -n "$CPU" ] && echo 0 && return
  "$PYTHON_BIN" -c 'import torch; print(torch.cuda.device_count() if torch.cuda.is_available() else 0)'
}

# The flags for fairseq-generate: --cpu, or --fp16 on a GPU.
cpu_flags() { if [ "$(count_gpus)" = 0 ]; then echo --cpu; else echo --fp16; fi; }
