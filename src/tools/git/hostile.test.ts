import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type GitFixture,
  type GitFixtureOptions,
  openGitFixture,
  type Worktree,
} from "../../../test/support/git-tools/git-fixture.ts";

/** Every call that reads; each touches files, history and objects. */
const readings: readonly (readonly [string, object])[] = [
  ["git.status", {}],
  ["git.diff", {}],
  ["git.diff", { staged: true }],
  ["git.diff", { commit: "HEAD~1" }],
  ["git.diff", { commit: "HEAD~1..HEAD", stat: true }],
  ["git.log", { stat: true }],
  ["git.log", { path: "a.txt" }],
  ["git.show", { revision: "HEAD" }],
  ["git.show", { revision: "HEAD~1", path: "a.txt" }],
  ["git.show", { revision: "HEAD", path: "." }],
  ["git.blame", { path: "a.txt" }],
];

/** Without a sandbox, so that only the git settings prevent a payload from running. */
async function openVictim({ sandbox = "none" }: GitFixtureOptions = {}): Promise<GitFixture> {
  const files = { "a.txt": "one\n", "b.txt": "two\n" };
  return openGitFixture({ files, prepare: commitAndStage, sandbox });
}

function commitAndStage({ git, write }: Worktree): void {
  write({ "a.txt": "one\nmore\n" });
  git("commit", "-q", "-a", "-m", "Second");
  write({ "a.txt": "one\nmore\nand more\n", "b.txt": "staged\n" });
  git("add", "b.txt");
}

async function readWith(opened: GitFixture, calls: typeof readings): Promise<void> {
  for (const [tool, input] of calls) await opened.call(tool, input);
}

/** The calls that run the git command that falls; all of them if there is none. */
function readingsLike(falls: Attack["falls"]): typeof readings {
  if (falls === undefined) return readings;
  return readings.filter(([tool]) => tool === `git.${falls[0]}`);
}

/** What payloads have written since the last check. */
function ran(opened: GitFixture): string {
  const file = join(opened.home, "ran");
  const outputs = existsSync(file) ? readFileSync(file, "utf8") : "";
  rmSync(file, { force: true });
  return outputs;
}

/** Plain git, as an unsuspecting user runs it: the payload works. */
function carelessly(opened: GitFixture, ...args: string[]): boolean {
  try {
    execFileSync("git", args, {
      cwd: opened.workspace,
      stdio: "pipe",
      env: { PATH: process.env.PATH },
      timeout: 20_000,
    });
  } catch {
    // Only the programs that ran matter.
  }
  return ran(opened) !== "";
}

function setting({ configure }: GitFixture, key: string, value: string): void {
  configure({ [key]: value });
}

/** Makes the file look changed, so that git reads it again. */
function touch(opened: GitFixture, path: string): void {
  utimesSync(join(opened.workspace, path), new Date(0), new Date(0));
}

interface Attack {
  readonly prepare: (opened: GitFixture, payload: string) => void;
  /** A git command that runs the payload. Undefined if that needs a terminal or a network. */
  readonly falls?: readonly string[];
}

