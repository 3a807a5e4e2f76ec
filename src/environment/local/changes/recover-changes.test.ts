import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bundledProgram } from "../../../../test/support/bundled-program.ts";
import {
  exampleChanges,
  makeChangeWorld,
  snapshot,
} from "../../../../test/support/environment/change-world.ts";
import type { Interference } from "../../../../test/support/environment/interference.ts";
import type { RecoveredChange } from "../../../contract/environment.ts";
import { openLocalEnvironment } from "../local-environment.ts";

let home: string;
let workspace: string;
let records: string;

beforeEach(() => {
  home = mkdtempSync(join(realpathSync(tmpdir()), "toolcrib recover "));
  workspace = join(home, "workspace");
  records = join(home, "records");
  makeChangeWorld(home);
});
afterEach(() => rmSync(home, { recursive: true }));

const at = (path: string) => join(workspace, path);
const changer = await bundledProgram(
  new URL("../../../../test/support/environment/changer.ts", import.meta.url),
);

function change(interference: Interference) {
  return spawn(process.execPath, [changer, home, "change", JSON.stringify(interference)], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** Kills a process that changes files, just before it creates this name. */
async function crashAt(name: string): Promise<void> {
  const [, signal] = await once(change({ killAt: name }), "exit");
  expect(signal).toBe("SIGKILL");
}

async function recover(): Promise<readonly RecoveredChange[]> {
  const environment = openLocalEnvironment({ workspace, changeRecords: records });
  await environment.close();
  return environment.recovered ?? [];
}

const paths = exampleChanges()
  .map(({ path }) => path)
  .toSorted();

describe("an interrupted change set", () => {
  it("is completed, reported once, and then forgotten", { tags: "slow" }, async () => {
    await crashAt("update");
    expect(readdirSync(records)).toEqual([expect.stringMatching(/^[0-9a-f-]{36}\.[0-9a-f-]+$/), "turn"]);
    expect(await recover()).toEqual([{ outcome: "completed", paths, leftAlone: [] }]);
    expect(await recover()).toEqual([]);
    expect(Object.keys(snapshot(workspace))).toEqual([
      "a",
      "a/mode",
      "a/update",
      "b",
      "hard",
      "hard/one",
      "hard/two",
      "new",
      "new/deep",
      "new/deep/file",
      "new/to",
    ]);
  });

  it("is rolled back when another process changed a file before its step", async () => {
    const before = snapshot(workspace);
    await crashAt("update");
    writeFileSync(at("a/update"), "by hand");
    expect(await recover()).toEqual([{ outcome: "taken back", paths, leftAlone: ["a/update"] }]);
    expect(snapshot(workspace)).toEqual({ ...before, "a/update": "644 1 by hand" });
  });

  it("is rolled back when another process created a file at the path of a new one", async () => {
    const before = snapshot(workspace);
    await crashAt("to");
    writeFileSync(at("new/to"), "by hand", { mode: 0o600 });
    expect(await recover()).toEqual([{ outcome: "taken back", paths, leftAlone: ["new/to"] }]);
    expect(snapshot(workspace)).toEqual({ ...before, new: "directory", "new/to": "600 1 by hand" });
  });

  it("is rolled back when another process changed a hard-linked file before its step", async () => {
    const before = snapshot(workspace);
    await crashAt("update");
    writeFileSync(at("hard/two"), "by hand");
    expect(await recover()).toEqual([{ outcome: "taken back", paths, leftAlone: ["hard/one"] }]);
    const both = { "hard/one": "640 2 by hand", "hard/two": "640 2 by hand" };
    expect(snapshot(workspace)).toEqual({ ...before, ...both });
  });

  it("is completed except for files that another process changed after their step", {
    tags: "slow",
  }, async () => {
    await crashAt("to");
    writeFileSync(at("a/mode"), "by hand");
    writeFileSync(at("a/delete"), "back by hand");
    writeFileSync(at("hard/one"), "by hand");
    const leftAlone = ["a/delete", "a/mode", "hard/one"];
    expect(await recover()).toEqual([{ outcome: "completed", paths, leftAlone }]);
    const texts = ["a/mode", "a/delete", "hard/two", "a/update", "new/to"].map((path) =>
      readFileSync(at(path), "utf8"),
    );
    expect(texts).toEqual(["by hand", "back by hand", "by hand", "updated", "moved"]);
    expect(Object.keys(snapshot(workspace)).filter((path) => path.includes(".toolcrib"))).toEqual([]);
  });

  it("is rolled back when another process deleted data needed to complete it", { tags: "slow" }, async () => {
    const before = snapshot(workspace);
    await crashAt("update");
    for (const name of readdirSync(at("a"))) if (name.endsWith(".tmp")) unlinkSync(at(`a/${name}`));
    expect(await recover()).toEqual([{ outcome: "taken back", paths, leftAlone: [] }]);
    expect(snapshot(workspace)).toEqual(before);
  });

  it("stays in its directories, even if they are moved and replaced by links", { tags: "slow" }, async () => {
    await crashAt("to");
    mkdirSync(join(home, "outside"));
    for (const name of ["mode", "update"])
      writeFileSync(join(home, "outside", name), "outside", { mode: 0o600 });
    renameSync(at("a"), at("moved"));
    symlinkSync(join(home, "outside"), at("a"));
    renameSync(at("b"), at("moved-too"));
    symlinkSync("hard", at("b"));
    expect(await recover()).toEqual([
      { outcome: "taken back", paths, leftAlone: ["a/delete", "a/mode", "a/update", "b/from"] },
    ]);
    expect(snapshot(join(home, "outside"))).toEqual({ mode: "600 1 outside", update: "600 1 outside" });
    expect(Object.keys(snapshot(at("hard")))).toEqual(["one", "two"]);
    expect(readFileSync(at("moved/update"), "utf8")).toBe("updated");
  });

  it("is left to the process that applies it while that process is alive", { tags: "slow" }, async () => {
    const child = change({ haltAt: "update" });
    const isHalted = () =>
      readFileSync(`/proc/${child.pid}/stat`, "latin1").replace(/.*\) /, "").startsWith("T");
    while (!isHalted()) await new Promise((resolve) => setTimeout(resolve, 10));
    const before = snapshot(home);
    expect(await recover()).toEqual([]);
    expect(snapshot(home)).toEqual(before);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await recover()).toEqual([{ outcome: "completed", paths, leftAlone: [] }]);
  });

  it("is recovered by other running processes when they change files", { tags: "slow" }, async () => {
    const environment = openLocalEnvironment({ workspace, changeRecords: records });
    await crashAt("update");
    const add = (path: string) => ({ path, before: "nothing", after: Buffer.from("new") });
    await environment.change([add("one"), add("two")]);
    expect(environment.recovered).toEqual([{ outcome: "completed", paths, leftAlone: [] }]);
    expect([readdirSync(records), readFileSync(at("a/update"), "utf8")]).toEqual([[], "updated"]);
    await environment.close();
  });

  it("blocks no other change when its record was deleted", { tags: "slow" }, async () => {
    await crashAt("update");
    unlinkSync(join(records, readdirSync(records).find((found) => found.includes("."))!));
    const environment = openLocalEnvironment({ workspace, changeRecords: records });
    const add = (path: string) => ({ path, before: "nothing", after: Buffer.from("new") });
    await environment.change([add("one"), add("two")]);
    expect([environment.recovered, readdirSync(records)]).toEqual([[], []]);
    await environment.close();
  });

  it("is recovered by exactly one of many processes that start at once", { tags: "slow" }, async () => {
    await crashAt("update");
    const starts = Array.from({ length: 4 }, () => {
      const child = spawn(process.execPath, [changer, home, "recover", "{}"], {
        stdio: ["ignore", "ignore", "inherit"],
      });
      return once(child, "exit");
    });
    expect((await Promise.all(starts)).map(([code]) => code)).toEqual([0, 0, 0, 0]);
    expect(await recover()).toEqual([]);
    expect(readFileSync(at("new/to"), "utf8")).toBe("moved");
  });

  it("is ignored by other workspaces, as are torn and forged records", { tags: "slow" }, async () => {
    await crashAt("update");
    const name = readdirSync(records).find((found) => found.includes("."))!;
    const record = readFileSync(join(records, name), "utf8");
    const other = openLocalEnvironment({ workspace: records, changeRecords: records });
    expect(other.recovered).toEqual([]);
    await other.close();
    expect(await recover()).toHaveLength(1);
    const settled = snapshot(workspace);
    const dead = name.slice(name.indexOf("."));
    writeFileSync(join(records, `torn${dead}`), record.slice(0, 200));
    writeFileSync(join(records, `forged${dead}`), record.replaceAll(`"a/`, `"../outside/`));
    const ids = record.replaceAll(/"id":"/g, `"id":"/../../`);
    writeFileSync(join(records, `named${dead}`), ids);
    expect(await recover()).toEqual([]);
    expect([readdirSync(records), snapshot(workspace)]).toEqual([[], settled]);
  });
});
