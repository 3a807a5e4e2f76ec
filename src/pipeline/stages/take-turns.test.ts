import { setImmediate } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { done, stageCall } from "../../../test/support/stages/stage-call.ts";
import type { ToolAccess } from "../../contract/access.ts";
import type { ToolCall } from "../../contract/call.ts";
import { MemoryEnvironment } from "../../environment/memory/memory-environment.ts";
import { takeTurns } from "./take-turns.ts";

/** Calls of one stage that run until they are ended by name. */
function openStage() {
  const environment = new MemoryEnvironment({ files: { "a.txt": "", "b.txt": "", "folder/c.txt": "" } });
  environment.link("link.txt", "a.txt");
  const stage = takeTurns(environment);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string, access: ToolAccess, call: Partial<Omit<ToolCall, "tool">> = {}) =>
    stage(stageCall({ ...call, environment, accesses: [access] }), async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return done;
    });
  const end = async (...names: string[]) => {
    for (const name of names) ends.get(name)!();
    await setImmediate();
  };
  return { begun, run, end };
}

const write = (path: string): ToolAccess => ({ kind: "write", path });

describe("takeTurns", () => {
  it("runs writers of one real path one after the other, and all others concurrently", async () => {
    const { begun, run, end } = openStage();
    const calls = [
      run("first", write("a.txt")),
      run("second", write("link.txt")),
      run("other", write("b.txt")),
      run("reader", { kind: "read", path: "a.txt" }),
    ];
    await setImmediate();
    expect(begun.toSorted()).toEqual(["first", "other", "reader"]);
    await end("first");
    expect(begun.at(-1)).toBe("second");
    await end("second", "other", "reader");
    expect(await Promise.all(calls)).toEqual([done, done, done, done]);
  });

  it("serializes a folder and a file in it", async () => {
    const { begun, run, end } = openStage();
    const calls = [run("file", write("folder/c.txt")), run("folder", { kind: "delete", path: "folder" })];
    await setImmediate();
    expect(begun).toEqual(["file"]);
    await end("file");
    expect(begun).toEqual(["file", "folder"]);
    await end("folder");
    await Promise.all(calls);
  });

  it("checks a call again only if it had to wait", async () => {
    const { run, end } = openStage();
    const recheck = vi.fn(async () => {});
    const refused = vi.fn(() => Promise.reject(new Error("a link is in the way")));
    const calls = [
      run("first", write("a.txt"), { recheck }),
      run("second", write("a.txt"), { recheck: refused }).catch(({ message }) => message),
    ];
    await setImmediate();
    await end("first");
    expect(await Promise.all(calls)).toEqual([done, "a link is in the way"]);
    expect([recheck.mock.calls.length, refused.mock.calls.length]).toEqual([0, 1]);
  });

  it("keeps a call's turn until the work that outlives it has ended", async () => {
    const environment = new MemoryEnvironment({ files: { "a.txt": "" } });
    const stage = takeTurns(environment);
    const lingering = Promise.withResolvers<void>();
    const call = () => stageCall({ environment, accesses: [write("a.txt")] });
    await stage(call(), async ({ outlivedBy }) => {
      outlivedBy(lingering.promise);
      return done;
    });
    const next = vi.fn(async () => done);
    const second = stage(call(), next);
    await setImmediate();
    expect(next).not.toHaveBeenCalled();
    lingering.resolve();
    await second;
    expect(next).toHaveBeenCalledOnce();
  });
});
