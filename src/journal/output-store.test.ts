import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { openLocalEnvironment } from "../environment/local/local-environment.ts";
import { openOutputStore } from "./output-store.ts";

it("stores output in the order of its chunks, also without waiting in between", async () => {
  await using fixture = storeFixture();
  const output = fixture.store.begin();
  for (let line = 0; line < 50; line += 1) void output.write(`line ${line}\n`);
  const text = Array.from({ length: 50 }, (_, line) => `line ${line}\n`).join("");
  expect(await output.end({ keep: true })).toEqual({ keptBytes: text.length, isWhole: true });
  expect(fixture.read(output.handle)).toBe(text);
});

it("leaves nothing of a discarded output", async () => {
  await using fixture = storeFixture();
  const output = fixture.store.begin();
  await output.write("all of it was shown\n");
  expect(await output.end({ keep: false })).toEqual({ keptBytes: 20, isWhole: true });
  expect(fixture.names()).toEqual([]);
});

it("stores whole lines up to its budget, and reports that there was more", async () => {
  await using fixture = storeFixture({ maxBytes: 30 });
  const output = fixture.store.begin();
  for (const line of ["first äöü\n", "second line\n", "third line\n", "4\n"]) await output.write(line);
  expect([output.isFull, output.isLost]).toEqual([true, false]);
  expect(await output.end({ keep: true })).toEqual({ keptBytes: 25, isWhole: false });
  expect(fixture.read(output.handle)).toBe("first äöü\nsecond line\n");
});

it("redacts secrets that span several chunks", async () => {
  await using fixture = storeFixture();
  const output = fixture.store.begin();
  for (const piece of ["x secret", "secret y\nsec", "ret\n", "secr"]) await output.write(piece);
  await output.end({ keep: true });
  expect(fixture.read(output.handle)).toBe("x ****** y\n***\nsecr");
});

it("removes outputs older than a week, and the oldest over the limit", async () => {
  await using fixture = storeFixture({ maxTotalBytes: 100 });
  const days = { out_old: 8, out_third: 3, out_second: 2, out_first: 1 };
  for (const [name, age] of Object.entries(days)) fixture.put(name, "x".repeat(40), age);
  const handle = await fixture.store.keep("new");
  expect(fixture.names().sort()).toEqual([handle, "out_first", "out_second"].sort());
});

it("stores nothing when the folder is gone, and does not fail", async () => {
  await using fixture = storeFixture();
  await fixture.remove();
  const output = fixture.store.begin();
  await output.write("lost\n");
  expect([output.isFull, output.isLost]).toEqual([true, true]);
  expect(await output.end({ keep: true })).toEqual({ keptBytes: 0, isWhole: false });
});

/** Accepts whole lines, like the real one. */
function redacting() {
  let held = "";
  const redact = (text: string) => text.replaceAll("secret", "***");
  return {
    push: (piece: string) => {
      const end = (held + piece).lastIndexOf("\n") + 1;
      const whole = (held + piece).slice(0, end);
      held = (held + piece).slice(end);
      return redact(whole);
    },
    end: () => redact(held),
  };
}

function storeFixture({ maxBytes = 1000, maxTotalBytes = 100_000 } = {}) {
  const folder = temporaryFolder();
  const files = openLocalEnvironment({ workspace: folder.path });
  return {
    store: openOutputStore(files, { redacting, maxBytes, maxTotalBytes }),
    put: (name: string, text: string, ageDays: number) => {
      const path = join(folder.path, name);
      writeFileSync(path, text);
      const seconds = Date.now() / 1000 - ageDays * 24 * 60 * 60;
      utimesSync(path, seconds, seconds);
    },
    names: () => readdirSync(folder.path),
    read: (name: string) => readFileSync(join(folder.path, name), "utf8"),
    remove: () => folder[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: async () => {
      await files.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
