import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, expect, it } from "vitest";
import { bundledProgram } from "../support/bundled-program.ts";
import { isAlive } from "../support/is-alive.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { misbehaviours } from "./misbehaviours.ts";
import { type Answer, openWorld, type World } from "./world.ts";

type Misbehaviour = keyof typeof misbehaviours;

const shared = temporaryFolder();
afterAll(() => shared[Symbol.asyncDispose]());
let world: World | undefined;

afterEach(async () => {
  const left = await world?.close();
  world = undefined;
  expect(left ?? []).toEqual([]);
});

/** The outcome for each misbehaviour, next to a healthy server whose tool is called at the end. */
const comesTo: Record<Misbehaviour, (world: World) => Promise<void>> = {
  "dies-at-start": async (world) => {
    expect(await world.warningsWhen("failed")).toEqual([
      "The MCP server bad: it ended before it listed its tools (exit code 3); given up after 5 attempts.",
    ]);
  },
  "starts-slowly": async (world) => {
    expect(await world.call("bad__echo", { text: "late" })).toEqual(answerOf("echo: late"));
  },
  "answers-nothing": (world) => isGivenUp(world, "it did not list its tools within 500 ms"),
  "nonsense-version": (world) => isGivenUp(world, "Server's protocol version is not supported: banana"),
  "nonsense-handshake": (world) => isGivenUp(world, "Its response is invalid"),
  "stops-reading": (world) => isGivenUp(world, "it did not list its tools within 500 ms"),
  "no-list": async (world) => {
    const [warning] = await world.warningsWhen("failed");
    expect(warning).toMatch(/^The MCP server bad: Invalid result for tools\/list/);
  },
  "prints-junk": async (world) => {
    expect(await world.call("bad__echo", { text: "hi" })).toEqual(answerOf("echo: hi"));
    expect(world.state()).toMatchObject({ state: "ready", junkLines: 7, problems: [] });
  },
  "prints-a-line-without-end": async (world) => {
    expect(await world.call("bad__echo", { text: "hi" })).toEqual(answerOf("echo: hi"));
    expect(world.state()).toMatchObject({ state: "ready", junkLines: 1 });
  },
  "talks-without-end": async (world) => {
    const warnings = await world.warningsWhen("failed");
    expect(warnings).toEqual([
      expect.stringMatching(/\(it sent too many messages\); given up after 5 attempts\.$/),
    ]);
  },
  "tells-much-at-once": async (world) => {
    expect(await world.call("bad__echo", { text: "hi" })).toEqual(answerOf("echo: hi"));
    expect(world.state()).toMatchObject({ state: "ready", junkLines: 1 });
  },
  "writes-much-to-stderr": async (world) => {
    expect(await world.call("bad__echo", { text: "hi" })).toEqual(answerOf("echo: hi"));
    await world.until(() => world.state()?.said.at(-1)?.includes("last") === true);
    expect(world.state()?.said.at(-1)).toBe("<U+001B>[31mThe last line, with [secret]");
    expect(world.state()?.said.length).toBe(20);
  },
  pages: async (world) => expect(world.names()).toEqual(["bad__echo", "bad__second"]),
  "list-without-end": async (world) => {
    expect(world.names().length).toBe(64);
    expect(world.state()?.problems).toEqual([
      "its list of tools does not end; only the first 64 tools count",
    ]);
  },
  "list-too-long": async (world) => {
    expect(world.names().length).toBe(1_000);
    expect(world.state()?.problems).toEqual(["of its 1200 tools only the first 1000 are used"]);
  },
  "list-too-heavy": async (world) => {
    expect(world.names()).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((index) => `bad__tool_${index}`));
    expect(world.state()?.problems).toEqual(["of its 12 tools only the first 8 are used"]);
  },
  "list-in-a-circle": async (world) => {
    expect(world.names()).toEqual(["bad__first"]);
    expect(world.state()?.problems).toEqual([
      'it lists "first" twice: the first is used',
      "its list of tools does not end; only the first 1 tool count",
    ]);
  },
  "list-changed-storm": async (world) => {
    await world.until(() => world.names().includes("bad__after"));
    expect(world.names()).toEqual(["bad__echo", "bad__after"]);
    expect(await world.call("bad__echo", { text: "hi" })).toEqual(answerOf("echo: hi"));
  },
  "illegal-names": async (world) => {
    expect(world.names()).toEqual([
      "bad__a_b",
      "bad__tool_d077dce0",
      "bad__nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn_d6b4208a",
      "bad__a_b_2",
      "bad____proto__",
    ]);
    expect(await world.call("bad____proto__", {})).toEqual(answerOf("echo: undefined"));
  },
  "odd-schemas": async (world) => {
    expect(world.state()?.problems).toEqual([
      'its tool "text" is skipped: its input is not an object, but "string"',
      'its tool "list" is skipped: its input is not an object, but "array"',
      'its tool "needsUnnameable" is skipped: providers refuse the name of a required argument: "a b"',
      'its tool "huge" is skipped: its input schema has 519690 characters; the limit is 65536',
    ]);
    const definitions = await world.crib.definitions({ which: "all" });
    const choice = definitions.find(({ canonical }) => canonical === "bad__choice");
    const text = { type: "string" };
    expect(choice?.inputSchema).toEqual({
      type: "object",
      properties: { a: text, b: text, both: text },
      required: ["both"],
    });
  },
  "hidden-words": async (world) => {
    const definitions = await world.crib.definitions({ which: "all" });
    const words = (name: string) => definitions.find(({ canonical }) => canonical === name)?.description;
    expect(words("bad__echo")).toBe("Echo. Done.\n\nEnd.");
    expect(words("bad__long")?.length).toBe(2_000);
  },
  "lies-about-reading": async (world) => {
    const definitions = await world.crib.definitions({ which: "all" });
    expect(definitions.find(({ canonical }) => canonical === "bad__wipe")?.risk).toBe("execute");
  },
  "dies-after-list": async (world) => {
    expect(await world.warningsWhen("failed")).toEqual([
      "The MCP server bad: it has ended (exit code 1); given up after 5 attempts.",
    ]);
    expect(world.names()).toEqual([]);
  },
  "dies-in-call": async (world) => {
    const dead = failed("The MCP server bad ended during the call", {
      hint: "Check what the call has already done before you repeat it: the server is being restarted.",
    });
    expect(await world.call("bad__echo", { text: "hi" })).toEqual(dead);
    const first = world.state()?.pid;
    expect(await world.call("bad__echo", { text: "hi" })).toEqual(dead);
    expect(first).toBeUndefined();
  },
  "never-answers": async (world) => {
    expect(await world.call("bad__echo", { text: "hi" }, 500)).toEqual(
      failed("The call did not finish within 0.5 s and was ended", {
        hint: "Narrow the path or pattern, or allow more time.",
      }),
    );
  },
  "closes-its-output": async (world) => {
    await world.until(() => world.state()?.state === "restarting" || world.state()?.state === "failed");
  },
  "wrong-ids": answersAll,
  "answers-twice": answersAll,
  "answers-unasked": answersAll,
  "stays-when-left": answersAll,
  "ignores-signals": answersAll,
  "leaves-children": answersAll,
  "answers-in-a-batch": async (world) =>
    expect(await world.call("bad__echo", { text: "hi" })).toEqual(answerOf("batch")),
  "answers-too-much": async (world) => {
    expect(await world.call("bad__echo", { text: "hi" })).toEqual(
      failed("echo of the MCP server bad failed: Its response exceeds 16 MB (-32603)"),
    );
  },
  "answers-nonsense": async (world) => {
    expect(await world.call("bad__echo", { text: "hi" })).toEqual(
      failed("echo of the MCP server bad failed: Its response is invalid (-32603)"),
    );
  },
  "answers-odd-content": async (world) => {
    expect(await world.call("bad__echo", { text: "hi" })).toEqual(
      answerOf(
        [
          "[content without a type]",
          "[content without a type]",
          "[content of the unknown type hologram]",
          "[image, image/png, 7 bytes: not shown]",
          "the rest",
        ].join("\n"),
      ),
    );
  },
  "deep-answer": async (world) => {
    expect(await world.call("bad__echo", { text: "hi" })).toEqual(
      answerOf("[data not shown: nested too deeply]"),
    );
  },
  "forgets-its-tools": async (world) => {
    expect(await world.call("bad__echo", { text: "hi" })).toEqual(
      failed("echo of the MCP server bad refused the call: Unknown tool: echo", {
        hint: "Fix the arguments.",
      }),
    );
  },
  "fails-inside": async (world) => {
    expect(await world.call("bad__echo", { text: "hi" })).toEqual(
      failed("echo of the MCP server bad failed: secret [secret] (-32603)"),
    );
  },
  "progress-flood": async (world) => {
    const received: string[] = [];
    world.crib.events.on((event) => event.type === "tool-progress" && received.push(event.message));
    expect(await world.call("bad__echo", { text: "hi" })).toEqual(answerOf("echo: hi"));
    expect(received.every((message) => message === "step")).toBe(true);
    expect(received.length).toBeLessThan(1_000);
  },
  "asks-back": async (world) => {
    const { content } = await world.call("bad__echo", { text: "hi" });
    const [elicited, sampled, roots, other] = JSON.parse(content);
    expect([elicited, sampled, other]).toEqual([-32601, -32601, -32601]);
    expect(roots).toEqual({
      roots: [{ uri: pathToFileURL(world.crib.workspace).href, name: "work space" }],
    });
  },
  "tells-its-variables": async (world) => {
    const { content } = await world.call("bad__echo", { text: "hi" });
    expect(content.split(" ").filter((name) => /SECRET|KEY|TOKEN/.test(name))).toEqual(["SECRET_WORD"]);
  },
};

