import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { openToolcrib, type ToolcribOptions } from "./index.ts";

async function open(hooks: ToolcribOptions["hooks"], options: ToolcribOptions = {}) {
  const folder = temporaryFolder();
  const crib = await openToolcrib({
    ...options,
    workspace: folder.path,
    stateDirectory: join(folder.path, ".state"),
    configDirectory: join(folder.path, ".config"),
    hooks,
  });
  return {
    crib,
    at: (path: string) => join(folder.path, path),
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe("a hook of the program", () => {
  it("sees each call before and after it, also those of scripts", async () => {
    const seen: string[] = [];
    await using fixture = await open(
      {
        PreToolUse: ({ name, canonical }) => void seen.push(`before ${name} (${canonical})`),
        PostToolUse: ({ canonical }, { isError }) => void seen.push(`after ${canonical}: ${isError}`),
      },
      { dialect: "claude-code" },
    );
    await fixture.crib.call("Read", { file_path: "none.txt" });
    const script = 'return (await tools.file.list({ path: "." })).text';
    await fixture.crib.call("tools.script", { script });
    expect(seen).toEqual([
      "before Read (file.read)",
      "after file.read: true",
      "before tools.script (tools.script)",
      "before file.list (file.list)",
      "after file.list: false",
      "after tools.script: false",
    ]);
  });

  it("blocks a call, which is recorded as denied", async () => {
    await using fixture = await open({
      PreToolUse: ({ canonical }) => (canonical === "file.write" ? { block: "Not today." } : undefined),
    });
    const { callId, error } = await fixture.crib.call("file.write", { path: "a.txt", content: "a" });
    expect([error?.code, error?.message, existsSync(fixture.at("a.txt"))]).toEqual([
      "denied",
      "Not today.",
      false,
    ]);
    expect(fixture.crib.findCall(callId)?.outcome).toBe("denied");
  });

  it("replaces the arguments before the rules apply, and the text of the result", async () => {
    await using fixture = await open(
      {
        PreToolUse: ({ input }) => ({ input: { ...(input as object), path: "b.txt" } }),
        PostToolUse: (call, { content }) => `${(call.input as { path: string }).path}: ${content}`,
      },
      { rules: ["deny write a.txt"] },
    );
    const { content, error } = await fixture.crib.call("file.write", { path: "a.txt", content: "a\n" });
    expect([content, error, readFileSync(fixture.at("b.txt"), "utf8")]).toEqual([
      "b.txt: Created b.txt: 2 bytes written.",
      null,
      "a\n",
    ]);
  });

  it("cannot allow what a rule denies", async () => {
    await using fixture = await open(
      { PreToolUse: () => ({ input: { path: "a.txt", content: "a" } }) },
      { mode: "yolo", rules: ["deny write a.txt"] },
    );
    const { error } = await fixture.crib.call("file.write", { path: "b.txt", content: "b" });
    expect(error?.code).toBe("denied");
  });

  it("fails its call when it throws", async () => {
    await using fixture = await open({
      PreToolUse: () => {
        throw new Error("no connection");
      },
    });
    const { error } = await fixture.crib.call("file.list", {});
    expect([error?.code, error?.message]).toEqual([
      "denied",
      "The call was not made: the PreToolUse hook failed: no connection",
    ]);
  });

  it("is refused when it is not a function", async () => {
    await expect(open({ PreToolUse: "no" } as object)).rejects.toThrow("must be an object with functions");
  });
});
