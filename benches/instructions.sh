#!/usr/bin/env bash
# How many instructions views take on small logs. Unlike a time, that is the same twice, on a busy machine too.
#
#   benches/instructions.sh [--update] [BINARY]
#
# Fails where it is more than 5 % above the number in instructions.txt. With --update, it writes that file instead. BINARY is built
# unless given. The numbers hold for a compiler and a machine, which stand beside them; with others nothing is compared.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
file=$root/benches/instructions.txt
logs=(small partial whole)
views=(text tools json pretty log summary)
percent=5

say() { printf '%s\n' "$*" >&2; }
fail() { say "instructions.sh: $*"; exit 1; }
usage() { say "instructions.sh: $* (usage: benches/instructions.sh [--update] [BINARY])"; exit 2; }

# ---------------------------------------------------------------------------------------------------- what is asked for

update= binary=
for argument in "$@"; do
  case $argument in
    --update) update=yes ;;
    -*) usage "$argument is no option" ;;
    *)
      [ -z "$binary" ] || usage 'one binary at most'
      binary=$argument
      ;;
  esac
done

if ! valgrind=$(command -v valgrind); then
  [ -z "$update" ] || fail 'valgrind is not installed'
  say 'valgrind is not installed: no instructions are counted.'
  exit 0
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if [ -z "$binary" ]; then
  say 'building ...'
  cargo build --release --quiet --manifest-path "$root/Cargo.toml"
  binary=${CARGO_TARGET_DIR:-$root/target}/release/cursor-fmt
fi
[ -x "$binary" ] || fail "$binary cannot be run"
[ -f "$file" ] || [ -n "$update" ] || fail 'there is no instructions.txt; --update writes it'

# Programs are told where they lie and what their environment is. Here that is the same for whoever runs this.
cp "$binary" "$scratch/cursor-fmt"

# What is so small is made soon enough without a release build.
cargo run --quiet --manifest-path "$root/Cargo.toml" --example generate -- "$scratch" --megabytes 1 "${logs[@]}"

# --------------------------------------------------------------------------------------------------------- the numbers

declare -A before now

# Which vector instructions are used is chosen when the program runs.
compiler=$(cd "$root" && rustc --version)
machine=$(uname -m)
if grep -qsw avx2 /proc/cpuinfo; then machine+=' with AVX2'; fi

noted() { # NAME
  [ ! -f "$file" ] || sed -n "s/^$1: //p" "$file"
}

if [ -f "$file" ]; then
  while read -r log view number; do
    before["$log $view"]=$number
  done < <(sed -E '/^#|^[a-z]+: /d' "$file")
fi

for log in "${logs[@]}"; do
  for view in "${views[@]}"; do
    (
      cd "$scratch" &&
        env -i "$valgrind" --tool=callgrind --vgdb=no --callgrind-out-file=counts --log-file=messages \
          ./cursor-fmt "$view" "$log.ndjson" < /dev/null > /dev/null
    ) || fail "$view failed at $log.ndjson"
    number=$(sed -n 's/^totals: //p' "$scratch/counts")
    [[ $number =~ ^[1-9][0-9]*$ ]] || fail "valgrind counted nothing at $view of $log.ndjson"
    now["$log $view"]=$number
  done
done

# ------------------------------------------------------------------------------------------------------ the comparison

compared=yes
for name in compiler machine; do
  [ "$(noted "$name")" = "${!name}" ] || compared=
done

change() { awk -v now="$1" -v before="$2" 'BEGIN { printf "%+.1f %%", (now / before - 1) * 100 }'; }

more=0 fewer=0 unknown=0
printf '%-8s %-7s %13s %13s %9s\n' log view instructions before change
for log in "${logs[@]}"; do
  for view in "${views[@]}"; do
    new=${now["$log $view"]} old=${before["$log $view"]:-} word=
    if [ -z "$compared" ] || [ -z "$old" ]; then
      printf '%-8s %-7s %13s %13s\n' "$log" "$view" "$new" -
      unknown=$((unknown + 1))
      continue
    elif [ $((new * 100)) -gt $((old * (100 + percent))) ]; then
      word='  more'
      more=$((more + 1))
    elif [ $((new * 100)) -lt $((old * (100 - percent))) ]; then
      word='  fewer'
      fewer=$((fewer + 1))
    fi
    printf '%-8s %-7s %13s %13s %9s%s\n' "$log" "$view" "$new" "$old" "$(change "$new" "$old")" "$word"
  done
done

if [ -n "$update" ]; then
  {
    echo '# Instructions that callgrind counts, written by benches/instructions.sh --update.'
    echo "compiler: $compiler"
    echo "machine: $machine"
    for log in "${logs[@]}"; do
      for view in "${views[@]}"; do
        echo "$log $view ${now["$log $view"]}"
      done
    done
  } > "$file"
elif [ -z "$compared" ]; then
  say "Not compared: the numbers are for $(noted compiler) on $(noted machine), and this is $compiler on $machine."
elif [ $unknown -gt 0 ]; then
  fail "$unknown of them are not in instructions.txt; --update writes it"
elif [ $more -gt 0 ]; then
  fail "$more of them are more than $percent % above the number; if that has to be, --update says so"
elif [ $fewer -gt 0 ]; then
  say "$fewer of them are more than $percent % below the number: instructions.txt should be updated, with --update."
fi
