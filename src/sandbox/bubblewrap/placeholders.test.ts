import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { beforeLook } from "../../../test/support/environment/before-look.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { newRecordName } from "../../system/process-identity.ts";
import { DelayedRemoval } from "./delayed-removal.ts";
import type { Placeholder } from "./placeholder-records.ts";
import { Placeholders } from "./placeholders.ts";

function openStubs(folder: string) {
  const [workspace, records] = [join(folder, "work"), join(folder, "records")];
  mkdirSync(workspace);
  const at = (name: string) => join(workspace, name);
  const wanted: Placeholder[] = [
    { path: at(".mcp.json"), kind: "file" },
    { path: at(".claude"), kind: "directory" },
    { path: at(".github/workflows"), kind: "directory" },
    { path: at("commondir"), kind: "file", content: "." },
  ];
  const entries = () => readdirSync(workspace, { recursive: true }).sort();
  return { at, wanted, records, entries, stubs: new Placeholders(records) };
}

const all = [".claude", ".github", ".github/workflows", ".mcp.json", "commondir"];

it("creates missing entries with their directories, and removes them after use", async () => {
  await using folder = temporaryFolder();
  const { stubs, wanted, entries, at, records } = openStubs(folder.path);
  const use = await stubs.use(wanted);
  expect({ standing: use.standing, entries: entries(), text: readFileSync(at("commondir"), "utf8") }).toEqual(
    {
      standing: wanted,
      entries: all,
      text: ".",
    },
  );
  await use.end();
  expect([entries(), readdirSync(records)]).toEqual([[], []]);
});

it("leaves existing entries alone", async () => {
  await using folder = temporaryFolder();
  const { stubs, wanted, entries, at } = openStubs(folder.path);
  writeFileSync(at(".mcp.json"), "");
  mkdirSync(at(".claude"));
  const use = await stubs.use(wanted);
  expect(use.standing).toEqual(wanted.slice(2));
  await use.end();
  expect(entries()).toEqual([".claude", ".mcp.json"]);
});

it("waits for the last user, in any process", async () => {
  await using folder = temporaryFolder();
  const { stubs, wanted, entries, records } = openStubs(folder.path);
  const [first, second] = [await stubs.use(wanted), await new Placeholders(records).use(wanted.slice(0, 1))];
  await first.end();
  expect(entries()).toEqual([".mcp.json"]);
  await second.end();
  expect(entries()).toEqual([]);
});

it("shares a placeholder with another user", async () => {
  await using folder = temporaryFolder();
  const { stubs, wanted, entries } = openStubs(folder.path);
  const first = await stubs.use(wanted);
  const second = await stubs.use(wanted);
  expect(second.standing).toEqual(wanted);
  await first.end();
  expect(entries()).toEqual(all);
  await second.end();
  expect(entries()).toEqual([]);
});

it("keeps an entry that replaced a placeholder meanwhile", async () => {
  await using folder = temporaryFolder();
  const { stubs, wanted, entries, at } = openStubs(folder.path);
  const use = await stubs.use(wanted);
  writeFileSync(at(".claude/settings.json"), "{}");
  writeFileSync(at(".mcp.json.new"), "{}");
  chmodSync(at(".mcp.json"), 0o644);
  writeFileSync(at(".mcp.json"), "{}");
  await use.end();
  expect(entries()).toEqual([".claude", ".claude/settings.json", ".mcp.json", ".mcp.json.new"]);
});

it("removes the placeholders of a killed process", async () => {
  await using folder = temporaryFolder();
  const { stubs, wanted, entries, records } = openStubs(folder.path);
  await stubs.use(wanted);
  const [record] = readdirSync(records);
  // A process from before the last reboot.
  renameSync(join(records, record!), join(records, "1-1-00000000-1.0"));
  const live = await stubs.use(wanted.slice(0, 1));
  await new Placeholders(records).removeAbandoned();
  expect([entries(), readdirSync(records).length]).toEqual([[".mcp.json"], 1]);
  await live.end();
  expect([entries(), existsSync(records)]).toEqual([[], true]);
});

it("lists placeholders since a moment, also removed ones, but not entries that replaced them", async () => {
  await using folder = temporaryFolder();
  const { stubs, wanted, at, records } = openStubs(folder.path);
  const use = await stubs.use(wanted);
  const [first, second] = [stubs.watch(), stubs.watch()];
  const seen = (watch: typeof first) => [...new Set(watch.seen().map(({ path }) => path))].sort();
  const before = seen(first);
  writeFileSync(at(".claude/settings.json"), "{}");
  await use.end();
  const late = stubs.watch();
  const after = [seen(first), seen(second)];
  first.end();
  const others = all.map(at).filter((path) => path !== at(".claude"));
  expect([before, after, seen(second)]).toEqual([all.map(at), [others, others], others]);
  for (const watch of [second, late]) watch.end();
  expect([readdirSync(records), seen(stubs.watch())]).toEqual([[], []]);
});

it("recognizes a placeholder that another process creates meanwhile", async () => {
  await using folder = temporaryFolder();
  const { stubs, wanted, entries, records, at } = openStubs(folder.path);
  const others = new Placeholders(records);
  const uses = [others.use(wanted.slice(0, 1))];
  await Promise.all(uses);
  const restore = beforeLook({ [at("commondir")]: () => void uses.push(others.use(wanted)) });
  const use = await stubs.use(wanted).finally(restore);
  for (const other of uses) await (await other).end();
  expect([uses.length, use.standing, entries()]).toEqual([2, wanted, all]);
  await use.end();
  expect(entries()).toEqual([]);
});

