import type { ProcessOutput } from "../../contract/process.ts";
import { counted } from "../../lib/counted.ts";
import { plainTerminalText } from "../../lib/terminal-text.ts";

/** What a process said, as a model reads it, with what is missing before it. */
export function showOutput({ text, from, lost, status }: ProcessOutput): string {
  const shown = plainTerminalText(text);
  const before = lost > 0 ? [`[${missing(lost, status.output)}]`] : [];
  return [
    ...before,
    shown === "" ? `[It said nothing${from === 0 ? "" : " more"}.]` : shown.replace(/\n$/, ""),
  ].join("\n");
}

/** For who was told of output on the side. */
export function whereToGoOn({ cursor, status }: ProcessOutput): { readonly continuation?: string } {
  if (status.state === "ended") return {};
  return { continuation: `See what comes after this with process.output and cursor ${cursor}.` };
}

function missing(lost: number, handle: string | null): string {
  const what = `${counted(lost, "byte")} before this ${lost === 1 ? "is" : "are"} no longer held`;
  return handle === null ? `${what}.` : `${what}; file.read ${handle} has them.`;
}
