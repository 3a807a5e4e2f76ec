import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isAlive } from "../../test/support/is-alive.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { ProcessStatus } from "../contract/process.ts";
import { defineTool, openToolcrib, type ToolcribOptions } from "./index.ts";

async function fixture(options: ToolcribOptions = {}) {
  const folder = temporaryFolder();
  const crib = await openToolcrib({
    workspace: folder.path,
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
    mode: "yolo",
    sandbox: "none",
    ...options,
  });
  return {
    crib,
    path: (name: string) => join(folder.path, name),
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

it("uses its own dialect", async () => {
  await using one = await fixture({ dialect: "codex" });
  await writeFile(one.path("a.txt"), "hello\n");
  const [same, other] = await Promise.all([
    one.crib.addCaller(),
    one.crib.addCaller({ dialect: "claude-code" }),
  ]);
  const names = async (caller: Pick<typeof same, "definitions">) =>
    (await caller.definitions()).map(({ name }) => name);
  expect(await names(same)).toEqual(await names(one.crib));
  expect(await names(other)).toContain("Read");
  const read = await other.call("Read", { file_path: one.path("a.txt") });
  const unknown = await same.call("Read", { file_path: one.path("a.txt") });
  expect([read.isError, unknown.error?.message]).toEqual([false, 'Unknown tool "Read"']);
});

it("tracks the files it has seen separately, and reports a change to the caller that saw the file", async () => {
  await using one = await fixture();
  const other = await one.crib.addCaller();
  await writeFile(one.path("a.txt"), "one\ntwo\n");
  await one.crib.call("file.read", { path: "a.txt" });
  await writeFile(one.path("a.txt"), "one\nTWO\n");
  const edit = { path: "a.txt", find: "two", replace: "2" };
  const [seen, unseen] = [await one.crib.call("edit.replace", edit), await other.call("edit.replace", edit)];
  expect([seen.error?.code, unseen.error?.code]).toEqual(["stale", "no-match"]);
});

it("waits its turn to write a file", async () => {
  await using one = await fixture();
  const lines = Array.from({ length: 8 }, (_, index) => `line ${index};`);
  await writeFile(one.path("a.txt"), lines.join("\n"));
  const others = await Promise.all(lines.map(() => one.crib.addCaller()));
  const edits = await Promise.all(
    others.map((other, index) =>
      other.call("edit.replace", { path: "a.txt", find: lines[index], replace: `changed ${index};` }),
    ),
  );
  expect(edits.map(({ isError }) => isError)).toEqual(lines.map(() => false));
  const changed = lines.map((_, index) => `changed ${index};`);
  expect(await readFile(one.path("a.txt"), "utf8")).toBe(changed.join("\n"));
});

it("shares one journal, so any caller can undo its changes", async () => {
  await using one = await fixture();
  const other = await one.crib.addCaller({ dialect: "openai" });
  const { callId } = await other.call("write_file", { file_path: "a.txt", content: "hello\n" });
  expect(one.crib.findCall(callId)).toMatchObject({ tool: "file.write", session: one.crib.session });
  const undone = await one.crib.call("journal.undo", { call: callId });
  expect(undone.isError).toBe(false);
  await expect(readFile(one.path("a.txt"))).rejects.toMatchObject({ code: "ENOENT" });
});

it("asks the same user, whose answer applies to all callers", async () => {
  let questions = 0;
  await using one = await fixture({
    mode: "safe",
    approve: () => {
      questions += 1;
      return { allow: true, remember: "session" };
    },
  });
  const [first, second] = await Promise.all([one.crib.addCaller(), one.crib.addCaller()]);
  const touch = { command: "touch made" };
  const results = [
    await first.call("shell.run", touch),
    await second.call("shell.run", touch),
    await one.crib.call("shell.run", touch),
  ];
  expect([results.map(({ isError }) => isError), questions]).toEqual([[false, false, false], 1]);
});

it("cancels only its own calls, processes and shells when it leaves", { tags: "slow" }, async () => {
  await using one = await fixture();
  const [staying, leaving] = await Promise.all([one.crib.addCaller(), one.crib.addCaller()]);
  const begin = async (caller: typeof staying, name: string) => {
    const { data } = await caller.call("process.start", { command: "sleep 300", name });
    await caller.call("shell.run", { command: "true", session: `${name}-shell` });
    return (data as ProcessStatus).pid;
  };
  const pids = [await begin(staying, "stays"), await begin(leaving, "leaves")];
  const started = Promise.withResolvers<void>();
  const cut = leaving.call(
    "shell.run",
    { command: "echo started; sleep 300" },
    { onEvent: ({ type }) => type === "tool-output" && started.resolve() },
  );
  await started.promise;
  await Promise.all([leaving.close(), leaving.close()]);
  expect([(await cut).error?.code, ...pids.map(isAlive)]).toEqual(["cancelled", true, false]);
  expect((await one.crib.processes()).map(({ name, state }) => [name, state])).toEqual([
    ["stays", "running"],
    ["stays-shell", expect.any(String)],
    ["leaves", "ended"],
  ]);
  expect((await leaving.call("time.now", {})).error).toEqual({
    code: "unavailable",
    message: "This caller is closed",
    hint: "Add another caller.",
  });
  expect((await staying.call("time.now", {})).isError).toBe(false);
});

it("cancels its checks when it leaves", async () => {
  const started = Promise.withResolvers<void>();
  let isCancelled = false;
  const slow = defineTool({
    name: "slow",
    description: "Wait.",
    preview: (_input, { signal }) => {
      const { promise, reject } = Promise.withResolvers<string>();
      signal.addEventListener("abort", () => {
        isCancelled = true;
        reject(signal.reason);
      });
      started.resolve();
      return promise;
    },
    run: () => "done",
  });
  await using one = await fixture({ tools: [slow], mode: "cautious" });
  const other = await one.crib.addCaller();
  const checking = other.check("slow", {}).catch(() => {});
  await started.promise;
  await other.close();
  expect(isCancelled).toBe(true);
  await checking;
});

it("ends when the instance closes", { tags: "slow" }, async () => {
  await using one = await fixture();
  const other = await one.crib.addCaller();
  const { data } = await other.call("process.start", { command: "sleep 300" });
  await one.crib.close();
  expect(isAlive((data as ProcessStatus).pid)).toBe(false);
  expect((await other.call("time.now", {})).error?.message).toBe("This Toolcrib is closed");
  await other.close();
});
