# shellcheck shell=bash
# For tools/run, tools/test and .ci/run: source it. Steps with their times, build jobs that fit the memory.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit

say() { printf '== %s\n' "$*"; }

# step TEXT COMMAND...: runs it and says how long it took.
step() {
  local text=$1 start=$SECONDS
  shift
  say "$text"
  "$@" || { say "$text: FAILED after $((SECONDS - start)) s"; return 1; }
  say "$text: done in $((SECONDS - start)) s"
}

# A compiler takes up to 1.5 GB for an Asio file.
jobs() {
  local kib limit by_memory
  kib=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo)
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || echo max)
  if [[ $limit != max ]] && ((limit / 1024 < kib)); then kib=$((limit / 1024)); fi
  by_memory=$((kib / 1536 / 1024))
  if ((by_memory < 1)); then by_memory=1; fi
  nproc | awk -v most="$by_memory" '{print ($1 < most ? $1 : most)}'
}

# build PRESET [cmake --build ARGUMENTS...]
build() {
  local preset=$1 configured
  shift
  configured=$(cmake --preset "$preset" ${CI:+-DSLOTSWAP_WERROR=ON} 2>&1) || { echo "$configured"; return 1; }
  cmake --build --preset "$preset" --parallel "$(jobs)" "$@"
}
