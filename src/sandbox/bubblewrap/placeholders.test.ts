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
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
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

it("makes what is missing, with its directories, and removes it after use", async () => {
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

it("leaves what is real alone", async () => {
  await using folder = temporaryFolder();
  const { stubs, wanted, entries, at } = openStubs(folder.path);
  writeFileSync(at(".mcp.json"), "");
  mkdirSync(at(".claude"));
  const use = stubs.use(wanted);
  expect(use.standing).toEqual(wanted.slice(2));
  use.end();
  expect(entries()).toEqual([".claude", ".mcp.json"]);
});

it("waits for the last user, whichever process that is", async () => {
  await using folder = temporaryFolder();
  const { stubs, wanted, entries, records } = openStubs(folder.path);
  const [first, second] = [stubs.use(wanted), new Placeholders(records).use(wanted.slice(0, 1))];
  first.end();
  expect(entries()).toEqual([".mcp.json"]);
  second.end();
  expect(entries()).toEqual([]);
});

it("takes a stub of another user for its own", async () => {
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

it("leaves what somebody has put there meanwhile", async () => {
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

it("removes what a process has left that was killed", async () => {
  await using folder = temporaryFolder();
  const { stubs, wanted, entries, records } = openStubs(folder.path);
  stubs.use(wanted);
  const [record] = readdirSync(records);
  // A process of an earlier run of the machine.
  renameSync(join(records, record!), join(records, "1-1-00000000-1.0"));
  const live = stubs.use(wanted.slice(0, 1));
  new Placeholders(records).removeAbandoned();
  expect([entries(), readdirSync(records).length]).toEqual([[".mcp.json"], 1]);
  live.end();
  expect([entries(), existsSync(records)]).toEqual([[], true]);
});

it("tells where stubs stand, but not where somebody has put something", async () => {
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

it("moves stubs to a place of its own, where there is one", async () => {
  await using folder = temporaryFolder();
  const { wanted, entries, records } = openStubs(folder.path);
  const aside = join(folder.path, "aside");
  const use = new Placeholders(records, new DelayedRemoval(aside)).use(wanted);
  use.end();
  expect([entries(), readdirSync(aside).length]).toEqual([[], all.length]);
});

it("makes and removes them where a command has forbidden that, because it could allow it again", async () => {
  await using folder = temporaryFolder();
  const { at, wanted, entries, stubs, records } = openStubs(folder.path);
  chmodSync(at(""), 0o555);
  const use = stubs.use(wanted);
  expect([use.standing, statSync(at("")).mode & 0o777]).toEqual([wanted, 0o555]);
  use.end();
  expect([entries(), readdirSync(records)]).toEqual([[], []]);
  chmodSync(at(""), 0o755);
});

it("makes and removes nothing where a directory was exchanged for a link", async () => {
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
