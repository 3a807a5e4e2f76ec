import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { dataPath, workDirectory } from "../data/data.ts";
import type { CaseResult, Contender, Group, Verdict } from "../harness.ts";
import { type Crowd, measureCrowd } from "../mcp/crowd.ts";
import { Talk } from "../mcp/talk.ts";
import { buildAndInstall, launcher } from "./start.ts";

const folder = dataPath("ten-kilobytes");
/** Forty lines, like most parts of files that models read. */
const path = join(folder, "forty-lines.txt");
const modules = fileURLToPath(new URL("../../node_modules", import.meta.url));

interface Server {
  readonly words: readonly string[];
  readonly read: readonly [name: string, input: object];
  edit?(find: string, replace: string, file: string): readonly [name: string, input: object];
}

const bare: Server = {
  words: [fileURLToPath(new URL("../mcp/bare-server.mjs", import.meta.url))],
  read: ["read", { path }],
};
const filesystem: Server = {
  words: [join(modules, "@modelcontextprotocol/server-filesystem/dist/index.js"), folder, workDirectory],
  read: ["read_text_file", { path }],
  edit: (oldText, newText, file) => ["edit_file", { path: file, edits: [{ oldText, newText }] }],
};
const toolcrib: Server = {
  words: [launcher, "mcp", "--workspace", folder],
  read: ["file_read", { path: "forty-lines.txt" }],
};
const toolcribBeside: Server = {
  ...toolcrib,
  words: [launcher, "mcp", "--workspace", workDirectory],
  edit: (find, replace, file) => ["edit_replace", { path: file, find, replace }],
};

/** Over standard input and output, as clients start servers. Policy, journal and undo are on. */
export const group: Group = {
  needs: ["ten-kilobytes"],
  prepare: () => {
    buildAndInstall();
    const lines = Array.from(
      { length: 40 },
      (_, index) => `const total${index} = add(total, rows[${index}].price);`,
    );
    writeFileSync(path, `${lines.join("\n")}\n`);
  },
  cases: [
    {
      name: "from the start to the list of tools",
      about: "A new process, the handshake, tools/list. Clients drop servers that take longer than a second.",
      rounds: 20,
      goals: [{ measure: "p50Ms", timesReference: 1.3 }],
      contenders: {
        "bare SDK": () => starting(bare),
        "server-filesystem": () => starting(filesystem),
        toolcrib: () => starting(toolcrib),
      },
    },
    {
      name: "a file of 40 lines",
      about: "One call after the other, to the answer.",
      rounds: 20,
      lapsPerRound: 100,
      goals: [{ measure: "p50Ms", timesReference: 1.2 }],
      contenders: {
        "bare SDK": () => reading(bare),
        "server-filesystem": () => reading(filesystem),
        toolcrib: () => reading(toolcrib),
      },
    },
    {
      name: "1 000 reads, 50 in flight",
      about:
        "A file of 40 lines. Half as much again as server-filesystem in the same time is two thirds of its time.",
      rounds: 10,
      goals: [{ measure: "p50Ms", timesReference: 1 / 1.5 }],
      contenders: {
        "server-filesystem": () => readingMany(filesystem),
        "bare SDK": () => readingMany(bare),
        toolcrib: () => readingMany(toolcrib),
      },
    },
  ],
  run: async function* ({ only }) {
    const measures = {
      "memory when idle": measureMemory,
      "1 000 edits of one file at once": measureEdits,
      "50 clients at once over HTTP": measureFairness,
    };
    for (const [name, measure] of Object.entries(measures)) if (name.includes(only)) yield measure(name);
  },
};

function starting({ words }: Server): Contender {
  let talk: Talk | undefined;
  return {
    run: async () => {
      talk = await new Talk(words).open();
    },
    settle: () => talk?.close(),
  };
}

async function reading({ words, read }: Server): Promise<Contender> {
  const talk = await new Talk(words).open();
  return { run: () => talk.call(...read), close: () => talk.close() };
}

