import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { newRecordName } from "../../system/process-identity.ts";
import { DelayedRemoval, type Placeholder, Placeholders } from "./placeholders.ts";

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
  const use = stubs.use(wanted);
  expect({ standing: use.standing, entries: entries(), text: readFileSync(at("commondir"), "utf8") }).toEqual(
    {
      standing: wanted,
      entries: all,
      text: ".",
    },
  );
  use.end();
  expect([entries(), readdirSync(records)]).toEqual([[], []]);
});

it("leaves existing entries alone", async () => {
  await using folder = temporaryFolder();
  const { stubs, wanted, entries, at } = openStubs(folder.path);
  writeFileSync(at(".mcp.json"), "");
  mkdirSync(at(".claude"));
  const use = stubs.use(wanted);
  expect(use.standing).toEqual(wanted.slice(2));
  use.end();
  expect(entries()).toEqual([".claude", ".mcp.json"]);
});

it("waits for the last user, in any process", async () => {
  await using folder = temporaryFolder();
  const { stubs, wanted, entries, records } = openStubs(folder.path);
  const [first, second] = [stubs.use(wanted), new Placeholders(records).use(wanted.slice(0, 1))];
  first.end();
  expect(entries()).toEqual([".mcp.json"]);
  second.end();
  expect(entries()).toEqual([]);
});

it("shares a placeholder with another user", async () => {
  await using folder = temporaryFolder();
  const { stubs, wanted, entries } = openStubs(folder.path);
  const first = stubs.use(wanted);
  const second = stubs.use(wanted);
  expect(second.standing).toEqual(wanted);
  first.end();
  expect(entries()).toEqual(all);
  second.end();
  expect(entries()).toEqual([]);
});

it("keeps an entry that replaced a placeholder meanwhile", async () => {
  await using folder = temporaryFolder();
  const { stubs, wanted, entries, at } = openStubs(folder.path);
  const use = stubs.use(wanted);
  writeFileSync(at(".claude/settings.json"), "{}");
  writeFileSync(at(".mcp.json.new"), "{}");
  chmodSync(at(".mcp.json"), 0o644);
  writeFileSync(at(".mcp.json"), "{}");
  use.end();
  expect(entries()).toEqual([".claude", ".claude/settings.json", ".mcp.json", ".mcp.json.new"]);
});

it("removes the placeholders of a killed process", async () => {
  await using folder = temporaryFolder();
  const { stubs, wanted, entries, records } = openStubs(folder.path);
  stubs.use(wanted);
  const [record] = readdirSync(records);
  // A process from before the last reboot.
  renameSync(join(records, record!), join(records, "1-1-00000000-1.0"));
  const live = stubs.use(wanted.slice(0, 1));
  new Placeholders(records).removeAbandoned();
  expect([entries(), readdirSync(records).length]).toEqual([[".mcp.json"], 1]);
  live.end();
  expect([entries(), existsSync(records)]).toEqual([[], true]);
});

it("lists placeholders, but not entries that replaced them", async () => {
  await using folder = temporaryFolder();
  const { stubs, wanted, at } = openStubs(folder.path);
  const use = stubs.use(wanted);
  const before = stubs.standing().toSorted();
  writeFileSync(at(".claude/settings.json"), "{}");
  const meanwhile = stubs.standing().toSorted();
  use.end();
  expect([before, meanwhile, stubs.standing()]).toEqual([
    all.map(at),
    all.map(at).filter((path) => path !== at(".claude")),
    [],
  ]);
});

it("moves placeholders to a separate directory when there is one", async () => {
  await using folder = temporaryFolder();
  const { wanted, entries, records } = openStubs(folder.path);
  const aside = join(folder.path, "aside");
  const use = new Placeholders(records, new DelayedRemoval(aside)).use(wanted);
  use.end();
  expect([entries(), readdirSync(aside).length]).toEqual([[], all.length]);
});

it("creates and removes them in read-only directories, because a command could make those writable", async () => {
  await using folder = temporaryFolder();
  const { at, wanted, entries, stubs, records } = openStubs(folder.path);
  chmodSync(at(""), 0o555);
  const use = stubs.use(wanted);
  expect([use.standing, statSync(at("")).mode & 0o777]).toEqual([wanted, 0o555]);
  use.end();
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
  const use = stubs.use(wanted);
  renameSync(at("nested"), at("moved"));
  symlinkSync(victim, at("nested"));
  const led = stubs.use(wanted);
  led.end();
  use.end();
  expect([led.standing, readdirSync(victim)]).toEqual([[], ["hooks"]]);
});

it("removes what is left after a kill at any moment of the removal", async () => {
  await using folder = temporaryFolder();
  const { wanted, entries, records } = openStubs(folder.path);
  const module = fileURLToPath(new URL("./placeholders.ts", import.meta.url));
  // The process kills itself at the nth change of the file system while it ends its use.
  const program = `
    const fs = require("node:fs");
    const { syncBuiltinESMExports } = require("node:module");
    import(${JSON.stringify(module)}).then(({ Placeholders }) => {
      const use = new Placeholders(process.argv[1]).use(JSON.parse(process.argv[2]));
      let left = Number(process.argv[3]);
      for (const name of ["renameSync", "unlinkSync", "rmdirSync", "writeFileSync"]) {
        const real = fs[name];
        fs[name] = (...args) => (left-- === 0 ? process.kill(process.pid, "SIGKILL") : real(...args));
      }
      syncBuiltinESMExports();
      use.end();
    });`;
  for (const moment of [0, 1, 2, 4, 6]) {
    const args = ["-e", program, records, JSON.stringify(wanted), String(moment)];
    const { signal } = spawnSync(process.execPath, args);
    new Placeholders(records).removeAbandoned();
    expect([moment, signal, entries(), readdirSync(records)]).toEqual([moment, "SIGKILL", [], []]);
  }
});

it("removes a directory that another process could not remove, because of a placeholder in it", async () => {
  await using folder = temporaryFolder();
  const { stubs, wanted, entries, records, at } = openStubs(folder.path);
  const first = stubs.use(wanted);
  // As a process records it that has found `.github` just before the first one has written its record.
  const other = join(records, newRecordName());
  writeFileSync(other, JSON.stringify([{ path: at(".github/workflows"), kind: "directory" }]));
  first.end();
  expect(entries()).toEqual([".github", ".github/workflows"]);
  renameSync(other, `${other}.ending`);
  stubs.removeAbandoned();
  expect([entries(), readdirSync(records)]).toEqual([[], []]);
});