const attacks: Readonly<Record<string, Attack>> = {
  "core.fsmonitor": {
    prepare: (opened, payload) => setting(opened, "core.fsmonitor", payload),
    falls: ["status"],
  },
  "a hook in .git/hooks": {
    prepare: (opened) => {
      mkdirSync(join(opened.workspace, ".git/hooks"), { recursive: true });
      for (const name of [
        "post-index-change",
        "post-checkout",
        "reference-transaction",
        "fsmonitor-watchman",
      ])
        symlinkSync(join(opened.home, "payload"), join(opened.workspace, ".git/hooks", name));
      touch(opened, "b.txt");
    },
    falls: ["status"],
  },
  "core.hooksPath": {
    prepare: (opened) => {
      opened.write({ "hooks/post-index-change": readFileSync(join(opened.home, "payload"), "utf8") });
      chmodSync(join(opened.workspace, "hooks/post-index-change"), 0o755);
      setting(opened, "core.hooksPath", join(opened.workspace, "hooks"));
      touch(opened, "b.txt");
    },
    falls: ["status"],
  },
  "diff.external": {
    prepare: (opened, payload) => setting(opened, "diff.external", payload),
    falls: ["diff"],
  },
  "a diff driver with a command": {
    prepare: (opened, payload) => {
      opened.write({ ".gitattributes": "* diff=evil\n" });
      setting(opened, "diff.evil.command", payload);
    },
    falls: ["diff"],
  },
  "a diff driver with textconv": {
    prepare: (opened, payload) => {
      opened.write({ ".gitattributes": "* diff=evil\n" });
      setting(opened, "diff.evil.textconv", payload);
    },
    falls: ["diff"],
  },
  "textconv in blame": {
    prepare: (opened, payload) => {
      opened.write({ ".gitattributes": "* diff=evil\n" });
      setting(opened, "diff.evil.textconv", payload);
    },
    falls: ["blame", "a.txt"],
  },
  "a clean filter": {
    prepare: (opened, payload) => {
      opened.write({ ".gitattributes": "* filter=evil\n" });
      setting(opened, "filter.evil.clean", payload);
      touch(opened, "b.txt");
    },
    falls: ["status"],
  },
  "a required filter process": {
    prepare: (opened, payload) => {
      opened.write({ ".gitattributes": "* filter=evil\n" });
      setting(opened, "filter.evil.process", payload);
      setting(opened, "filter.evil.required", "true");
      touch(opened, "b.txt");
    },
    falls: ["status"],
  },
  "a filter with dots and spaces in its name": {
    prepare: (opened, payload) => {
      opened.write({ ".git/info/attributes": "* filter=e.v-i_l\n" });
      setting(opened, "filter.e.v-i_l.clean", payload);
      touch(opened, "b.txt");
    },
    falls: ["status"],
  },
  "a filter in an included settings file": {
    prepare: (opened, payload) => {
      opened.write({ ".gitattributes": "* filter=evil\n" });
      writeFileSync(join(opened.home, "included"), `[filter "evil"]\n\tclean = ${JSON.stringify(payload)}\n`);
      setting(opened, "include.path", join(opened.home, "included"));
      touch(opened, "b.txt");
    },
    falls: ["status"],
  },
  "a filter on the same line as another section": {
    prepare: (opened, payload) => {
      opened.write({ ".gitattributes": "* filter=evil\n" });
      appendFileSync(
        join(opened.workspace, ".git/config"),
        `[core] bare = false\n[core][FILTER "evil"]clean = ${JSON.stringify(payload)}\n`,
      );
      touch(opened, "b.txt");
    },
    falls: ["status"],
  },
  "a filter in the settings of the working tree": {
    prepare: (opened, payload) => {
      opened.write({ ".gitattributes": "* filter=evil\n" });
      setting(opened, "extensions.worktreeConfig", "true");
      writeFileSync(
        join(opened.workspace, ".git/config.worktree"),
        `[filter "evil"]\n\tclean = ${JSON.stringify(payload)}\n`,
      );
      touch(opened, "b.txt");
    },
    falls: ["status"],
  },
  "a filter of a submodule": {
    prepare: (opened, payload) => {
      opened.sh(`git clone -q . ../library
        git -c protocol.file.allow=always submodule --quiet add "$PWD/../library" lib`);
      opened.git("-C", "lib", "config", "filter.evil.clean", payload);
      opened.write({ "lib/.gitattributes": "* filter=evil\n" });
      touch(opened, "lib/a.txt");
    },
    falls: ["status"],
  },
  "log.showSignature with gpg.program": {
    prepare: (opened) => {
      const head = opened.git("cat-file", "commit", "HEAD");
      const signed = head.replace(
        "\n\n",
        "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n\n",
      );
      writeFileSync(join(opened.home, "commit"), `${signed}\n`);
      opened.git(
        "reset",
        "-q",
        "--soft",
        opened.git("hash-object", "-t", "commit", "-w", join(opened.home, "commit")),
      );
      setting(opened, "log.showSignature", "true");
      setting(opened, "gpg.program", join(opened.home, "payload"));
    },
    falls: ["log"],
  },
  "status.submoduleSummary, pagers, editors and aliases": {
    prepare: (opened, payload) => {
      for (const key of [
        "core.pager",
        "pager.log",
        "pager.diff",
        "core.editor",
        "sequence.editor",
        "core.askPass",
      ])
        setting(opened, key, payload);
      for (const verb of ["status", "diff", "log", "show", "blame", "config"])
        setting(opened, `alias.${verb}`, `!${payload}`);
      setting(opened, "status.submoduleSummary", "true");
    },
  },
  "a partial clone whose remote names a program": {
    prepare: (opened, payload) => {
      setting(opened, "extensions.partialClone", "origin");
      setting(opened, "core.repositoryFormatVersion", "1");
      setting(opened, "remote.origin.url", join(opened.home, "elsewhere"));
      setting(opened, "remote.origin.promisor", "true");
      setting(opened, "remote.origin.uploadpack", payload);
      setting(opened, "protocol.file.allow", "always");
      setting(opened, "core.sshCommand", payload);
      setting(opened, "credential.helper", payload);
      // The content of HEAD~1 is gone.
      const blob = opened.sh(`mv .git/objects/pack/*.pack ../pack
        rm .git/objects/pack/*
        git unpack-objects -q < ../pack
        git rev-parse HEAD~1:a.txt`);
      rmSync(join(opened.workspace, ".git/objects", blob.slice(0, 2), blob.slice(2)));
    },
    falls: ["show", "HEAD~1:a.txt"],
  },
};

