# Sourced by recipes that have WORK (folder of the run), PYTHON_BIN and CPU (1 keeps off a GPU).

# read_options "NAME..." ARGUMENT... : puts --NAME VALUE into the variable NAME, and that of --some-name into
# some_name; their defaults are set before. A NAME+ may come again: its values go into the array NAME.
# --cpu sets CPU, --help prints the script's help, all else is refused.
read_options() {
  local names=" $1 " option variable
  shift
  while [ $# -gt 0 ]; do
    option="$1"
    shift
    case "$option" in
      -h | --help) script_help; exit 0 ;;
      --cpu) export CPU=1; continue ;;
    esac
    variable="${option#--}"
    case "$names" in
      *" $variable "* | *" $variable+ "*) ;;
      *) die "unknown option: $option (see --help)" ;;
    esac
    [ $# -gt 0 ] || die "$option needs a value (see --help)"
    case "$names" in
      *" $variable+ "*) eval "$variable+=(\"\$1\")" ;;
      *) printf -v "${variable//-/_}" %s "$1" ;;
    esac
    shift
  done
}

# folder_of PATH : its absolute path; it must exist.
folder_of() { [ -d "$1" ] || die "$1: no such folder"; (cd "$1" && pwd); }

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
