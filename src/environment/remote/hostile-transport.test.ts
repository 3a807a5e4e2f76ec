import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { ToolError } from "../../contract/error.ts";
import { shellQuote } from "../../lib/text/shell-quote.ts";
import { connectTarget, manageTarget } from "./connect-target.ts";
import { parseTarget } from "./target.ts";
import type { TargetPrograms } from "./target-programs.ts";

const programs: TargetPrograms = {
  ...{ bootstrap: "# script\n", attach: "// program\n" },
  server: { content: Buffer.alloc(1000), sha256: "0".repeat(64) },
};

/** Connects to a target that answers with these lines instead of running anything. */
async function connecting(
  answers: readonly object[],
  act: typeof connectTarget = connectTarget,
): Promise<{ readonly error: ToolError; readonly steps: readonly string[] }> {
  await using folder = temporaryFolder();
  const program = join(folder.path, "transport");
  const lines = answers.map((answer) => `printf '\\n%s%s %s\\n' "$first" "$second" ${quoteJson(answer)}`);
  // The beginning of the script has the halves of the marker. The rest of the input is read and dropped.
  writeFileSync(program, ["#!/bin/sh", 'eval "$(head -n 2)"', ...lines, "cat > /dev/null"].join("\n"));
  chmodSync(program, 0o755);
  const steps: string[] = [];
  const onProgress = (step: string) => steps.push(step.replace(/ to .*/, ""));
  const target = parseTarget(`command:${shellQuote(program)}`);
  const error = await act(target, { programs, onProgress, reconnectMs: 0 }).then(
    () => new ToolError("internal", "It did not fail"),
    (thrown: ToolError) => thrown,
  );
  const message = error.message.replaceAll(target.name, "there");
  return { error: new ToolError(error.code, message, { forUser: error.forUser }), steps };
}

/** Quotes JSON for the shell, with escapes instead of control characters. */
function quoteJson(value: object): string {
  return shellQuote(JSON.stringify(value));
}

/** `String` and `Number` throw for it. */
const odd = { toString: 1, valueOf: 1 };

it("shows failures of a target as plain text", async () => {
  const { error } = await connecting([
    { kind: "failed", code: "denied", message: "\u001b[2J\u009b1m\u202eno" },
  ]);
  expect([error.code, error.message]).toEqual(["denied", "there: <U+001B>[2J<U+009B>1m<U+202E>no"]);
});

it.each<readonly [string, object]>([
  ["failure", { kind: "failed", message: odd }],
  ["platform", { kind: "no-node", system: odd, machine: odd, unfit: odd }],
  [
    "list",
    { kind: "left", left: { folder: odd, sessions: [{ pid: odd, running: odd }], files: [{ bytes: odd }] } },
  ],
])("takes objects for texts and numbers in its %s", async (_, answer) => {
  const list: typeof connectTarget = async (target, options) => {
    const left = await manageTarget(target, { kind: "list" }, options);
    throw new ToolError("unavailable", JSON.stringify(left));
  };
  const { error } = await connecting([answer], list);
  expect([error.code, error.message]).toEqual(["unavailable", expect.not.stringContaining("primitive")]);
});

it("shows what a target without Node has as plain text", async () => {
  const { error } = await connecting([
    { kind: "no-node", system: "\u001b]0;x\u0007", machine: "\u202e", unfit: "18.1\n\u001b[2J" },
  ]);
  expect(error.message).toBe("there has no Node 22.18 or newer. It has Node 18.1<U+000A><U+001B>[2J.");
  expect(error.forUser?.hint).toContain("for <U+001B>]0;x<U+0007> on <U+202E>, from");
});

it("shows an unknown answer as plain text", async () => {
  const { error } = await connecting([{ kind: "\u009b31m" }]);
  expect(error.message).toBe('there answered "<U+009B>31m"');
});

it("sends a file once, however often a target asks for it", async () => {
  const { error, steps } = await connecting([
    { kind: "needs", files: Array.from({ length: 10_000 }, () => "server") },
    { kind: "received" },
    { kind: "gone" },
  ]);
  expect(error.message).toContain("no longer runs");
  expect(steps.filter((step) => step.startsWith("Sending"))).toEqual(["Sending the server"]);
});

it("sends only its own files", async () => {
  const { error } = await connecting([{ kind: "needs", files: ["../../etc/passwd"] }]);
  expect(error.message).toBe('there answered "needs"');
});

it.each<readonly [string, object]>([
  ["nothing", { kind: "left" }],
  ["a list without sessions", { kind: "left", left: { folder: "/x", files: [] } }],
  ["another answer", { kind: "ready" }],
])("refuses a list of what is left that is %s", async (_, answer) => {
  const list: typeof connectTarget = async (target, options) => {
    await manageTarget(target, { kind: "list" }, options);
    throw new ToolError("internal", "It did not fail");
  };
  const { error } = await connecting([answer], list);
  expect(error.message).toMatch(/^there answered/);
});

it("gives up a target that ends every connection at once", { tags: "slow" }, async () => {
  await using folder = temporaryFolder();
  const program = join(folder.path, "transport");
  const welcome = '\\000\\000\\000\\017\\002{"received":0}';
  const lines = ["#!/bin/sh", `echo >> ${shellQuote(join(folder.path, "made"))}`, 'eval "$(head -n 2)"'];
  const answer = `printf '\\n%s%s {"kind":"ready"}\\n' "$first" "$second"; printf '${welcome}'`;
  writeFileSync(program, [...lines, answer].join("\n"), { mode: 0o755 });
  const target = parseTarget(`command:${shellQuote(program)}`);
  const channel = await connectTarget(target, { programs, reconnectMs: 1000 });
  const read = channel.messages[Symbol.asyncIterator]().next();
  await expect(read).rejects.toThrow(/ is lost: every new connection ends at once$/);
  // Without growing delays there would be many more.
  expect(readFileSync(join(folder.path, "made"), "utf8").length).toBeLessThan(9);
});