async function answersAll(world: World): Promise<void> {
  expect(await world.call("bad__echo", { text: "hi" })).toEqual(answerOf("echo: hi"));
  expect(await world.call("bad__echo", { text: "more" })).toEqual(answerOf("echo: more"));
}

async function isGivenUp(world: World, why: string): Promise<void> {
  expect(world.hub.warnings).toEqual([`The MCP server bad: ${why}.`]);
  expect(world.names()).toEqual([]);
}

/** They start five times, or send megabytes. */
const slow: readonly Misbehaviour[] = [
  "dies-at-start",
  "dies-after-list",
  "no-list",
  "starts-slowly",
  "prints-a-line-without-end",
  "talks-without-end",
  "tells-much-at-once",
  "writes-much-to-stderr",
  "list-changed-storm",
  "odd-schemas",
  "answers-too-much",
];

for (const name of Object.keys(misbehaviours) as Misbehaviour[]) {
  it(`survives a server that misbehaves: ${name}`, {
    tags: slow.includes(name) ? ["slow"] : [],
  }, async () => {
    world = await openWorld(name, shared.path);
    await comesTo[name](world);
    expect(await world.call("good__echo", { text: "still here" })).toEqual(answerOf("echo: still here"));
  });
}

it("documents all misbehaviours in a table", () => {
  const page = readFileSync(join(import.meta.dirname, "README.md"), "utf8");
  const rows = [...page.matchAll(/^\| `([\w-]+)` \| (.+) \|$/gm)].map(([, name, what]) => [name, what]);
  expect(rows).toEqual(Object.entries(misbehaviours));
});

function answerOf(content: string): Answer {
  return { content, isError: false };
}

function failed(message: string, { hint }: { readonly hint?: string } = {}): Answer {
  return { content: hint === undefined ? message : `${message}\n${hint}`, isError: true };
}

it("leaves no server running when it is killed itself", { tags: "slow" }, async () => {
  await using folder = temporaryFolder();
  const program = await bundledProgram(new URL("left-behind.ts", import.meta.url));
  const killed = spawn(process.execPath, [program, folder.path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(killed.stdout, "data")) as [Buffer];
  const server = Number(line.toString());
  expect(isAlive(server)).toBe(true);
  killed.kill("SIGKILL");
  while (isAlive(server)) await pause(50);
});
