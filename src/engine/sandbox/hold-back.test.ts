import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { acceptChanges } from "./accepted-changes.ts";
import { type HeldCommand, HoldBack } from "./hold-back.ts";
import { Quarantine } from "./quarantine.ts";

const protectedNames = [".envrc", ".vscode", ".github/workflows"];
const protectedGlobs = ["lefthook.*", ".cargo/config*", ".venv/bin/activate*"];

function fixture() {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  const records = join(folder.path, "state/held");
  mkdirSync(workspace);
  const quarantine = new Quarantine({ folder: join(folder.path, "state/quarantine"), workspace });
  const holdBack = new HoldBack({ workspace, folder: records, quarantine });
  const at = (path: string) => join(workspace, path);
  return {
    ...{ workspace, quarantine, holdBack, at, records },
    put: (path: string, content = "") => {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content);
    },
    read: (path: string) => readFileSync(at(path), "utf8"),
    begin: ({
      repositories = [],
      files = [],
      lifted = [],
    }: Partial<Record<"repositories" | "files" | "lifted", readonly string[]>> = {}): HeldCommand => {
      const names = protectedNames.filter((name) => !lifted.includes(name));
      const absent = [
        ...names.map((name) => ({ path: at(name), kind: "file" as const })),
        ...protectedGlobs.map((name) => ({ path: at(name), kind: "names" as const })),
      ];
      const { plan } = holdBack.plan({
        workspace,
        repositories: repositories.map(at),
        paths: [at(".git/commondir")],
        readOnly: files.map(at),
        confinement: { absent, lifted: lifted.map(at), isReadOnly: () => true },
      });
      return holdBack.begin(plan);
    },
    /** The paths that were taken. */
    held: () => quarantine.list().map(({ path }) => path.slice(workspace.length + 1)),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

it("takes protected names that a command creates, and leaves everything else", async () => {
  await using own = fixture();
  own.put(".github/dependabot.yml", "stays");
  const command = own.begin();
  for (const path of [".envrc", ".vscode/tasks.json", ".github/workflows/x.yml", "lefthook.yml"])
    own.put(path);
  for (const path of [".cargo/config.toml", ".cargo/other", ".venv/bin/activate", "src/.envrc"])
    own.put(path);
  const remarks = command.end();
  expect([own.held().sort(), readdirSync(own.workspace).sort(), remarks, command.end()]).toEqual([
    [".cargo/config.toml", ".envrc", ".github/workflows", ".vscode", "lefthook.yml"],
    [".cargo", ".github", ".venv", "src"],
    [
      expect.stringMatching(
        /^Held back, .*: \.envrc \(\w{6}\), .* and 2 more\. Only the user .*allow write \.envrc, allow write \.vscode\/\*\*/,
      ),
    ],
    [],
  ]);
  expect([readdirSync(own.at(".github")), readdirSync(own.at(".cargo")), readdirSync(own.records)]).toEqual([
    ["dependabot.yml"],
    ["other"],
    [],
  ]);
});

it("takes them at the top of other repositories, too", async () => {
  await using own = fixture();
  own.put("lib/one/file");
  const command = own.begin({ repositories: ["lib/one/.git"] });
  own.put("lib/one/.envrc");
  own.put("lib/.envrc");
  command.end();
  expect(own.held()).toEqual(["lib/one/.envrc"]);
});

const decoys = Array.from({ length: 100 }, (_, index) => `decoy${index}`);

it("prefers the oldest repositories when there are too many", async () => {
  await using own = fixture();
  const bornAt = (path: string) => lstatSync(own.at(path)).birthtimeMs;
  own.put("lib/one/.git/HEAD");
  own.put("later/file");
  while (bornAt("later") === bornAt("lib/one/.git")) {
    rmSync(own.at("later"), { recursive: true });
    await setTimeout(1);
    own.put("later/file");
  }
  for (const name of decoys) own.put(`${name}/.git/HEAD`);
  const command = own.begin({ repositories: [...decoys, "lib/one"].map((name) => `${name}/.git`) });
  own.put("lib/one/.envrc");
  command.end();
  expect(own.held()).toEqual(["lib/one/.envrc"]);
});

it("prefers a repository from before to old directories that a command renames to `.git`", async () => {
  await using own = fixture();
  for (const name of decoys) own.put(`${name}/old/HEAD`);
  own.put("lib/one/.git/HEAD");
  own.begin({ repositories: ["lib/one/.git"] }).end();
  for (const name of decoys) renameSync(own.at(`${name}/old`), own.at(`${name}/.git`));
  const command = own.begin({ repositories: [...decoys, "lib/one"].map((name) => `${name}/.git`) });
  own.put("lib/one/.envrc");
  command.end();
  expect(own.held()).toEqual(["lib/one/.envrc"]);
});

it("leaves what was there before", async () => {
  await using own = fixture();
  own.put(".envrc", "mine");
  own.put("lefthook.yml", "mine");
  const command = own.begin();
  own.put(".envrc", "changed in place");
  expect([command.end(), own.held()]).toEqual([[], []]);
});

it("takes an entry of any kind, and a directory that was renamed", async () => {
  await using own = fixture();
  own.put("config/tasks.json");
  const command = own.begin();
  renameSync(own.at("config"), own.at(".vscode"));
  symlinkSync("nothing", own.at(".envrc"));
  symlinkSync("..", own.at(".github"));
  own.put("../workflows/x.yml");
  command.end();
  expect([own.held().sort(), lstatSync(own.quarantine.list()[0]!.at) !== undefined]).toEqual([
    [".envrc", ".github", ".vscode"],
    true,
  ]);
  expect(existsSync(own.at("../workflows/x.yml"))).toBe(true);
});

it("protects a path behind a link at its target, and keeps the link", async () => {
  await using own = fixture();
  mkdirSync(own.at("settings"));
  symlinkSync("settings/env", own.at(".envrc"));
  symlinkSync("settings", own.at(".github"));
  const command = own.begin();
  own.put("settings/env", "evil");
  own.put("settings/workflows/x.yml", "evil");
  rmSync(own.at(".envrc"));
  own.put(".envrc", "evil");
  command.end();
  expect([own.held().sort(), readlinkSync(own.at(".envrc")), readdirSync(own.at("settings"))]).toEqual([
    [".envrc", "settings/env", "settings/workflows"],
    "settings/env",
    [],
  ]);
});

it("leaves a file that changed in place, and puts one back that was replaced", async () => {
  await using own = fixture();
  own.put(".envrc", "before");
  own.put("lefthook.yml", "before");
  const command = own.begin({ files: [".envrc", "lefthook.yml"] });
  own.put("lefthook.yml", "saved in place");
  own.put("draft", "saved by rename");
  renameSync(own.at("draft"), own.at(".envrc"));
  const first = command.settle();
  const restored = [own.read(".envrc"), own.read("lefthook.yml")];
  own.put(".envrc", "changed by the command, which no mount prevents any more");
  const second = command.end();
  expect([restored, own.read(".envrc"), own.held(), first.length, second.length]).toEqual([
    ["before", "saved in place"],
    "before",
    [".envrc", ".envrc"],
    1,
    1,
  ]);
  const { quarantine } = own;
  const saved = quarantine.list().find((held) => quarantine.show(held)[0]?.text === "saved by rename");
  rmSync(own.at(".envrc"));
  quarantine.allow(saved!);
  expect(own.read(".envrc")).toBe("saved by rename");
});

it("leaves a file missing that was removed outside, and takes what a command puts there", async () => {
  await using own = fixture();
  own.put(".envrc", "before");
  const command = own.begin({ files: [".envrc"] });
  rmSync(own.at(".envrc"));
  const removed = command.settle();
  const isMissing = !existsSync(own.at(".envrc"));
  own.put(".envrc", "evil");
  command.end();
  expect([removed, isMissing, own.held(), own.read(".envrc")]).toEqual([[], true, [".envrc"], "before"]);
});

it("leaves changes of file tools and of commands that may make them", async () => {
  await using own = fixture();
  const command = own.begin();
  const allowed = own.begin({ lifted: [".envrc"] });
  own.put(".vscode/settings.json", "by a tool");
  acceptChanges(own.records, [own.at(".vscode/settings.json")]);
  own.put(".vscode/tasks.json", "by the command");
  own.put(".envrc", "by the other");
  const remarks = command.settle();
  allowed.end();
  expect([own.held(), remarks.length, command.end(), own.read(".envrc")]).toEqual([
    [".vscode/tasks.json"],
    1,
    [],
    "by the other",
  ]);
  own.put(".envrc", "later");
  expect(readdirSync(own.records)).toEqual(["accepted"]);
  expect(readdirSync(join(own.records, "accepted"))).toEqual([]);
});

it("takes a file that changed after a file tool wrote it", async () => {
  await using own = fixture();
  const command = own.begin();
  own.put(".envrc", "by a tool");
  acceptChanges(own.records, [own.at(".envrc")]);
  own.put(".envrc", "by the command");
  command.end();
  expect(own.held()).toEqual([".envrc"]);
});

it("looks while a command runs, and ends one that redirects git", { tags: "slow" }, async () => {
  await using own = fixture();
  mkdirSync(own.at(".git"));
  const command = own.begin();
  let [kills, looks] = [0, 0];
  command.watch(
    () => (kills += 1),
    () => (looks += 1),
  );
  own.put(".envrc");
  while (own.held().length === 0) await setTimeout(10);
  const before = kills;
  own.put(".git/commondir", "../evil");
  while (kills === 0) await setTimeout(1);
  expect([before, kills, looks > 1, own.held().sort(), command.end().length]).toEqual([
    0,
    1,
    true,
    [".envrc", ".git/commondir"],
    3,
  ]);
});

it("takes what commands have left whose process was killed", async () => {
  await using own = fixture();
  own.begin();
  own.put(".envrc");
  const [record] = readdirSync(own.records);
  const running = own.holdBack.settleAbandoned();
  // A process with this id and start time does not exist.
  renameSync(join(own.records, record!), join(own.records, "1-1-1-1.abc"));
  const remarks = own.holdBack.settleAbandoned();
  expect([running, remarks.length, remarks[0]?.startsWith("After a crash: Held back"), own.held()]).toEqual([
    [],
    1,
    true,
    [".envrc"],
  ]);
});
