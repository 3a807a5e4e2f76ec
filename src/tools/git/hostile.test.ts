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
  openGitFixture,
  type Worktree,
} from "../../../test/support/git-tools/git-fixture.ts";

/** Every way of reading; each touches files, history and objects. */
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

async function openVictim(): Promise<GitFixture> {
  return openGitFixture({ files: { "a.txt": "one\n", "b.txt": "two\n" }, prepare: commitAndStage });
}

function commitAndStage({ git, write }: Worktree): void {
  write({ "a.txt": "one\nmore\n" });
  git("commit", "-q", "-a", "-m", "Second");
  write({ "a.txt": "one\nmore\nand more\n", "b.txt": "staged\n" });
  git("add", "b.txt");
}

async function readAll(room: GitFixture): Promise<string> {
  const said: string[] = [];
  for (const [tool, input] of readings) {
    const { content, isError } = await room.call(tool, input);
    said.push(`${tool} ${isError ? "failed: " : ""}${content}`);
  }
  return said.join("\n");
}

/** What payloads have left since the last look. */
function ran(room: GitFixture): string {
  const file = join(room.home, "ran");
  const said = existsSync(file) ? readFileSync(file, "utf8") : "";
  rmSync(file, { force: true });
  return said;
}

/** Git itself, as a person would run it who knows of nothing: the payload works. */
function carelessly(room: GitFixture, ...args: string[]): boolean {
  try {
    execFileSync("git", args, {
      cwd: room.workspace,
      stdio: "pipe",
      env: { PATH: process.env.PATH },
      timeout: 20_000,
    });
  } catch {
    // What matters is what ran.
  }
  return ran(room) !== "";
}

function setting({ configure }: GitFixture, key: string, value: string): void {
  configure({ [key]: value });
}

/** Makes the file look changed, so that git reads it again. */
function touch(room: GitFixture, path: string): void {
  utimesSync(join(room.workspace, path), new Date(0), new Date(0));
}

interface Attack {
  readonly prepare: (room: GitFixture, payload: string) => void;
  /** A command of git that falls for it. Missing where that takes a terminal or a network. */
  readonly falls?: readonly string[];
}

