import { chmodSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openLocalEnvironment } from "../../../environment/local/local-environment.ts";
import { MemoryEnvironment } from "../../../environment/memory/memory-environment.ts";
import { type ListedFiles, WorkspaceLister } from "./list-workspace.ts";

const { signal } = new AbortController();

describe("WorkspaceLister", () => {
  it("returns the same files while nothing changes", async () => {
    await using opened = open();
    const files = await opened.settled();
    expect(pathsOf(files).sort()).toEqual(["a.ts", "src/b.ts", "src/c.ts"]);
    // Git writes into its folder all the time.
    writeFileSync(opened.at(".git/index.lock"), "");
    rmSync(opened.at(".git/index.lock"));
    expect(await opened.list()).toBe(files);
  });

  it.each<[string, (at: (path: string) => string) => void, string]>([
    ["content", (at) => writeFileSync(at("a.ts"), "other"), "a.ts src/b.ts src/c.ts"],
    ["content of the same size and time", sameTime, "a.ts src/b.ts src/c.ts"],
    ["a new file", (at) => writeFileSync(at("src/d.ts"), "d"), "a.ts src/b.ts src/c.ts src/d.ts"],
    ["a deleted file", (at) => rmSync(at("src/b.ts")), "a.ts src/c.ts"],
    ["two files that swap names", swap, "a.ts src/b.ts src/c.ts"],
    ["a mode", (at) => chmodSync(at("a.ts"), 0o755), "a.ts src/b.ts src/c.ts"],
    ["rules of git", (at) => writeFileSync(at(".git/info/exclude"), "b.ts\n"), "a.ts src/c.ts"],
    ["rules in a file", (at) => writeFileSync(at("src/.gitignore"), "c.ts\n"), "a.ts src/b.ts"],
  ])("notices %s", async (_, change, expected) => {
    await using opened = open();
    const files = await opened.settled();
    change(opened.at);
    const listed = await opened.list();
    expect(listed).not.toBe(files);
    expect(pathsOf(listed).sort().join(" ")).toBe(expected);
  });

  it("lists again while a file may still change within one tick of the clock", async () => {
    await using opened = open();
    await opened.settled();
    let files: Awaited<ReturnType<typeof opened.list>>;
    // On a busy machine, too much time may pass before the file is listed.
    do {
      writeFileSync(opened.at("a.ts"), "fresh");
      files = await opened.list();
    } while (files.at(files.find("a.ts")!).settled);
    expect(await opened.list()).not.toBe(files);
  });

  it("skips a path that no file can have", async () => {
    const environment = new MemoryEnvironment({ files: { "a.ts": "" } });
    const walk = async () => ({ paths: ["a.ts", "b\ud800.ts", "c.ts"], failed: [] });
    const listed = await new WorkspaceLister(Object.assign(environment, { walk })).list(signal);
    expect(pathsOf(listed)).toEqual(["a.ts", "c.ts"]);
  });

  // Other systems refuse such names.
  it.runIf(process.platform === "linux").each<[string, Readonly<Record<string, string>>]>([
    ["and a file with this path", { "a\uFFFD.ts": "c" }],
    ["found by a walk", { ".ignore": "x\n" }],
    ["and a file with this path, found by a walk", { ".ignore": "x\n", "a\uFFFD.ts": "c" }],
  ])("lists a path once that stands for two names that are not UTF-8 %s", async (_, others) => {
    await using opened = open();
    for (const [path, text] of Object.entries(others)) writeFileSync(opened.at(path), text);
    for (const byte of [0xfe, 0xff])
      writeFileSync(Buffer.concat([Buffer.from(opened.at("a")), Buffer.of(byte), Buffer.from(".ts")]), "d");
    const listed = await opened.list();
    expect(pathsOf(listed).sort()).toEqual(["a.ts", "a\uFFFD.ts", "src/b.ts", "src/c.ts"]);
    const places = [...listed.places()];
    expect(places.map((place) => listed.find(listed.pathAt(place)))).toEqual(places);
    expect(listed.size).toBe(places.length);
  });

  it("walks again when rules of other tools include what git ignores", async () => {
    await using opened = open();
    mkdirSync(opened.at("node_modules"));
    writeFileSync(opened.at("node_modules/x.ts"), "x");
    writeFileSync(opened.at(".gitignore"), "node_modules\n");
    writeFileSync(opened.at(".ignore"), "!node_modules\n");
    await opened.settled();
    writeFileSync(opened.at("node_modules/y.ts"), "y");
    const listed = await opened.list();
    expect(pathsOf(listed).filter((path) => path.startsWith("node_modules"))).toEqual([
      "node_modules/x.ts",
      "node_modules/y.ts",
    ]);
  });
});

function pathsOf(files: ListedFiles): string[] {
  return Array.from(files.places(), (place) => files.pathAt(place));
}

function sameTime(at: (path: string) => string): void {
  writeFileSync(at("a.ts"), "A");
  utimesSync(at("a.ts"), past, past);
}

function swap(at: (path: string) => string): void {
  renameSync(at("src/b.ts"), at("src/x"));
  renameSync(at("src/c.ts"), at("src/b.ts"));
  renameSync(at("src/x"), at("src/c.ts"));
}

const past = new Date("2020-01-01");

function open() {
  const folder = temporaryFolder();
  const at = (path: string) => join(folder.path, path);
  mkdirSync(at("src"));
  mkdirSync(at(".git/info"), { recursive: true });
  writeFileSync(at(".git/HEAD"), "ref: refs/heads/main\n");
  for (const [path, text] of Object.entries({ "a.ts": "a", "src/b.ts": "b", "src/c.ts": "b" })) {
    writeFileSync(at(path), text);
    utimesSync(at(path), past, past);
  }
  const environment = openLocalEnvironment({ workspace: folder.path });
  const lister = new WorkspaceLister(environment);
  const list = () => lister.list(signal);
  return {
    at,
    list,
    /** Lists the files when all of them are older than a tick of the clock. */
    async settled() {
      for (let tries = 0; tries < 500; tries += 1) {
        const files = await list();
        const found = Array.from(files.places(), (place) => files.at(place));
        if (found.every(({ figures, settled }) => settled || figures === undefined)) break;
        await sleep(20);
      }
      return list();
    },
    async [Symbol.asyncDispose]() {
      await environment.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
