import { shortNumber } from "../harness.ts";
import type { Check, Comparison, Measure } from "./result.ts";

const own = "Toolcrib";
/** Smaller differences say nothing. */
const noise = 1.1;

/** Writes docs/comparison.md. Every figure and every statement about a server comes from the result. */
export function comparisonPage({ machine, load, servers, measures, failures, checks }: Comparison): string {
  const names = servers.map(({ name }) => name);
  const worse = [...measures.flatMap(slower), ...checks.flatMap(failed)];
  return `# Comparison with other tool servers

<!-- Written by \`npm run comparison\` from docs/comparison.json; do not edit by hand. -->

The same work, done by Toolcrib and by MCP servers from npm, in one run over standard input and output. The first section lists where Toolcrib is worse.

Measured ${machine.date} on ${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.kernel}, Node ${machine.node}.
${loadText(machine.cores, load)}

## Where Toolcrib is worse

${worse.length === 0 ? "Nowhere in this run." : worse.map((line) => `- ${line}`).join("\n")}

Differences below 10 % are not listed.

## Tasks: right or wrong

A dash means that the server has no tool for the task.

${table(
  ["task", ...names],
  checks.map((check) => checkRow(check, names)),
)}

${checks.map(({ name, about }) => `- **${name}**: ${about}`).join("\n")}

## Figures

${table(
  ["", ...names],
  measures.map((measure) => measureRow(measure, names)),
)}

${[...measures.map(({ name, about }) => `**${name}**: ${about}.`), ...failures].map((line) => `- ${line}`).join("\n")}

## Servers and settings

Each server was confined to the workspace as far as it can be.

${table(
  ["server", "version", "settings"],
  servers.map(({ name, version, settings }) => [name, version, settings]),
)}

## How to run it

\`\`\`sh
npm run comparison          # installs the servers into bench/.work, and writes this page
npm run comparison -- --page   # writes this page again from the stored result
\`\`\`

- Each server runs in a process of its own, without install scripts, with an empty home folder and its own copy of the files.
- In starts and single calls the servers take turns, and each round begins with another one, so that a busy machine affects all of them: compare ratios.
- Every task with an outcome has a new server and new files. Changes are checked on the disk, not in the answer.
- The client is the same minimal program for all. It offers no elicitation, so no call waits for a user.

[Benchmarks](benchmarks.md) has the figures of single parts, and [limits](limits.md) what Toolcrib cannot do.
`;
}

function loadText(cores: number, load: number): string {
  const state = load > cores ? "busy with other work, so compare ratios, not milliseconds" : "otherwise idle";
  return `The machine was ${state} (load average ${load.toFixed(1)} at the start).`;
}

/** A sentence for a measure in which another server is better. */
function slower({ name, unit, better, values }: Measure): readonly string[] {
  const ours = values[own];
  if (ours === undefined || better === undefined) return [];
  const ratio = (value: number) => (better === "less" ? ours / value : value / ours);
  const [best] = Object.entries(values)
    .filter(([server]) => server !== own)
    .toSorted(([, left], [, right]) => ratio(right) - ratio(left));
  if (best === undefined || ratio(best[1]) < noise) return [];
  const ahead = Object.values(values).filter((value) => ratio(value) >= noise).length;
  const others = ahead === 1 ? "" : ` (and ${ahead - 1} more)`;
  const [server, value] = best;
  return [
    `**${name}**: ${figure(ours, unit)}; ${server}${others} ${figure(value, unit)}, ${shortNumber(ratio(value))} × better.`,
  ];
}

/** A sentence for a task that Toolcrib does not do right. */
function failed({ name, outcomes }: Check): readonly string[] {
  const ours = outcomes[own];
  if (ours === undefined || ours.good) return [];
  const right = Object.keys(outcomes).filter((server) => outcomes[server]!.good);
  const others = right.length === 0 ? "no server does it right" : `right in ${right.join(", ")}`;
  return [`**${name}**: ${ours.text}; ${others}.`];
}

function checkRow({ name, outcomes }: Check, servers: readonly string[]): readonly string[] {
  const cells = servers.map((server) => {
    const outcome = outcomes[server];
    if (outcome === undefined) return "–";
    return outcome.good ? outcome.text : `**${escapeCell(outcome.text)}**`;
  });
  return [name, ...cells];
}

function measureRow({ name, unit, values }: Measure, servers: readonly string[]): readonly string[] {
  const cells = servers.map((server) => {
    const value = values[server];
    return value === undefined ? "–" : figure(value, unit);
  });
  return [name, ...cells];
}

function figure(value: number, unit: string): string {
  const isCount = Number.isInteger(value) || value >= 1_000;
  const shown = isCount ? Math.round(value).toLocaleString("en-US") : shortNumber(value);
  return unit === "/s" ? `${shown}/s` : `${shown}${unit && ` ${unit}`}`;
}

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}