const attacks: Readonly<Record<string, Attack>> = {
  "core.fsmonitor": {
    prepare: (room, payload) => setting(room, "core.fsmonitor", payload),
    falls: ["status"],
  },
  "a hook in .git/hooks": {
    prepare: (room) => {
      mkdirSync(join(room.workspace, ".git/hooks"), { recursive: true });
      for (const name of [
        "post-index-change",
        "post-checkout",
        "reference-transaction",
        "fsmonitor-watchman",
      ])
        symlinkSync(join(room.home, "payload"), join(room.workspace, ".git/hooks", name));
      touch(room, "b.txt");
    },
    falls: ["status"],
  },
  "core.hooksPath": {
    prepare: (room) => {
      room.write({ "hooks/post-index-change": readFileSync(join(room.home, "payload"), "utf8") });
      chmodSync(join(room.workspace, "hooks/post-index-change"), 0o755);
      setting(room, "core.hooksPath", join(room.workspace, "hooks"));
      touch(room, "b.txt");
    },
    falls: ["status"],
  },
  "diff.external": {
    prepare: (room, payload) => setting(room, "diff.external", payload),
    falls: ["diff"],
  },
  "a diff driver with a command": {
    prepare: (room, payload) => {
      room.write({ ".gitattributes": "* diff=evil\n" });
      setting(room, "diff.evil.command", payload);
    },
    falls: ["diff"],
  },
  "a diff driver with textconv": {
    prepare: (room, payload) => {
      room.write({ ".gitattributes": "* diff=evil\n" });
      setting(room, "diff.evil.textconv", payload);
    },
    falls: ["diff"],
  },
  "textconv of blame": {
    prepare: (room, payload) => {
      room.write({ ".gitattributes": "* diff=evil\n" });
      setting(room, "diff.evil.textconv", payload);
    },
    falls: ["blame", "a.txt"],
  },
  "a clean filter": {
    prepare: (room, payload) => {
      room.write({ ".gitattributes": "* filter=evil\n" });
      setting(room, "filter.evil.clean", payload);
      touch(room, "b.txt");
    },
    falls: ["status"],
  },
  "a required filter process": {
    prepare: (room, payload) => {
      room.write({ ".gitattributes": "* filter=evil\n" });
      setting(room, "filter.evil.process", payload);
      setting(room, "filter.evil.required", "true");
      touch(room, "b.txt");
    },
    falls: ["status"],
  },
  "a filter with dots and spaces in its name": {
    prepare: (room, payload) => {
      room.write({ ".git/info/attributes": "* filter=e.v-i_l\n" });
      setting(room, "filter.e.v-i_l.clean", payload);
      touch(room, "b.txt");
    },
    falls: ["status"],
  },
  "a filter in a file that settings include": {
    prepare: (room, payload) => {
      room.write({ ".gitattributes": "* filter=evil\n" });
      writeFileSync(join(room.home, "included"), `[filter "evil"]\n\tclean = ${JSON.stringify(payload)}\n`);
      setting(room, "include.path", join(room.home, "included"));
      touch(room, "b.txt");
    },
    falls: ["status"],
  },
  "a filter on the line of another section": {
    prepare: (room, payload) => {
      room.write({ ".gitattributes": "* filter=evil\n" });
      appendFileSync(
        join(room.workspace, ".git/config"),
        `[core] bare = false\n[core][FILTER "evil"]clean = ${JSON.stringify(payload)}\n`,
      );
      touch(room, "b.txt");
    },
    falls: ["status"],
  },
  "a filter in the settings of the working tree": {
    prepare: (room, payload) => {
      room.write({ ".gitattributes": "* filter=evil\n" });
      setting(room, "extensions.worktreeConfig", "true");
      writeFileSync(
        join(room.workspace, ".git/config.worktree"),
        `[filter "evil"]\n\tclean = ${JSON.stringify(payload)}\n`,
      );
      touch(room, "b.txt");
    },
    falls: ["status"],
  },
  "a filter of a submodule": {
    prepare: (room, payload) => {
      room.sh(`git clone -q . ../library
        git -c protocol.file.allow=always submodule --quiet add "$PWD/../library" lib`);
      room.git("-C", "lib", "config", "filter.evil.clean", payload);
      room.write({ "lib/.gitattributes": "* filter=evil\n" });
      touch(room, "lib/a.txt");
    },
    falls: ["status"],
  },
  "log.showSignature with gpg.program": {
    prepare: (room) => {
      const head = room.git("cat-file", "commit", "HEAD");
      const signed = head.replace(
        "\n\n",
        "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n\n",
      );
      writeFileSync(join(room.home, "commit"), `${signed}\n`);
      room.git(
        "reset",
        "-q",
        "--soft",
        room.git("hash-object", "-t", "commit", "-w", join(room.home, "commit")),
      );
      setting(room, "log.showSignature", "true");
      setting(room, "gpg.program", join(room.home, "payload"));
    },
    falls: ["log"],
  },
  "status.submoduleSummary, pagers, editors and aliases": {
    prepare: (room, payload) => {
      for (const key of [
        "core.pager",
        "pager.log",
        "pager.diff",
        "core.editor",
        "sequence.editor",
        "core.askPass",
      ])
        setting(room, key, payload);
      for (const verb of ["status", "diff", "log", "show", "blame", "config"])
        setting(room, `alias.${verb}`, `!${payload}`);
      setting(room, "status.submoduleSummary", "true");
    },
  },
  "a partial clone whose remote names a program": {
    prepare: (room, payload) => {
      setting(room, "extensions.partialClone", "origin");
      setting(room, "core.repositoryFormatVersion", "1");
      setting(room, "remote.origin.url", join(room.home, "elsewhere"));
      setting(room, "remote.origin.promisor", "true");
      setting(room, "remote.origin.uploadpack", payload);
      setting(room, "protocol.file.allow", "always");
      setting(room, "core.sshCommand", payload);
      setting(room, "credential.helper", payload);
      // The content that HEAD~1 has is no longer here.
      const blob = room.sh(`mv .git/objects/pack/*.pack ../pack
        rm .git/objects/pack/*
        git unpack-objects -q < ../pack
        git rev-parse HEAD~1:a.txt`);
      rmSync(join(room.workspace, ".git/objects", blob.slice(0, 2), blob.slice(2)));
    },
    falls: ["show", "HEAD~1:a.txt"],
  },
};

describe("a repository that wants to run something", () => {
  for (const [name, { prepare, falls }] of Object.entries(attacks)) {
    it(`runs nothing by ${name}`, async () => {
      await using room = await openVictim();
      prepare(room, `'${room.payload("payload")}'`);
      ran(room);
      const before = readFileSync(join(room.workspace, ".git/index"));
      await readAll(room);
      expect({
        ran: ran(room),
        index: readFileSync(join(room.workspace, ".git/index")).equals(before),
      }).toEqual({
        ran: "",
        index: true,
      });
      if (falls !== undefined) expect(carelessly(room, ...falls)).toBe(true);
    });
  }

  it("is refused with a filter whose name could not be given to git", async () => {
    await using room = await openVictim();
    room.write({ ".gitattributes": "* filter=a=b\n" });
    setting(room, "filter.a=b.clean", `'${room.payload("payload")}'`);
    touch(room, "b.txt");
    expect([(await room.call("git.status", {})).content, ran(room)]).toEqual([
      'The settings of this repository define a filter "a=b"\nAsk the user to check .git/config.',
      "",
    ]);
  });
});