/** Attacks that work in one repository. Each needs one of the attributes that the test sets. */
const together = [
  "core.fsmonitor",
  "a hook in .git/hooks",
  "diff.external",
  "a diff driver with a command",
  "a diff driver with textconv",
  "a clean filter",
  "a required filter process",
  "a filter in an included settings file",
  "a filter in the settings of the working tree",
  "log.showSignature with gpg.program",
] as const;

describe("a repository that tries to run programs", () => {
  it.each(["none", "auto"] as const)(
    "runs nothing in any call that reads, with sandbox %s",
    { tags: "slow" },
    async (sandbox) => {
      await using opened = await openVictim({ sandbox });
      const payload = `'${opened.payload("payload")}'`;
      for (const name of together) attacks[name]!.prepare(opened, payload);
      opened.write({ ".gitattributes": "* filter=evil diff=evil\n" });
      ran(opened);
      await readWith(opened, readings);
      expect(ran(opened)).toBe("");
      for (const args of [["status"], ["diff"], ["log"]]) expect(carelessly(opened, ...args)).toBe(true);
    },
  );

  for (const [name, { prepare, falls }] of Object.entries(attacks)) {
    const expectNothingRuns = async (calls: typeof readings) => {
      await using opened = await openVictim();
      prepare(opened, `'${opened.payload("payload")}'`);
      ran(opened);
      const before = readFileSync(join(opened.workspace, ".git/index"));
      await readWith(opened, calls);
      expect({
        ran: ran(opened),
        index: readFileSync(join(opened.workspace, ".git/index")).equals(before),
      }).toEqual({
        ran: "",
        index: true,
      });
      if (falls !== undefined) expect(carelessly(opened, ...falls)).toBe(true);
    };

    it(`runs nothing through ${name}`, { tags: "slow" }, () => expectNothingRuns(readingsLike(falls)));

    if (falls !== undefined)
      it(`runs nothing through ${name} in any call that reads`, { tags: "slow" }, () =>
        expectNothingRuns(readings),
      );
  }

  it("is refused with a filter name that cannot be passed to git", async () => {
    await using opened = await openVictim();
    opened.write({ ".gitattributes": "* filter=a=b\n" });
    setting(opened, "filter.a=b.clean", `'${opened.payload("payload")}'`);
    touch(opened, "b.txt");
    expect([(await opened.call("git.status", {})).content, ran(opened)]).toEqual([
      'The settings of this repository define a filter with "=" in its name: "a=b"\nAsk the user to check .git/config.',
      "",
    ]);
  });
});
