import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryToolcrib } from "../../test/support/temporary-toolcrib.ts";
import type { Dialect } from "./dialect.ts";
import { anthropicDialect, geminiDialect, openaiDialect } from "./forge.ts";

const dialects = [openaiDialect, anthropicDialect, geminiDialect];

it.each(dialects)("$name has the character and line limits of the contract", async (dialect) => {
  const limits = await Promise.all(
    dialect.tools.map(async (tool) => {
      const { resolve } = await tool.load();
      return [tool.name, resolve(sample[tool.name] ?? {}).tool.limits];
    }),
  );
  expect(Object.fromEntries(limits)).toEqual(
    Object.fromEntries(dialect.tools.map(({ name }) => [name, promised[name]])),
  );
});

it("limits commands to 10 s for OpenAI and Gemini and 120 s for Anthropic by default", async () => {
  const timeouts = dialects.map(
    async (dialect) => (await meant(dialect, "shell", { command: "true" })).input,
  );
  expect(await Promise.all(timeouts)).toEqual([
    { command: "true", timeout_ms: 10_000 },
    { command: "true", timeout_ms: 120_000 },
    { command: "true", timeout_ms: 10_000 },
  ]);
});

it("shows the head and tail of a long file, and stores all of it", async () => {
  await using fixture = await temporaryToolcrib({ mode: "yolo", dialect: "openai" });
  const line = "y".repeat(1_980);
  fixture.write("long.txt", `${line}\n`.repeat(50));
  const { content, output } = await fixture.crib.call("read_file", { file_path: "long.txt" });
  const whole = Array.from({ length: 50 }, (_, index) => `${index + 1} | ${line}`).join("\n");
  const [head = "", , tail = ""] = content.split(/\[… (\d+) characters cut …\]\n/);
  const kept = `\n[The whole output is stored as ${output}; pass it as a path to read_file or grep.]`;
  const cut = whole.length - head.length - (tail.length - kept.length);
  expect(content).toBe(
    `${whole.slice(0, 25_000)}\n[… ${cut + 1} characters cut …]\n${whole.slice(-25_000)}${kept}`,
  );
  const rest = await fixture.crib.call("grep", { pattern: "^25 \\| y", path: output });
  expect(rest.content.slice(0, `${output}:25:25 | y`.length)).toBe(`${output}:25:25 | y`);
});

it("shows 256 lines of a command, and stores all of them", async () => {
  await using fixture = await temporaryToolcrib({ mode: "yolo", dialect: "openai" });
  const { content, output } = await fixture.crib.call("shell", { command: "seq 1 1000" });
  const numbers = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
  const [code, duration, stdout, ...lines] = content
    .split("\n")
    .filter((each) => !each.startsWith("[sandbox"));
  expect([code, duration?.replace(/\d+/, "1"), stdout, lines]).toEqual([
    "exit code: 0",
    "duration: 1 ms",
    "stdout:",
    [
      ...numbers(1, 125),
      "[… 2988 characters cut …]",
      ...numbers(873, 1000),
      `[The whole output is stored as ${output}; pass it as a path to read_file or grep.]`,
    ],
  ]);
  expect((await fixture.crib.call("read_file", { file_path: output, offset: 500, limit: 1 })).content).toBe(
    `500 | 500\n[${output}: line 500 of 1000; continue with offset 501.]`,
  );
});

it("shows 200 lines of matches and 500 paths, and explains how to see the rest", async () => {
  await using fixture = await temporaryToolcrib({ mode: "yolo", dialect: "gemini" });
  fixture.write("many.txt", "x\n".repeat(300));
  for (let number = 0; number < 501; number++) fixture.write(join(`${number}.empty`), "");
  const grep = await fixture.crib.call("grep", { pattern: "x", max_results: 300 });
  const glob = await fixture.crib.call("glob", { pattern: "*.empty" });
  expect([grep.content.split("\n").slice(199), glob.content.split("\n").slice(500)]).toEqual([
    [
      "many.txt:200:x",
      "[… 1499 characters cut …]",
      `[The whole output is stored as ${grep.output}; pass it as a path to read_file or grep.]`,
    ],
    ["[500 of 501 files shown; narrow the pattern.]"],
  ]);
});

async function meant(dialect: Dialect, name: string, given: unknown) {
  const tool = await dialect.tools.find((each) => each.name === name)!.load();
  return tool.resolve(given);
}

const sample: Readonly<Record<string, unknown>> = {
  grep: { pattern: "x" },
};

const agents = { maxChars: 20_000, keep: "both" };
const promised: Readonly<Record<string, unknown>> = {
  read_file: { maxChars: 50_000, maxLineChars: 49_950, keep: "both" },
  write_file: { maxChars: 1_000, keep: "both" },
  shell: { maxChars: 30_000, maxLines: 256, keep: "both" },
  grep: { maxChars: 20_000, maxLines: 200, keep: "head" },
  glob: { maxChars: 20_000, maxLines: 500, keep: "head" },
  edit_file: { maxChars: 10_000, keep: "both" },
  apply_patch: { maxChars: 10_000, keep: "both" },
  read_many_files: { maxChars: 50_000, maxLineChars: 49_950, keep: "both" },
  list_dir: { maxChars: 20_000, keep: "head" },
  web_search: { maxChars: 30_000, keep: "head" },
  web_fetch: { maxChars: 250_000, keep: "head" },
  spawn_agent: agents,
  send_input: agents,
  wait: agents,
  close_agent: agents,
};
