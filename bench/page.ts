import type { CaseResult } from "./harness.ts";
import { caseRows, failureLines, type Report, verdictLine } from "./report.ts";

/** Writes docs/benchmarks.md. Everything on it except the frame comes from the results. */
export function writePage({ machine, results }: Report): string {
  const missed = results.flatMap(({ verdicts }) => verdicts).filter(({ met }) => !met).length;
  return `# Benchmarks

<!-- Written by \`npm run bench -- --write-docs\`; do not edit by hand. -->

Measured ${machine.date} on ${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.kernel}, Node ${machine.node},
${machine.ripgrep}, ${machine.git}. ${missed === 0 ? "All goals are met." : `Goals missed: ${missed}.`}

## Goals

${summary(results)}

## How to run it

\`\`\`sh
npm run bench                          # everything; makes 2 GB of data in bench/.work the first time
npm run bench -- grep read             # some groups: grep glob read write pipeline policy start sandbox shell edit git documents calculator mcp agent tokens console script servers growth retrieval meaning race crash
npm run bench -- grep --only "15 files"  # cases whose name holds these words
npm run bench -- edit --show "tabs for spaces"  # the first edits of a class that go wrong
npm run bench -- growth --sizes 1k,10k  # fewer files and records than the default of 1k,10k,100k,300k; 1m is possible
npm run bench -- growth --subject ../before --subject .  # this checkout and one from before a change, in one table
npm run bench -- meaning --embeddings ollama/nomic-embed-text  # another model, as in the setting embeddings
npm run bench -- servers --tries 40     # fewer renames than 200
npm run bench -- race                  # a million tries for each operation
npm run bench -- --json > results.json # for machines
npm run bench -- --strict              # exit code 1 when a goal is missed
npm run bench -- edit --write-docs     # publishes its results here; other groups keep theirs
\`\`\`

The peers are installed into \`bench/node_modules\` by this command alone, with their install scripts switched off.
Those of the group agent, which are large, go into \`bench/.work/agents\` when it is run.
sandbox-runtime also needs \`socat\` on the path, and \`codex\` is measured when it is there.

## How to read it

- Every contender runs in a process of its own. Rounds take turns and each round begins with another contender, so a busy
  machine hurts all alike: **compare ratios (×), not milliseconds.** The first row of each table is the reference.
- *cpu* is processor time of the process and all its children, mean of a lap; *p50*, *p10* and *min* are wall time. Trust
  cpu most, then min, then p50; differences below 10 % say nothing, below 25 % on a loaded machine neither.
- *memory* is how far resident memory rose above what the process had before its first lap: for short laps mostly garbage
  that was not yet worth collecting. In the group growth, *MB* is the highest memory of the process and its children,
  without the program files that the children share with it.
- *found* is what a contender answered (hits, files, characters). Where answers differ, so does the work.
- All data is in the page cache. Peers are called as functions, without their MCP or model protocol: what is compared is the work. In the group agent
  they are whole programs.
- Toolcrib is called through its library with all stages and the journal, unless a case says otherwise.

## Results

${results.map(section).join("\n")}`;
}

function summary(results: readonly CaseResult[]): string {
  const rows = results.flatMap(({ group, name, verdicts }) =>
    verdicts.map(({ goal, measured, met }) => [group, name, goal, measured, met ? "met" : "**not met**"]),
  );
  return table([["group", "case", "goal", "measured", ""], ...rows]);
}

function section(result: CaseResult): string {
  const rows = caseRows(result);
  const figures = rows.length === 0 ? [] : [table(rows), ""];
  return [
    `### ${result.group}: ${result.name}`,
    "",
    result.about,
    "",
    ...figures,
    ...[...failureLines(result), ...result.verdicts.map(verdictLine)].map((line) => `- ${line}`),
    "",
  ].join("\n");
}

function table([head, ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = head!.map((_, column) => (column === 0 ? "---" : "--:"));
  return [line(head!), line(rule), ...rows.map(line)].join("\n");
}
