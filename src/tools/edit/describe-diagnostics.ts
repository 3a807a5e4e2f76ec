import type { Diagnostic } from "../../contract/language-server.ts";
import { showPath } from "../../lib/text/printable.ts";

/** Describes diagnostics by file, one line each. */
export function describeDiagnostics(diagnostics: readonly Diagnostic[]): readonly string[] {
  const described: string[] = [];
  let last: string | undefined;
  for (const { path, line, column, severity, code, message } of diagnostics) {
    if (path !== last) described.push(showPath(path));
    last = path;
    const name = code === undefined ? severity : `${severity} ${code}`;
    described.push(`  ${line}:${column} ${name}: ${message.replace(/\n\s*/g, " ")}`);
  }
  return described;
}