it("shares and removes a file whose process has not written its content", async () => {
  await using folder = temporaryFolder();
  const { stubs, wanted, entries, records, at } = openStubs(folder.path);
  mkdirSync(records);
  writeFileSync(join(records, "1-1-00000000-1.0"), JSON.stringify(wanted.slice(3)));
  writeFileSync(at("commondir"), "", { mode: 0o444 });
  const use = await stubs.use(wanted);
  expect(use.standing).toEqual(wanted);
  await use.end();
  await stubs.removeAbandoned();
  expect(entries()).toEqual([]);
});

it("does not use a placeholder that another process is removing", { tags: "slow" }, async () => {
  await using folder = temporaryFolder();
  const { stubs, wanted, records, at } = openStubs(folder.path);
  const module = fileURLToPath(new URL("./placeholders.ts", import.meta.url));
  // The process halts in the middle of its removal until its input ends.
  const program = `
    const fs = require("node:fs");
    const { syncBuiltinESMExports } = require("node:module");
    import(${JSON.stringify(module)}).then(async ({ Placeholders }) => {
      const use = await new Placeholders(process.argv[1]).use(JSON.parse(process.argv[2]));
      const { rmdirSync } = fs;
      let isHalted = false;
      fs.rmdirSync = (path) => {
        if (!isHalted) fs.writeSync(1, "halted") && fs.readSync(0, Buffer.alloc(1));
        isHalted = true;
        rmdirSync(path);
      };
      syncBuiltinESMExports();
      await use.end();
    });`;
  const child = spawn(process.execPath, ["-e", program, records, JSON.stringify(wanted)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  await once(child.stdout, "data");
  const identities = () =>
    all.map((name) => lstatSync(at(name), { bigint: true, throwIfNoEntry: false })?.birthtimeNs);
  const using = stubs.use(wanted).then((use) => ({ use, used: identities() }));
  // What is ready at once is used before the removal continues.
  await setImmediate();
  child.stdin.end();
  expect(await exited).toEqual([0, null]);
  const { use, used } = await using;
  expect([use.standing, identities()]).toEqual([wanted, used]);
  await use.end();
});

it("moves placeholders to a separate directory when there is one", async () => {
  await using folder = temporaryFolder();
  const { wanted, entries, records } = openStubs(folder.path);
  const aside = join(folder.path, "aside");
  const use = await new Placeholders(records, new DelayedRemoval(aside)).use(wanted);
  await use.end();
  expect([entries(), readdirSync(aside).length]).toEqual([[], all.length]);
});

it("creates and removes them in read-only directories, because a command could make those writable", async () => {
  await using folder = temporaryFolder();
  const { at, wanted, entries, stubs, records } = openStubs(folder.path);
  chmodSync(at(""), 0o555);
  const use = await stubs.use(wanted);
  expect([use.standing, statSync(at("")).mode & 0o777]).toEqual([wanted, 0o555]);
  await use.end();
  expect([entries(), readdirSync(records)]).toEqual([[], []]);
  chmodSync(at(""), 0o755);
});

it("creates and removes nothing where a directory was replaced by a link", async () => {
  await using folder = temporaryFolder();
  const { at, records } = openStubs(folder.path);
  const victim = join(folder.path, "victim");
  mkdirSync(join(victim, "hooks"), { recursive: true });
  mkdirSync(at("nested"));
  const wanted: Placeholder[] = [
    { path: at("nested/hooks"), kind: "directory" },
    { path: at("nested/config"), kind: "file" },
  ];
  const stubs = new Placeholders(records, new DelayedRemoval(join(folder.path, "aside")));
  const use = await stubs.use(wanted);
  renameSync(at("nested"), at("moved"));
  symlinkSync(victim, at("nested"));
  const led = await stubs.use(wanted);
  await led.end();
  await use.end();
  expect([led.standing, readdirSync(victim)]).toEqual([[], ["hooks"]]);
});

it("removes what is left after a kill at any moment of the removal", { tags: "slow" }, async () => {
  await using folder = temporaryFolder();
  const { wanted, entries, records } = openStubs(folder.path);
  const module = fileURLToPath(new URL("./placeholders.ts", import.meta.url));
  // The process kills itself at the nth change of the file system while it ends its use.
  const program = `
    const fs = require("node:fs");
    const { syncBuiltinESMExports } = require("node:module");
    import(${JSON.stringify(module)}).then(async ({ Placeholders }) => {
      const use = await new Placeholders(process.argv[1]).use(JSON.parse(process.argv[2]));
      let left = Number(process.argv[3]);
      for (const name of ["renameSync", "unlinkSync", "rmdirSync", "writeFileSync"]) {
        const real = fs[name];
        fs[name] = (...args) => (left-- === 0 ? process.kill(process.pid, "SIGKILL") : real(...args));
      }
      syncBuiltinESMExports();
      await use.end();
    });`;
  for (const moment of [0, 1, 2, 4, 6]) {
    const args = ["-e", program, records, JSON.stringify(wanted), String(moment)];
    const { signal } = spawnSync(process.execPath, args);
    await new Placeholders(records).removeAbandoned();
    expect([moment, signal, entries(), readdirSync(records)]).toEqual([moment, "SIGKILL", [], []]);
  }
});

it("removes a directory that another process could not remove, because of a placeholder in it", async () => {
  await using folder = temporaryFolder();
  const { stubs, wanted, entries, records, at } = openStubs(folder.path);
  const first = await stubs.use(wanted);
  // As a process records it that has found `.github` just before the first one has written its record.
  const other = join(records, newRecordName());
  writeFileSync(other, JSON.stringify([{ path: at(".github/workflows"), kind: "directory" }]));
  await first.end();
  expect(entries()).toEqual([".github", ".github/workflows"]);
  renameSync(other, `${other}.ending`);
  await stubs.removeAbandoned();
  expect([entries(), readdirSync(records)]).toEqual([[], []]);
});
