/** A call that was made, with what matters for telling whether it leads anywhere. */
export interface WatchedCall {
  readonly name: string;
  /** The tool that was meant. */
  readonly canonical: string;
  readonly input: unknown;
  /** What the model was told. */
  readonly content: string;
  /** What kind of failure it was; undefined where it was none. */
  readonly failure: string | undefined;
}

/** What is the same for the same call with the same answer. */
export function callSignature({ name, input, content }: WatchedCall): string {
  return `${name}\n${JSON.stringify(input)}\n${withoutTimes(content)}`;
}

/** The call as people and models read it. */
export function showCall({ name, input }: WatchedCall): string {
  const given = JSON.stringify(input) ?? "";
  return `${name}(${given.length > longest ? `${given.slice(0, longest - 1)}…` : given})`;
}

/** Whether it asks how far something is: then the same answer may be all there is for a while. */
export function isPolling({ canonical, input }: WatchedCall): boolean {
  if (pollingTools.has(canonical)) return true;
  if (!/^(?:shell\.|process\.start$)/.test(canonical)) return false;
  return Object.values(input ?? {}).some((value) => typeof value === "string" && waits.test(value));
}

/** Where a command stands, not in a path or in words. */
const waits = /(?:^|[;&|(\n]|\b(?:do|then|else)\b)\s*(?:sleep|wait)\b/;

const longest = 160;

const pollingTools: ReadonlySet<string> = new Set([
  "process.output",
  "process.wait",
  "process.list",
  "process.input",
  "agent.wait",
]);

/**
 * How long a call took and under which name its output is kept differ each time, and say nothing. Only what we say of it, near
 * the ends, is passed over: a time that a program tells is progress.
 */
export function withoutTimes(content: string): string {
  if (content.length <= 2 * near) return strip(content);
  return strip(content.slice(0, near)) + content.slice(near, -near) + strip(content.slice(-near));
}

const near = 1_000;

function strip(text: string): string {
  return text
    .replace(/^(?:Wall time: [\d.]+ seconds|duration: \d+ ms|Chunk ID: \w+)$/gm, "")
    .replace(/\b((?:runs|open|nothing) for|ended(?: by \w+)? after) \d[\d.]* (?:ms|s|min|h)\b/g, "$1")
    .replace(/\b(?:out|call)_[a-z0-9]{6,}\b/g, "");
}
