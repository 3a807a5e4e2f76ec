import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { IgnoreFileOutside } from "../../contract/environment.ts";
import { ignoreFilesOutside } from "./ignore-files-outside.ts";

const folders: string[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true });
});

function writeFolder(files: Readonly<Record<string, string>>): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "toolcrib outside ")));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), content);
  }
  return folder;
}

/** Files above the folder itself do not count. */
function found(folder: string, variables: Readonly<Record<string, string>> = {}): IgnoreFileOutside[] {
  const env = { XDG_CONFIG_HOME: undefined, HOME: path.join(folder, "home"), ...variables };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const below = path.basename(folder);
  return ignoreFilesOutside(path.join(folder, "repo/a/workspace")).filter(
    ({ workspace }) => !workspace.includes(below),
  );
}

describe("ignoreFilesOutside", () => {
  it("returns ignore files above the workspace, nearest first, and git's only up to the repository", () => {
    const folder = writeFolder({
      ".gitignore": "far",
      ".ignore": "anywhere",
      "repo/.git/info/exclude": "excluded",
      "repo/.gitignore": "near",
      "repo/a/.rgignore": "nearest",
      "repo/a/workspace/.gitignore": "inside",
    });
    expect(found(folder)).toEqual([
      { name: ".rgignore", workspace: "workspace", text: "nearest" },
      { name: ".gitignore", workspace: "a/workspace", text: "near" },
      { name: "exclude", workspace: "a/workspace", text: "excluded" },
      { name: ".ignore", workspace: "repo/a/workspace", text: "anywhere" },
    ]);
  });

  it("finds a repository even when it excludes nothing", () => {
    const folder = writeFolder({ "repo/.git/HEAD": "" });
    expect(found(folder)).toEqual([{ name: "exclude", workspace: "a/workspace", text: "" }]);
  });

  it.each<[string, Record<string, string>, Record<string, string>]>([
    ["in the default location", { "home/.config/git/ignore": "mine" }, {}],
    ["below XDG_CONFIG_HOME", { "settings/git/ignore": "mine" }, { XDG_CONFIG_HOME: "settings" }],
    [
      "named in ~/.gitconfig",
      { "home/.gitconfig": "[core]\n\texcludesFile = ~/mine\n", "home/mine": "mine" },
      {},
    ],
    [
      "named in ~/.config/git/config",
      { "home/.config/git/config": '[core]\nexcludesfile = "~/mine"\n', "home/mine": "mine" },
      {},
    ],
  ])("finds the user's ignore file %s", (_, files, variables) => {
    const folder = writeFolder(files);
    const absolute = Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, path.join(folder, value)]),
    );
    expect(found(folder, absolute)).toEqual([{ name: "global", workspace: "", text: "mine" }]);
  });
});
