/** The arguments of bash that run a command with at most `limit` open files. */
export function withDescriptorLimit(limit: number, command: readonly string[]): readonly string[] {
  return ["-c", script, String(limit), ...command];
}

// Inherited descriptors above the limit could not be passed on, so they are closed first.
const script = `
  for path in /proc/$$/fd/*; do number=\${path##*/}; if [ $number -gt 2 ]; then eval "exec $number>&-"; fi; done
  ulimit -n "$0"; exec "$@"`;
