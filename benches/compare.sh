#!/usr/bin/env bash
# Whole processes side by side: cursor-fmt, what the machine allows (`wc -l`, `cat | cat`), and jq, jaq and gojq at the same jobs.
#
#   benches/compare.sh [-n RUNS] [-d DIR] [BINARY] > table.md
#
# RUNS is 7 unless given. DIR holds the logs; those that are not there are generated, 300 MB each. Without -d they go to a
# directory of their own, which is removed at the end. BINARY is built unless given. Peers that are not installed are left out.
# What was not the same job is not compared: outputs are held against each other first, and where they differ this fails.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
logs=(partial whole partial-shuffled whole-shuffled giant)
jobs=(text tools json pretty)
startups=100

say() { printf '%s\n' "$*" >&2; }
fail() { say "compare.sh: $*"; exit 1; }
usage() { say "compare.sh: $* (usage: benches/compare.sh [-n RUNS] [-d DIR] [BINARY])"; exit 2; }

# ---------------------------------------------------------------------------------------------------- what is asked for

runs=7 directory= binary=
while getopts ':n:d:' option; do
  case $option in
    n) runs=$OPTARG ;;
    d) directory=$OPTARG ;;
    *) usage "-$OPTARG is no option, or lacks its value" ;;
  esac
done
shift $((OPTIND - 1))
[ $# -le 1 ] || usage 'one binary at most'
binary=${1:-}
[[ $runs =~ ^[1-9][0-9]*$ ]] || usage "RUNS is a number from 1 on, not \"$runs\""
[ -n "${EPOCHREALTIME:-}" ] || fail 'needs bash 5 or newer, for its clock'

# jq takes seconds where the others take a tenth of one: its median is steady sooner.
peer_runs=$((runs < 3 ? runs : 3))

peers=()
for tool in jq jaq gojq; do
  if command -v "$tool" > /dev/null; then peers+=("$tool"); fi
done

# Colours that somebody's shell forces would be work that the others do not do.
unset CLICOLOR_FORCE FORCE_COLOR

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
directory=${directory:-$scratch/logs}

if [ -z "$binary" ]; then
  say 'building ...'
  cargo build --release --quiet --manifest-path "$root/Cargo.toml"
  binary=${CARGO_TARGET_DIR:-$root/target}/release/cursor-fmt
fi
[ -x "$binary" ] || fail "$binary cannot be run"

missing=()
for log in "${logs[@]}" small; do
  [ -f "$directory/$log.ndjson" ] || missing+=("$log")
done
if [ ${#missing[@]} -gt 0 ]; then
  say "generating ${missing[*]} ..."
  cargo run --release --quiet --manifest-path "$root/Cargo.toml" --example generate -- \
    "$directory" --megabytes 300 "${missing[@]}"
fi

# ------------------------------------------------------------------------------------------------------------- the jobs

declare -A flags programs

# Every message once: what has no time, or the id of a model call, is whole and no piece. It ends with one line break at least,
# and an empty line follows. (That none follows the last would take `foreach inputs`, for which gojq holds all of the log.)
flags[text]=-j
programs[text]='
  select(.type == "assistant" and ((has("timestamp_ms") | not) or has("model_call_id")))
  | [.message.content[].text] | add
  | if endswith("\n") then . + "\n" else . + "\n\n" end'

# Id, tool and outcome of each call. cursor-fmt prints ten columns more.
flags[tools]=-r
programs[tools]='
  select(.type == "tool_call" and .subtype == "completed")
  | .call_id as $id
  | .tool_call | to_entries[] | select(.key | endswith("ToolCall") or . == "function")
  | [$id,
     (if .key == "function" then .value.name else .key[:-8] end),
     ((.value.result | keys) - ["isBackground"])[0]]
  | @tsv'

# The result of each run.
flags[json]=-c
programs[json]='
  select(.type == "result")
  | {type, subtype, is_error, duration_ms, duration_api_ms, result, session_id, request_id, usage}'

# Sets `command` to what TOOL runs to do JOB on LOG.
set_command() { # TOOL JOB LOG
  local file=$directory/$3.ndjson
  case "$1 $2" in
    'cursor-fmt text') command=("$binary" text --all "$file") ;;
    'cursor-fmt tools') command=("$binary" tools --format tsv "$file") ;;
    'cursor-fmt json') command=("$binary" json "$file") ;;
    'cursor-fmt pretty') command=("$binary" pretty "$file") ;;
    'wc '*) command=(wc -l "$file") ;;
    'cat '*) command=(cat "$file") ;;
    *) command=("$1" "${flags[$2]}" "${programs[$2]}" "$file") ;;
  esac
}

# ------------------------------------------------------------------------------------------------------- the same output

declare -A peaks

peak_of=()
if [ -x /usr/bin/time ] && /usr/bin/time -f %M -o "$scratch/peak" true 2> /dev/null; then
  peak_of=(/usr/bin/time -f %M -o "$scratch/peak")
