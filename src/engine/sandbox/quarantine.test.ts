import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { ToolError } from "../../contract/error.ts";
import { pinRealPath } from "../../system/pinned-path.ts";
import { Quarantine } from "./quarantine.ts";

function fixture() {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  mkdirSync(workspace);
  const quarantine = new Quarantine({ folder: join(folder.path, "state/quarantine"), workspace });
  const at = (path: string) => join(workspace, path);
  return {
    quarantine,
    at,
    put: (path: string, content = "") => {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content);
    },
    take: (path: string) => {
      const parent = pinRealPath(dirname(at(path)))!;
      try {
        return quarantine.take(parent, basename(path), at(path));
      } finally {
        parent.close();
      }
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

function failure(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof ToolError) return error.code;
    throw error;
  }
  return "nothing failed";
}

it("keeps what it takes, and gives exactly that back once", async () => {
  await using own = fixture();
  own.put(".vscode/tasks.json", "run");
  own.put(".vscode/deep/empty", "");
  symlinkSync("tasks.json", own.at(".vscode/link"));
  const held = own.take(".vscode");
  const isGone = !existsSync(own.at(".vscode"));
  own.quarantine.allow(own.quarantine.find(held.id)!);
  expect([
    isGone,
    held.kind,
    own.quarantine.show(held).map(({ path, text }) => [path, text]),
    readdirSync(own.at(".vscode")).sort(),
    readFileSync(own.at(".vscode/tasks.json"), "utf8"),
    readlinkSync(own.at(".vscode/link")),
    failure(() => own.quarantine.allow(held)),
    readdirSync(own.at(".")),
  ]).toEqual([
    true,
    "directory",
    [
      ["", null],
      ["deep", null],
      ["deep/empty", ""],
      ["link", null],
      ["tasks.json", "run"],
    ],
    ["deep", "link", "tasks.json"],
    "run",
    "tasks.json",
    "stale",
    [".vscode"],
  ]);
});

it("lists what it holds, with what was allowed", async () => {
  await using own = fixture();
  own.put(".envrc", "one");
  const first = own.take(".envrc");
  own.put(".envrc", "two");
  const second = own.take(".envrc");
  own.quarantine.allow(second);
  const listed = own.quarantine.list().map(({ id, allowedAt }) => [id, allowedAt !== null]);
  expect(Object.fromEntries(listed)).toEqual({ [first.id]: false, [second.id]: true });
  expect(own.quarantine.find("../x")).toBeUndefined();
});

it("applies no bytes that have changed since", async () => {
  await using own = fixture();
  own.put("other", "good");
  linkSync(own.at("other"), own.at(".envrc"));
  const held = own.take(".envrc");
  own.put("other", "evil");
  expect([failure(() => own.quarantine.allow(held)), existsSync(own.at(".envrc"))]).toEqual(["stale", false]);
});

it("replaces nothing that has come to exist, except the file that was put back", async () => {
  await using own = fixture();
  own.put(".mcp.json", "theirs");
  const held = own.take(".mcp.json");
  own.put(".mcp.json", "mine");
  const refused = failure(() => own.quarantine.allow(held));
  own.put(".mcp.json", "before");
  own.quarantine.noteReturned(held, Buffer.from("before"));
  own.quarantine.allow(own.quarantine.find(held.id)!);
  expect([refused, readFileSync(own.at(".mcp.json"), "utf8")]).toEqual(["already-exists", "theirs"]);
});

it("takes links, large files and closed directories, and applies no large file", async () => {
  await using own = fixture();
  symlinkSync("/etc", own.at(".husky"));
  own.put(".gitlab-ci.yml");
  truncateSync(own.at(".gitlab-ci.yml"), 1e12);
  mkdirSync(own.at(".idea"), { mode: 0 });
  const held = [".husky", ".gitlab-ci.yml", ".idea"].map(own.take);
  expect([
    held.map(({ kind }) => kind),
    lstatSync(held[1]!.at).size,
    failure(() => own.quarantine.allow(held[1]!)),
    readdirSync(own.at(".")),
  ]).toEqual([["link", "file", "directory"], 1e12, "unsupported", []]);
});
