import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { isAlive } from "../../../test/support/is-alive.ts";
import type { Outline } from "../../contract/code.ts";
import { Reader } from "./reader.ts";

const run = promisify(execFile);
const killedWorker = fileURLToPath(
  new URL("../../../test/support/code-worker/killed-worker.ts", import.meta.url),
);
const abandonedWorker = fileURLToPath(
  new URL("../../../test/support/code-worker/abandoned-worker.ts", import.meta.url),
);
const killedParent = fileURLToPath(
  new URL("../../../test/support/code-worker/killed-parent.ts", import.meta.url),
);
const always = { signal: new AbortController().signal };
const reader = new Reader();
afterAll(() => reader.close());

describe("a reader", () => {
  it("returns symbols and faults", { tags: "slow" }, async () => {
    const text = "fn main() {}\nstruct A;\n";
    expect(namesOf(await reader.outline({ path: "main.rs", text }, always))).toEqual(["main", "A"]);
    const broken = await reader.outline({ path: "a.json", text: '{ "a": }' }, always);
    expect([broken.language, broken.faults.length > 0]).toEqual(["json", true]);
  });

  it("answers fifty requests at once", async () => {
    const numbers = Array.from({ length: 50 }, (_, number) => number);
    const outlines = numbers.map((number) =>
      reader.outline({ path: `${number % 20}.py`, text: `def f${number}(): pass\n` }, always),
    );
    expect((await Promise.all(outlines)).map(namesOf)).toEqual(numbers.map((number) => [`f${number}`]));
  });

  it("returns the same for a changed text as for a new one", async () => {
    const parts = Array.from({ length: 200 }, (_, number) => `def f${number}(a):\n    return a\n\n`);
    for (const [at, part] of Object.entries({
      0: "",
      50: "class A:\n    def m(self): pass\n\n",
      120: "def (:\n",
    })) {
      parts[Number(at)] = part;
      const text = parts.join("");
      const [changed, fresh] = [
        { path: "changed.py", text },
        { path: `fresh${at}.py`, text },
      ];
      expect(await reader.outline(changed, always)).toEqual(await reader.outline(fresh, always));
    }
  });

  it("continues after texts that cannot be parsed", { tags: "slow" }, async () => {
    const texts = ["", "\0\0", "\ud800 = '\udc00'", "(".repeat(500), "[".repeat(2000), '"', "\r\n\r"];
    const outlines = await Promise.all(
      texts.flatMap((text) =>
        ["a.py", "a.json", "a.md"].map((path) => reader.outline({ path, text }, always)),
      ),
    );
    expect(outlines.map(({ language }) => language)).toEqual(
      texts.flatMap(() => ["python", "json", "markdown"]),
    );
  });

  it("continues correctly after a scanner overwrote the memory of the parser", { tags: "slow" }, async () => {
    const texts = {
      "a.json": '{"a": [1, 2, 3}',
      "a.py": "def f(:\n  pass\n",
      "a.ts": "const a: number = 1;\nexport function f(): void {}\n",
      "a.go": "package a\n\nfunc f() {}\n",
      "a.yaml": "a:\n  - b: 1\n",
    };
    const outlines = () =>
      Promise.all(Object.entries(texts).map(([path, text]) => reader.outline({ path, text }, always)));
    const before = await outlines();
    const text = `${"- ".repeat(300)}x\n`;
    await expect(reader.outline({ path: "deep.yaml", text }, always)).rejects.toMatchObject({
      code: "unavailable",
      message: "The parser crashed on deep.yaml (unreachable)",
    });
    expect(await outlines()).toEqual(before);
  });

  it("refuses code that it cannot parse, with a hint", async () => {
    const outline = (path: string, text: string, language?: string) =>
      reader
        .outline({ path, text, language }, always)
        .catch(({ code, message, hint }) => ({ code, message, hint }));
    expect([
      await outline("notes.xyz", "text"),
      await outline("a.txt", "text", "pyton"),
      await outline("huge.ts", "x".repeat(8_000_001)),
    ]).toEqual([
      {
        code: "unsupported",
        message: "The language of notes.xyz is unknown, so it cannot be parsed",
        hint: "Read and edit it as text: file.read, edit.replace.",
      },
      {
        code: "unsupported",
        message: 'There is no grammar for the language "pyton"',
        hint: 'Did you mean "python"?',
      },
      {
        code: "too-large",
        message: "huge.ts is too large to parse (8.0 MB; the limit is 8.0 MB)",
        hint: "Read and edit it as text: file.read, edit.replace.",
      },
    ]);
  });

  it("cancels requests before and during the parse", { tags: "slow" }, async () => {
    const cancelling = new AbortController();
    const slow = reader.outline(
      { path: "slow.ts", text: "(".repeat(100_000) },
      { signal: cancelling.signal },
    );
    const waiting = reader.outline({ path: "waiting.ts", text: "" }, { signal: cancelling.signal });
    const next = reader.outline({ path: "next.json", text: "{}" }, always);
    const never = reader.outline({ path: "never.ts", text: "" }, { signal: AbortSignal.abort() });
    await expect(never).rejects.toMatchObject({ code: "cancelled" });
    await sleep(100);
    cancelling.abort();
    const cancelled = (path: string) => ({
      code: "cancelled",
      message: `The call was cancelled while ${path} was read`,
    });
    await expect(slow).rejects.toMatchObject(cancelled("slow.ts"));
    await expect(waiting).rejects.toMatchObject(cancelled("waiting.ts"));
    expect((await next).language).toBe("json");
  });

  it("restarts after it was killed, and names the file that it was reading", { tags: "slow" }, async () => {
    const { stdout } = await run(process.execPath, [killedWorker]);
    expect(JSON.parse(stdout)).toEqual({
      first: {
        code: "unavailable",
        message: "The parser crashed on slow.ts (SIGKILL)",
        hint: "Read and edit it as text; other files can still be parsed.",
      },
      waiting: "json",
      again: "json",
    });
  });

  it("does not keep the process alive, and ends with it", { tags: "slow" }, async () => {
    const { stdout } = await run(process.execPath, [abandonedWorker]);
    const pids: number[] = JSON.parse(stdout);
    expect(pids).toHaveLength(1);
    while (pids.some(isAlive)) await sleep(20);
  });

  it("ends in the middle of a parse when its parent is gone", { tags: "slow" }, async () => {
    const { stdout } = await run(process.execPath, [killedParent]).catch(
      (error: { stdout: string }) => error,
    );
    const pid = Number(stdout);
    expect(pid).toBeGreaterThan(1);
    while (isAlive(pid)) await sleep(20);
  });

  it("refuses requests when it is closed", async () => {
    const closed = new Reader();
    await closed.close();
    await expect(closed.outline({ path: "a.json", text: "{}" }, always)).rejects.toMatchObject({
      code: "unavailable",
      message: "This Toolcrib is closed",
    });
  });
});

function namesOf({ symbols }: Outline): readonly string[] {
  return symbols.map(({ name }) => name);
}