fi

# Runs TOOL, with its output in FILE, and notes the most memory that it held.
output() { # TOOL JOB LOG FILE
  set_command "$1" "$2" "$3"
  "${peak_of[@]}" "${command[@]}" < /dev/null > "$4" || fail "$1 failed at $2 of $3.ndjson"
  [ -s "$4" ] || fail "$1 printed nothing at $2 of $3.ndjson"
  if [ ${#peak_of[@]} -gt 0 ]; then peaks["$1 $2 $3"]=$(< "$scratch/peak"); fi
}

# Brings two outputs to what both programs can print.
reduce() { # TOOL JOB
  case $2 in
    text)
      { cat "$scratch/ours" && echo; } > "$scratch/ours.reduced"
      cp "$scratch/theirs" "$scratch/theirs.reduced"
      ;;
    tools)
      # Calls that run side by side end in another order than they start; ours stand in the order of their start.
      tail -n +2 "$scratch/ours" | cut -f 3,4,7 | LC_ALL=C sort > "$scratch/ours.reduced"
      LC_ALL=C sort "$scratch/theirs" > "$scratch/theirs.reduced"
      ;;
    json)
      # Some sort keys, and each has escapes of its own.
      "$1" -c . "$scratch/ours" > "$scratch/ours.reduced"
      "$1" -c . "$scratch/theirs" > "$scratch/theirs.reduced"
      ;;
  esac
}

prove() { # LOG
  local job tool
  for job in "${jobs[@]}"; do
    output cursor-fmt "$job" "$1" "$scratch/ours"
    [ -n "${programs[$job]:-}" ] || continue
    for tool in "${peers[@]}"; do
      output "$tool" "$job" "$1" "$scratch/theirs"
      reduce "$tool" "$job"
      cmp "$scratch/ours.reduced" "$scratch/theirs.reduced" >&2 || fail "$tool says something else at $job of $1.ndjson"
    done
  done
}

# ------------------------------------------------------------------------------------------------------------- the clock

declare -A times

# Runs a command and notes under NAME how many microseconds it took.
clock() { # NAME COMMAND...
  local name=$1 start end
  shift
  start=${EPOCHREALTIME/[.,]/}
  "$@" < /dev/null > /dev/null
  end=${EPOCHREALTIME/[.,]/}
  times[$name]+="$((end - start)) "
}

through_cat() { cat "$directory/$1.ndjson" | cat; }
through_ours() { cat "$directory/$1.ndjson" | "$binary" text; }

# One after the other, and then all again: a machine that is busy for a while is busy for each of them.
measure() { # LOG
  local round job tool
  for ((round = 1; round <= runs; round++)); do
    set_command wc - "$1"
    clock "wc $1" "${command[@]}"
    clock "cat-cat $1" through_cat "$1"
    clock "piped $1" through_ours "$1"
    for job in "${jobs[@]}"; do
      set_command cursor-fmt "$job" "$1"
      clock "cursor-fmt $job $1" "${command[@]}"
    done
    [ "$round" -le "$peer_runs" ] || continue
    for job in "${jobs[@]}"; do
      [ -n "${programs[$job]:-}" ] || continue
      for tool in "${peers[@]}"; do
        set_command "$tool" "$job" "$1"
        clock "$tool $job $1" "${command[@]}"
      done
    done
  done
}

measure_startup() {
  local round tool
  for ((round = 1; round <= startups; round++)); do
    for tool in cat cursor-fmt "${peers[@]}"; do
      set_command "$tool" text small
      clock "$tool text small" "${command[@]}"
    done
  done
}

# ------------------------------------------------------------------------------------------------------------ the tables

median() { # NAME
  tr ' ' '\n' <<< "${times[$1]}" | sed '/^$/d' | sort -n |
    awk '{ took[NR] = $1 } END { print int((took[int((NR + 1) / 2)] + took[int(NR / 2) + 1]) / 2) }'
}
seconds() { awk -v took="$1" 'BEGIN { printf "%.3f", took / 1e6 }'; }
milliseconds() { awk -v took="$1" 'BEGIN { printf "%.2f", took / 1e3 }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf(a / b < 10 ? "%.2f" : "%.0f", a / b) }'; }
mebibytes() { awk -v kib="$1" 'BEGIN { printf(kib < 102400 ? "%.1f" : "%.0f", kib / 1024) }'; }

# A row of a Markdown table.
row() {
  local cell
  printf '|'
  for cell in "$@"; do printf ' %s |' "$cell"; done
  printf '\n'
}
# The row below the head: as many columns as TEXTS say to the left, as NUMBERS say to the right.
rule() { # TEXTS NUMBERS
  local i
  printf '|'
  for ((i = 0; i < $1; i++)); do printf '%s|' '---'; done
  for ((i = 0; i < $2; i++)); do printf '%s|' '--:'; done
  printf '\n'
}

