import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { plainSettings } from "./git-config.ts";
import { pathsNamedBy } from "./named-paths.ts";
import { readCommand } from "./read-command.ts";

function writtenBy(command: string): readonly string[] {
  return readCommand(command)
    .commands.flatMap((simple) => pathsNamedBy(simple, "/home/ada"))
    .flatMap(({ kind, path }) => (kind === "write" ? [path] : []));
}

describe("git config", () => {
  it.each([
    "--get core.pager",
    "--list",
    "list --show-origin",
    "get --all core.pager",
    "-f x --get core.pager",
    "core.pager",
    "user.name Ada",
    "set user.name Ada",
    "--local USER.Name 'Ada Lovelace'",
    "set --append remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*'",
    "--add remote.a.b.url https://example.com/a.git",
    "branch.main.merge refs/heads/main",
    "submodule.x.url ../x",
    "pull.rebase true",
    "--bool color.ui false",
    "--type=bool rerere.enabled true",
  ])("does not write .git/config for what cannot run a program: %s", (words) => {
    expect(writtenBy(`git config ${words}`)).toEqual([]);
  });

  it.each([
    "core.pager less",
    "set core.pager less",
    "core.fsmonitor ./x",
    "core.fsmonitor ./x --get",
    "core.fsmonitor get",
    "core.fsmonitor list",
    "core.hooksPath hooks",
    "core.sshCommand ./x",
    "merge.x.driver ./x",
    "merge.tool x",
    "MERGE.x.Driver ./x",
    "set merge.x.driver ./x",
    "merge.x.name 'x'",
    "remote.origin.uploadpack ./x",
    "remote.origin.receivepack ./x",
    "remote.origin.vcs x",
    "remote.origin.proxy x",
    "remote.origin.url 'ext::sh -c x'",
    "remote.origin.pushurl ext::x",
    "-- remote.origin.url --upload-pack=x",
    "remote.origin.url -x",
    "branch.main.remote ext::x",
    "branch.main.mergeoptions -sx",
    "submodule.x.update '!./x'",
    "submodule.x.update merge",
    "submodule.x.url ext::x",
    "rebase.instructionFormat x",
    "sequence.editor x",
    "user.name '!x'",
    "user.name $X",
    "user.name a b",
    "$KEY value",
    "alias.x '!make'",
    "include.path x",
    "includeIf.onbranch:x.path x",
    "url.x.insteadOf https://",
    "credential.helper x",
    "gpg.program x",
    "filter.x.clean x",
    "diff.x.textconv x",
    "extensions.worktreeConfig true",
    "--worktree user.name Ada",
    "-f x user.name Ada",
    "--rename-section color.x merge.x",
    "rename-section color.x merge.x",
  ])("writes .git/config: %s", (words) => {
    expect(writtenBy(`git config ${words}`)).toEqual([".git/config"]);
  });

  it("writes the settings of the user for any key", () => {
    expect(writtenBy("git config --global user.name Ada; git config set --global user.name Ada")).toEqual([
      "/home/ada/.gitconfig",
      "/home/ada/.gitconfig",
    ]);
  });

  it("takes as harmless only what the sandbox takes as harmless", () => {
    const service = readFileSync(new URL("../../sandbox/git/git-service.pl", import.meta.url), "utf8");
    const families = /my %families = \(([\s\S]*?)\n\);/.exec(service)![1]!;
    const known = [...families.matchAll(/(\w+) => "([^"]+)"/g)].flatMap(([, section, names]) =>
      names!.split(" ").map((name) => `${section}.${name}`),
    );
    expect(known.length).toBeGreaterThan(50);
    expect([...plainSettings].filter((name) => !known.includes(name))).toEqual([]);
  });
});