async function readingMany({ words, read }: Server): Promise<Contender> {
  const talk = await new Talk(words).open();
  const run = async () => {
    let left = 1_000;
    const worker = async () => {
      for (; left > 0; ) {
        left -= 1;
        await talk.call(...read);
      }
    };
    await Promise.all(Array.from({ length: 50 }, worker));
  };
  return { run, close: () => talk.close() };
}

async function measureMemory(name: string): Promise<CaseResult> {
  const figures: Record<string, number> = {};
  for (const [server, { words }] of Object.entries({
    "bare SDK": bare,
    "server-filesystem": filesystem,
    toolcrib,
  })) {
    const talk = await new Talk(words).open();
    await wait(2_000);
    figures[server] = talk.memoryMb;
    await talk.close();
  }
  const ratio = figures.toolcrib! / figures["bare SDK"]!;
  return caseResult(name, "Resident, two seconds after the tools were listed.", {
    head: ["", "MB"],
    rows: Object.entries(figures).map(([server, mb]) => [server, mb.toFixed(1)]),
    verdict: { goal: "≤ 1.2 × bare SDK", value: ratio, measured: `${ratio.toFixed(2)} ×`, met: ratio <= 1.2 },
  });
}

async function measureFairness(name: string): Promise<CaseResult> {
  const runs: Crowd[] = [];
  for (const run of [1, 2, 3]) runs.push(await measureCrowd(join(workDirectory, `crowd ${run}`)));
  const [best] = runs.toSorted((one, other) => one.worstWaitMs - other.worstWaitMs);
  const { aloneMs, worstMs, worstWaitMs, worstDelayMs } = best!;
  const overtaken = Math.max(...runs.map((run) => run.overtaken));
  return caseResult(
    name,
    "The server has just started, from source. Each client connects, lists the tools and reads a file. The goal counts the others that list their tools while one waits for its read, in the worst of three runs; the times are those of the best run.",
    {
      head: ["", ""],
      rows: [
        ["a read alone", `${aloneMs.toFixed(1)} ms`],
        ["worst read", `${worstMs.toFixed(0)} ms`],
        ["worst wait, from the connection to the read", `${worstWaitMs.toFixed(0)} ms`],
        ["worst delay of the event loop", `${worstDelayMs.toFixed(0)} ms`],
        ["lists before a read, at worst", String(overtaken)],
      ],
      verdict: { goal: "≤ 5 lists", value: overtaken, measured: String(overtaken), met: overtaken <= 5 },
    },
  );
}

const edits = 1_000;

async function measureEdits(name: string): Promise<CaseResult> {
  const lost: Record<string, number> = {};
  for (const [server, { words, edit }] of Object.entries({
    "server-filesystem": filesystem,
    toolcrib: toolcribBeside,
  })) {
    const file = join(workDirectory, "edited.txt");
    const lines = Array.from({ length: edits }, (_, index) => `line ${index} is old;`);
    writeFileSync(file, lines.join("\n"));
    const talk = await new Talk(words).open();
    const each = lines.map((_, index) => edit!(`line ${index} is old;`, `line ${index} is new;`, file));
    await Promise.allSettled(each.map((call) => talk.call(...call)));
    lost[server] = edits - readFileSync(file, "utf8").split(" is new;").length + 1;
    await talk.close();
  }
  const { toolcrib: ours = edits } = lost;
  return caseResult(name, "Each changes another line; all are in flight at the same time.", {
    head: ["", "lost edits"],
    rows: Object.entries(lost).map(([server, count]) => [server, String(count)]),
    verdict: { goal: "0 lost", value: ours, measured: `${ours} lost`, met: ours === 0 },
  });
}

function caseResult(
  name: string,
  about: string,
  {
    head,
    rows,
    verdict,
  }: { head: readonly string[]; rows: readonly (readonly string[])[]; verdict: Verdict },
): CaseResult {
  return { group: "mcp", name, about, contenders: [], table: [head, ...rows], verdicts: [verdict] };
}
