# Runs on the target in any POSIX shell, with the connection as standard input and output. Finds Node 22.18 or newer, and
# runs the program that follows on standard input with it. The client sets before:
#   first, second   the halves of the marker, so that an echo of this text does not look like an answer
#   size            the size of the program in bytes
#   minimum         the oldest minor version of Node 22
#   upload          the SHA-256 of a Node that follows until the end of standard input, instead of a program; else empty

case ${XDG_CACHE_HOME-} in
  /*) folder=$XDG_CACHE_HOME/toolcrib/remote ;;
  *) folder=${HOME:-/}/.cache/toolcrib/remote ;;
esac
temporary=${TMPDIR:-/tmp}/toolcrib-$(id -u)
unfit=

# Other users can create a folder in the temporary directory, and put a program there.
is_own() {
  [ ! -h "$1" ] && [ -d "$1" ] && [ -O "$1" ]
}

# Programs of version managers and login scripts may wait for something that never comes.
limit=
command -v timeout >/dev/null 2>&1 && limit='timeout -s KILL 20'

fits() {
  [ -n "$1" ] && [ -x "$1" ] && [ ! -d "$1" ] || return 1
  version=$($limit "$1" -v 2>/dev/null </dev/null) || return 1
  version=${version#v}
  major=${version%%.*}
  minor=${version#*.}
  minor=${minor%%.*}
  case $major in '' | *[!0-9]*) return 1 ;; esac
  case $minor in '' | *[!0-9]*) return 1 ;; esac
  if [ "$major" -gt 22 ] || { [ "$major" -eq 22 ] && [ "$minor" -ge "$minimum" ]; }; then
    node=$1
    return 0
  fi
  case "$unfit " in *" $major.$minor "*) ;; *) unfit="$unfit $major.$minor" ;; esac
  return 1
}

find_node() {
  for name in node nodejs; do
    fits "$(command -v "$name" 2>/dev/null)" && return 0
  done
  for parent in "$folder" "$temporary"; do
    is_own "$parent" || continue
    for path in "$parent"/node/*; do
      fits "$path" && return 0
    done
  done
  for path in "${NVM_DIR:-${HOME:-}/.nvm}"/versions/node/*/bin/node "${HOME:-}"/.local/share/fnm/node-versions/*/installation/bin/node \
    "${HOME:-}"/.volta/bin/node "${HOME:-}"/.asdf/shims/node "${HOME:-}"/.local/share/mise/shims/node "${HOME:-}"/.local/bin/node \
    /usr/local/bin/node /usr/bin/node /opt/homebrew/bin/node /snap/bin/node; do
    fits "$path" && return 0
  done
  case ${SHELL-} in
    # Login scripts may print, too, and start programs that keep the output open.
    /*)
      fits "$($limit "$SHELL" -lc 'echo; echo toolcrib-node; command -v node; echo' 2>/dev/null </dev/null | after_marker)" && return 0
      ;;
  esac
  return 1
}

after_marker() {
  while IFS= read -r line; do
    [ "$line" = toolcrib-node ] && IFS= read -r line && printf '%s' "$line" && return 0
  done
}

say() {
  printf '\n%s%s %s\n' "$first" "$second" "$1"
}

# Stores a Node that the user has chosen. It computes its own hash, because the target may have no program for that.
store_node() {
  umask 077
  for parent in "$folder" "$temporary"; do
    mkdir -p "$parent" 2>/dev/null && is_own "$parent" && mkdir -p "$parent/node" 2>/dev/null && break
    parent=
  done
  [ -n "$parent" ] || return 1
  draft=$parent/node/$upload.new
  if command -v gzip >/dev/null 2>&1; then
    say "{\"kind\":\"send\",\"gzip\":true,\"machine\":\"$(uname -m)\"}"
    gzip -dc >"$draft" || return 1
  else
    say "{\"kind\":\"send\",\"gzip\":false,\"machine\":\"$(uname -m)\"}"
    cat >"$draft" || return 1
  fi
  chmod 700 "$draft" || return 1
  hash=$("$draft" -p 'require("crypto").createHash("sha256").update(require("fs").readFileSync(process.execPath)).digest("hex")') || return 1
  [ "$hash" = "$upload" ] && mv "$draft" "$parent/node/$upload"
}

if [ -n "$upload" ]; then
  if store_node; then
    say '{"kind":"stored"}'
    exit 0
  fi
  [ -z "$parent" ] || rm -f "$parent/node/$upload.new"
  say '{"kind":"not-stored"}'
  exit 1
fi
if find_node; then
  exec "$node" --input-type=commonjs -e '
    const size = Number(process.argv[1]);
    let bytes = Buffer.alloc(0);
    const read = (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.length < size) return;
      process.stdin.off("data", read).pause();
      const toolcrib = { rest: bytes.subarray(size), marker: process.argv[2], folder: process.argv[3] };
      new Function("require", "toolcrib", bytes.toString("utf8", 0, size))(require, toolcrib);
    };
    process.stdin.on("data", read);
  ' "$size" "$first$second" "$folder"
fi
say "{\"kind\":\"no-node\",\"system\":\"$(uname -s)\",\"machine\":\"$(uname -m)\",\"unfit\":\"${unfit# }\"}"
