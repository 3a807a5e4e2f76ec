/**
 * The words for `sh` that run a program and end its whole group within seconds after we are gone, be it by SIGKILL: a
 * server need not notice that nobody talks to it any more. The watcher holds none of the program's inputs and outputs.
 */
export function endsWithUs(program: string, args: readonly string[]): readonly string[] {
  return ["-c", script, "sh", program, ...args];
}

const script = `
us=$PPID; group=$$
(
  while kill -0 "$us"; do sleep 2; done
  trap "" TERM
  kill -TERM "-$group"; sleep 1; kill -KILL "-$group"
) </dev/null >/dev/null 2>&1 &
exec "$@"
`;