machine() {
  local processor
  processor=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo 2> /dev/null | sed -n 1p || true)
  [ -n "$processor" ] || processor=$(sysctl -n machdep.cpu.brand_string 2> /dev/null || uname -m)
  printf '%s, %s cores, %s\n' "$processor" "$(getconf _NPROCESSORS_ONLN)" "$(uname -sr)"
}

versions() {
  local tool
  "$binary" --version
  for tool in "${peers[@]}"; do
    case $tool in
      jq) jq --version | sed 's/^jq-/jq /' ;;
      *) "$tool" --version | sed -n 1p ;;
    esac
  done
  { wc --version 2> /dev/null || echo 'wc and cat of the system'; } | sed -n 1p
}

head_lines() {
  local log
  printf '%s\n\n' "$(date -u +%F), $(machine)"
  printf '%s; ' "$(versions | paste -s -d ';' - | sed 's/;/; /g')"
  printf 'logs:'
  for log in "${logs[@]}" small; do
    printf ' %s %s MB,' "$log" "$(wc -c < "$directory/$log.ndjson" | awk '{ printf "%.1f", $1 / 1e6 }')"
  done
  printf ' in the page cache.\n\n'
  printf 'Medians of %s runs (jq, jaq and gojq: %s), taken in turn, output to /dev/null. ' "$runs" "$peer_runs"
  printf 'Outputs were held against each other before. '
  printf 'Jobs: `text --all`; `tools --format tsv`, of which the others print 3 of 13 columns; `json`; `pretty`.\n\n'
}

time_table() {
  local log job tool wc ours theirs cells
  printf 'Seconds of wall time; × is how often as long as cursor-fmt takes.\n\n'
  row log job cursor-fmt '÷ `wc -l`' '`wc -l`' "${peers[@]}"
  rule 2 $((3 + ${#peers[@]}))
  for log in "${logs[@]}"; do
    wc=$(median "wc $log")
    for job in "${jobs[@]}"; do
      ours=$(median "cursor-fmt $job $log")
      cells=("$log" "$job" "$(seconds "$ours")" "$(ratio "$ours" "$wc")" "$(seconds "$wc")")
      for tool in "${peers[@]}"; do
        if [ -n "${programs[$job]:-}" ]; then
          theirs=$(median "$tool $job $log")
          cells+=("$(seconds "$theirs") (× $(ratio "$theirs" "$ours"))")
        else
          cells+=('')
        fi
      done
      row "${cells[@]}"
    done
  done
}

pipe_table() {
  local log ours theirs
  printf '\nThrough a pipe, in seconds:\n\n'
  row log '`cat LOG \| cursor-fmt text`' '`cat LOG \| cat`' ÷
  rule 1 3
  for log in "${logs[@]}"; do
    ours=$(median "piped $log") theirs=$(median "cat-cat $log")
    row "$log" "$(seconds "$ours")" "$(seconds "$theirs")" "$(ratio "$ours" "$theirs")"
  done
}

startup_table() {
  local tool ours cells ratios
  printf '\nStart-up: `text --all small.ndjson`, medians of %s runs, in milliseconds.\n\n' "$startups"
  row '' cursor-fmt '`cat`' "${peers[@]}"
  rule 1 $((2 + ${#peers[@]}))
  ours=$(median 'cursor-fmt text small')
  cells=(time) ratios=('÷ cursor-fmt')
  for tool in cursor-fmt cat "${peers[@]}"; do
    cells+=("$(milliseconds "$(median "$tool text small")")")
    ratios+=("$(ratio "$(median "$tool text small")" "$ours")")
  done
  row "${cells[@]}"
  row "${ratios[@]}"
}

memory_table() {
  local log job tool cells
  [ ${#peak_of[@]} -gt 0 ] || return 0
  printf '\nThe most memory held, in MiB:\n\n'
  row log job cursor-fmt "${peers[@]}"
  rule 2 $((1 + ${#peers[@]}))
  for log in "${logs[@]}"; do
    for job in "${jobs[@]}"; do
      cells=("$log" "$job")
      for tool in cursor-fmt "${peers[@]}"; do
        cells+=("$([ -z "${peaks["$tool $job $log"]:-}" ] || mebibytes "${peaks["$tool $job $log"]}")")
      done
      row "${cells[@]}"
    done
  done
}

# ------------------------------------------------------------------------------------------------------------------- all

# Each log is read by the proof before the clock runs, so that all of it is in the page cache.
for log in "${logs[@]}"; do
  say "$log: the same output? ..."
  prove "$log"
  say "$log: $runs runs ..."
  measure "$log"
done
say "start-up: $startups runs ..."
prove small
measure_startup

head_lines
time_table
pipe_table
startup_table
memory_table
