import { importPeer } from "../peers.ts";
import { attempt } from "./attempt.ts";
import { titleOf } from "./engine-lane.ts";
import { engines } from "./engines.ts";
import { judge } from "./judge.ts";
import { type Answer, type Call, Refusal, type Task } from "./task.ts";
import { loadTasks } from "./task-store.ts";

/**
 * Prints the first tasks whose class name contains `kind` and which an engine gets wrong: input, expected and actual
 * result.
 */
export async function showFailures(
  name: string,
  { kind, module, limit }: { kind: string; module?: string | undefined; limit: number },
): Promise<string> {
  const { structuredPatch } = await importPeer("diff", "libesm/index.js");
  const engine = await engines[name]!.open(module);
  const shown: string[] = [];
  for (const task of loadTasks()) {
    if (shown.length >= limit) break;
    if (!engine.forms.includes(task.form) || !titleOf(task).includes(kind)) continue;
    const { answer } = await attempt(engine, task);
    const verdict = judge(task, answer);
    if (verdict !== "right") shown.push(showTask(task, verdict, answer, structuredPatch));
  }
  engine.close?.();
  return shown.length === 0 ? `${name} fails none of "${kind}".` : shown.join("\n\n");
}

type StructuredPatch = (...names: readonly string[]) => {
  hunks: { oldStart: number; lines: readonly string[] }[];
};

function showTask(task: Task, verdict: string, answer: Answer, structuredPatch: StructuredPatch): string {
  const difference = (path: string, before: Uint8Array | undefined, after: Uint8Array | undefined) => {
    if (!after) return [`${path} is gone`];
    const { hunks } = structuredPatch(path, path, visible(before), visible(after), "", "");
    return hunks.flatMap(({ oldStart, lines }) => [`${path} from line ${oldStart}`, ...lines]);
  };
  const wanted =
    task.category === "refuse"
      ? ["a refusal"]
      : task.files.flatMap(({ path, before, after }) => difference(path, before, after));
  const got =
    answer instanceof Refusal
      ? [`refused: ${answer.reason}`]
      : [...answer].flatMap(([path, after]) =>
          difference(path, task.files.find((file) => file.path === path)?.before, after),
        );
  return [
    `━━━ task ${task.id}: ${task.kind} (${task.category}, ${task.form}) → ${verdict}`,
    `    ${task.source}`,
    ...titled("call", showCall(task.call)),
    ...titled("wanted", wanted),
    ...titled("got", got),
  ].join("\n");
}

function titled(title: string, lines: readonly string[]): string[] {
  const long = 80;
  const cut = lines.length > long ? [...lines.slice(0, long), `… ${lines.length - long} lines more`] : lines;
  return [`  ${title}:`, ...cut.map((line) => `    │${line}`)];
}

function showCall(call: Call): string[] {
  if (call.form !== "edit") return makeVisible(call.text).split("\n");
  return call.edits.flatMap(({ find, replace, ...options }, index) => [
    `edit ${index + 1} of ${call.path} ${Object.keys(options).length > 0 ? JSON.stringify(options) : ""}`,
    ...makeVisible(find)
      .split("\n")
      .map((line) => `-${line}`),
    ...makeVisible(replace)
      .split("\n")
      .map((line) => `+${line}`),
  ]);
}

function visible(bytes: Uint8Array | undefined): string {
  const buffer = Buffer.from(bytes ?? []);
  const isUtf16 = buffer[1] === 0 || (buffer[0] === 0xff && buffer[1] === 0xfe);
  return makeVisible(isUtf16 ? buffer.toString("utf16le") : buffer.toString("utf8"));
}

/** Makes blanks and line ends visible. */
function makeVisible(text: string): string {
  return text
    .replace(/\r\n/g, "␍\n")
    .replace(/\r/g, "␍\n")
    .replaceAll("\t", "⇥   ")
    .replaceAll("\u00a0", "⍽")
    .replaceAll("\ufeff", "‹mark›")
    .replace(/[\u2000-\u200a\u202f\u3000]/g, "⍽")
    .replace(/ +$/gm, (blanks) => "·".repeat(blanks.length));
}
