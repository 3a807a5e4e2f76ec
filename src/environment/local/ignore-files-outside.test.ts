import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { IgnoreFileOutside } from "../../contract/environment.ts";

const folders: string[] = [];
afterEach(() => {
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

/** In a separate process, because the home is a property of the process. Files above the folder itself do not count. */
function ignoreFilesOutside(
  folder: string,
  variables: Readonly<Record<string, string>> = {},
): IgnoreFileOutside[] {
  const module = new URL("./ignore-files-outside.ts", import.meta.url).href;
  const script = `
    const { ignoreFilesOutside } = await import(${JSON.stringify(module)});
    console.log(JSON.stringify(ignoreFilesOutside(${JSON.stringify(path.join(folder, "repo/a/workspace"))})));`;
  const env = { HOME: path.join(folder, "home"), ...variables };
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
    env,
    encoding: "utf8",
  });
  const below = path.basename(folder);
  const found = JSON.parse(output) as IgnoreFileOutside[];
  return found.filter(({ workspace }) => !workspace.includes(below));
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
    expect(ignoreFilesOutside(folder)).toEqual([
      { name: ".rgignore", workspace: "workspace", text: "nearest" },
      { name: ".gitignore", workspace: "a/workspace", text: "near" },
      { name: "exclude", workspace: "a/workspace", text: "excluded" },
      { name: ".ignore", workspace: "repo/a/workspace", text: "anywhere" },
    ]);
  });

  it("finds a repository even when it excludes nothing", () => {
    const folder = writeFolder({ "repo/.git/HEAD": "" });
    expect(ignoreFilesOutside(folder)).toEqual([{ name: "exclude", workspace: "a/workspace", text: "" }]);
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
    expect(ignoreFilesOutside(folder, absolute)).toEqual([{ name: "global", workspace: "", text: "mine" }]);
  });
});
