import { readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { watchGitSettings } from "./git-repair.ts";

const before = '[core]\n\tbare = false\n\tpager = less\n[remote "a"]\n\turl = https://a.test/a\n';

/** Whether a repair was reported, the settings afterwards, and the number of kept copies. */
async function afterReplacing(change: (config: string, draft: string) => void) {
  await using folder = temporaryFolder();
  const config = join(folder.path, "config");
  writeFileSync(config, before);
  const settle = watchGitSettings(config);
  change(config, join(folder.path, "config.lock"));
  const remark = settle();
  const again = settle();
  const kept = readdirSync(folder.path).filter((name) => name.startsWith("config.replaced-"));
  return { hasRemark: remark !== "", again, text: readFileSync(config, "utf8"), kept: kept.length };
}

function replacing(text: string) {
  return afterReplacing((config, draft) => {
    writeFileSync(draft, text);
    renameSync(draft, config);
  });
}

describe.skipIf(process.platform !== "linux")("replaced git settings", () => {
  it.each([
    ["the same content", before],
    ["a name", `${before}[user]\n\tname = bob\n`],
    ["a branch", `${before}[branch "b.c"]\n\tremote = a\n\tmerge = refs/heads/b\n`],
    ["a remote", `${before}[remote "b"]\n\turl = git@b.test:b\n\tfetch = +refs/heads/*:refs/remotes/b/*\n`],
    ["fewer settings", "[core]\n\tbare = false\n"],
  ])("are kept with %s", async (_, text) => {
    expect(await replacing(text)).toEqual({ hasRemark: false, again: "", text, kept: 0 });
  });

  it.each([
    ["a program", `${before}[core] fsmonitor = evil\n`],
    ["a program in git's own format", `${before}[core]\n\tfsmonitor = evil\n`],
    ["another value of a program", before.replace("less", "evil")],
    ["two sections in a line", `${before}[user] [core]\n\tfsmonitor = evil\n`],
    ["a line continuation", `${before}[user]\n\tname = a\\\n[core]\n`],
    ["another address", before.replace("a.test", "b.test")],
    ["one more address", `${before}\tpushurl = https://b.test/a\n`],
    ["a branch with another remote", `${before}[branch "b"]\n\tremote = https://b.test/a\n`],
    ["a name that looks like a setting", `${before}[remote "b.url = "]\n\tuploadpack = evil\n`],
    ["an address that is a program", before.replace("https://a.test/a", "ext::sh -c evil")],
    ["a section in a name", `${before}[branch "x"]\n\tremote = a\n[include]\n\tpath = ../evil\n`],
    ["another spelling", `${before}[CORE]\n\tFsMonitor = evil\n`],
    ["binary content", "\0"],
  ])("are restored with %s", async (_, text) => {
    expect(await replacing(text)).toEqual({ hasRemark: true, again: "", text: before, kept: 1 });
  });

  it("are restored when a link replaces them", async () => {
    const outcome = await afterReplacing((config, draft) => {
      symlinkSync("/etc/passwd", draft);
      renameSync(draft, config);
    });
    expect(outcome).toEqual({ hasRemark: true, again: "", text: before, kept: 1 });
  });

  it("are kept when the file was written in place, which is impossible in a sandbox", async () => {
    const text = `${before}[core]\n\tfsmonitor = mine\n`;
    const outcome = await afterReplacing((config) => writeFileSync(config, text));
    expect(outcome).toEqual({ hasRemark: false, again: "", text, kept: 0 });
  });
});
