import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { ToolError } from "../contract/error.ts";
import {
  appendToPolicyFile,
  FileStamps,
  mayExist,
  policyFiles,
  readPolicyFile,
  removePolicyFile,
  writePolicyFile,
} from "./policy-files.ts";

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

function failure(work: () => unknown): { code: string; message: string; hint: string | undefined } {
  try {
    work();
  } catch (error) {
    const { code, message, hint } = error as ToolError;
    return { code, message, hint };
  }
  throw new Error("It did not fail");
}

it("keeps the files of each workspace separate, below the config directory", () => {
  const names = ["/home/ada/project", "/srv/project"].map((workspace) => policyFiles("/config", workspace));
  expect(names).toEqual([
    {
      user: "/config/rules",
      granted: "/config/workspaces/project-5da0b7cbcfb32350/rules",
      trust: "/config/workspaces/project-5da0b7cbcfb32350/trust.json",
      servers: "/config/mcp.json",
      serversTrust: "/config/workspaces/project-5da0b7cbcfb32350/mcp-trust.json",
      configTrust: "/config/workspaces/project-5da0b7cbcfb32350/config-trust.json",
    },
    {
      user: "/config/rules",
      granted: "/config/workspaces/project-91785e23679e265f/rules",
      trust: "/config/workspaces/project-91785e23679e265f/trust.json",
      servers: "/config/mcp.json",
      serversTrust: "/config/workspaces/project-91785e23679e265f/mcp-trust.json",
      configTrust: "/config/workspaces/project-91785e23679e265f/config-trust.json",
    },
  ]);
});

it("keeps the old rules when the disk is full", { tags: "slow" }, async () => {
  await using folder = temporaryFolder();
  const file = join(folder.path, "rules");
  writePolicyFile(file, "old\n");
  const module = new URL("policy-files.ts", import.meta.url).href;
  const script = `
    import { writePolicyFile } from ${JSON.stringify(module)};
    try { writePolicyFile(process.argv[1], "new\\n".repeat(10_000)); }
    catch (error) { process.stdout.write(error.code); }`;
  // A limit on the size of files fails like a full disk: it takes what fits, and refuses the rest.
  const words = ["-c", `trap "" XFSZ; ulimit -f 8; exec "$0" "$@"`, process.execPath];
  const output = execFileSync("bash", [...words, "--input-type=module", "-e", script, file], {
    encoding: "utf8",
  });
  expect([output, readPolicyFile(file), readdirSync(folder.path)]).toEqual([
    "unavailable",
    "old\n",
    ["rules"],
  ]);
});

it("writes files and folders for their owner only, and leaves no other files", async () => {
  await using folder = temporaryFolder();
  const file = join(folder.path, "config", "workspaces", "a", "rules");
  writePolicyFile(file, "one\n");
  await appendToPolicyFile(file, ["two", "three"]);
  expect(readPolicyFile(file)).toBe("one\ntwo\nthree\n");
  expect([file, join(file, ".."), join(folder.path, "config")].map(modeOf)).toEqual(["600", "700", "700"]);
  expect(readdirSync(join(file, ".."))).toEqual(["rules"]);
  expect([removePolicyFile(file), removePolicyFile(file)]).toEqual([true, false]);
});

it("adds a missing newline at the end before it appends", async () => {
  await using folder = temporaryFolder();
  const file = join(folder.path, "rules");
  writeFileSync(file, "allow run ls");
  await appendToPolicyFile(file, ["allow run pwd"]);
  expect(readFileSync(file, "utf8")).toBe("allow run ls\nallow run pwd\n");
});

it("loses nothing when many processes add lines at once", async () => {
  await using folder = temporaryFolder();
  const file = join(folder.path, "rules");
  const lines = Array.from({ length: 20 }, (_, index) => `allow run echo ${index}`);
  await Promise.all(lines.map((line) => appendToPolicyFile(file, [line])));
  expect(readFileSync(file, "utf8").trimEnd().split("\n").sort()).toEqual(lines.sort());
});

it("takes over the lock of a dead process", async () => {
  await using folder = temporaryFolder();
  const file = join(folder.path, "rules");
  writeFileSync(`${file}.lock`, "");
  utimesSync(`${file}.lock`, 0, 0);
  await appendToPolicyFile(file, ["allow run ls"]);
  expect([readFileSync(file, "utf8"), readdirSync(folder.path)]).toEqual(["allow run ls\n", ["rules"]]);
});

it("follows a link, and returns undefined for a missing file", async () => {
  await using folder = temporaryFolder();
  writeFileSync(join(folder.path, "dotfiles"), "deny run rm **\n");
  symlinkSync("dotfiles", join(folder.path, "rules"));
  expect(["rules", "none", "none/rules"].map((name) => readPolicyFile(join(folder.path, name)))).toEqual([
    "deny run rm **\n",
    undefined,
    undefined,
  ]);
});

it("does not treat a dangling link, or a file in place of the folder, as missing rules", async () => {
  await using folder = temporaryFolder();
  symlinkSync("dotfiles/rules", join(folder.path, "rules"));
  writeFileSync(join(folder.path, "config"), "");
  for (const name of ["rules", "config/rules"])
    expect(() => readPolicyFile(join(folder.path, name))).toThrow("cannot be read");
});

it("detects quickly that a path cannot exist", async () => {
  await using folder = temporaryFolder();
  writeFileSync(join(folder.path, "file"), "");
  symlinkSync("nowhere", join(folder.path, "dangling"));
  const names = ["file", "dangling", "none", "none/below"];
  expect(names.map((name) => mayExist(join(folder.path, name)))).toEqual([true, true, false, false]);
});

it("never treats an unreadable file as empty", { tags: "root" }, async () => {
  await using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  mkdirSync(at("directory"));
  execFileSync("mkfifo", [at("fifo")]);
  writeFileSync(at("latin1"), Buffer.from("# caf\xe9\n", "latin1"));
  writeFileSync(at("large"), Buffer.alloc(1024 * 1024 + 1, "#"));
  writeFileSync(at("forbidden"), "deny run rm **\n");
  chmodSync(at("forbidden"), 0);
  const reasons = {
    directory: "it is not a regular file",
    fifo: "it is not a regular file",
    latin1: "The encoded data was not valid for encoding utf-8",
    large: "it has 1048577 bytes; the limit is 1048576",
  };
  for (const [name, reason] of Object.entries(reasons)) {
    expect(failure(() => readPolicyFile(at(name)))).toEqual({
      code: "unavailable",
      message: `${at(name)} cannot be read: ${reason}`,
      hint: "Make the file readable, or remove it.",
    });
  }
  // Root can read it anyway.
  if (process.getuid?.() === 0) expect(readPolicyFile(at("forbidden"))).toBe("deny run rm **\n");
  else expect(failure(() => readPolicyFile(at("forbidden"))).code).toBe("unavailable");
});

it("notices files that change, disappear, or appear in folders that did not exist, but no folders", async () => {
  await using folder = temporaryFolder();
  const paths = ["rules", "below/rules", "below/deeper/trust.json"].map((name) => join(folder.path, name));
  const [top = "", below = "", deeper = ""] = paths;
  const stamps = new FileStamps(paths);
  const changes = (act: () => void): boolean => {
    const wasSame = stamps.areSame;
    act();
    const isSame = stamps.areSame;
    if (!isSame) stamps.note();
    return wasSame && !isSame;
  };
  expect([
    changes(() => writeFileSync(top, "deny use web.fetch")),
    changes(() => mkdirSync(join(folder.path, "below/deeper"), { recursive: true })),
    changes(() => writeFileSync(deeper, "{}")),
    changes(() => writeFileSync(below, "")),
    changes(() => writeFileSync(below, "ask use web.fetch")),
    changes(() => rmSync(join(folder.path, "below"), { recursive: true })),
    stamps.areSame,
  ]).toEqual([true, false, true, true, true, true, true]);
});
