import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { ToolError } from "../src/contract/error.ts";
import type { AnyTool } from "../src/contract/tool.ts";
import { openLocalEnvironment } from "../src/environment/local/local-environment.ts";
import { openToolcrib } from "../src/toolcrib/index.ts";
import { OpenPolicy } from "../src/toolcrib/open-policy.ts";
import { type CanonicalName, catalog } from "../src/tools/catalog.ts";
import { snapshot } from "./support/environment/change-world.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { toolContext } from "./support/tool-context.ts";

const sentinel = "only in secret files";

/** The files in the workspace of these tests, including Toolcrib's state and configuration. */
const files: Readonly<Record<string, string>> = {
  "open.txt": "open\n",
  ".env": `${sentinel}\n`,
  ".ENV.production": `${sentinel}\n`,
  "．env": `${sentinel}\n`,
  "sub/server.PEM": `${sentinel}\n`,
  "sub/id_rsa": `${sentinel}\n`,
  "secrets/deep/plain.txt": `${sentinel}\n`,
  "config/rules": `# ${sentinel}\n`,
  "state/kept": `${sentinel}\n`,
  ".git/config": "[core]\n",
  ".git/hooks/old": "#!/bin/sh\n",
  ".toolcrib/rules": "deny run rm **\n",
  "sub/.git/config": "[core]\n",
};

const links: Readonly<Record<string, string>> = {
  link: ".env",
  "sub/chain": "../link",
  way: "secrets/deep",
  hooks: ".git/hooks",
  settings: ".git/config",
  dangling: ".git/hooks/new",
};

interface Fixture extends AsyncDisposable {
  readonly workspace: string;
  /** Through the whole pipeline, in the mode that never asks. */
  call(tool: string, input: object): Promise<Outcome>;
  /** The tool alone, without a policy check of the call. */
  run(tool: CanonicalName, input: object): Promise<Outcome>;
}

/** The outcome of a call, and its full output. */
interface Outcome {
  readonly code: string;
  readonly output: string;
}

async function openFixture(options: { readonly workspace?: string } = {}): Promise<Fixture> {
  const folder = temporaryFolder();
  const home = join(folder.path, "workspace");
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(home, dirname(name)), { recursive: true });
    writeFileSync(join(home, name), content);
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(home, name));
  linkSync(join(home, ".git/hooks/old"), join(home, "other-name"));
  const { workspace = home } = options;
  const [state, config] = [join(home, "state"), join(home, "config")];
  writeFileSync(join(config, "rules"), `# ${sentinel}\n`);
  const crib = await openToolcrib({
    workspace,
    stateDirectory: state,
    configDirectory: config,
    mode: "yolo",
  });
  const { guard } = await OpenPolicy.open({ workspace, state, config });
  const environment = openLocalEnvironment({ workspace, guard });
  return {
    workspace: home,
    call: async (tool, input) => {
      const result = await crib.call(tool, input);
      return { code: result.error?.code ?? "ok", output: JSON.stringify(result) };
    },
    run: async (name, input) => {
      const tool: AnyTool = await catalog[name]();
      try {
        const output = JSON.stringify(await tool.run(input, toolContext(environment)));
        return { code: "ok", output };
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        return { code: error.code, output: `${error.message}\n${error.hint}` };
      }
    },
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      await environment.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A stale edit, whose error would show the lines of the file. */
const deleteFirst = (path: string) => ({ path, edits: [{ op: "delete", from: "1:0000" }] });

type Row = readonly [title: string, tool: CanonicalName, input: (path: string) => object];

/** One call for each way a tool can be pointed at a file. */
const readingCalls: readonly Row[] = [
  ["file.read", "file.read", (path) => ({ path })],
  ["file.read of the last lines", "file.read", (path) => ({ path, offset: -1 })],
  ["file.read of several files", "file.read", (path) => ({ paths: [path, path] })],
  ["file.move to another name", "file.move", (path) => ({ from: path, to: "shown.txt" })],
  ["edit.replace", "edit.replace", (path) => ({ path, find: "only", replace: "x" })],
  ["edit.replace that fails", "edit.replace", (path) => ({ path, find: "no such text", replace: "x" })],
  ["edit.preview", "edit.preview", (path) => ({ path, find: "only", replace: "x" })],
  ["edit.smart", "edit.smart", (path) => ({ path, location: "line 1", operation: "delete" })],
  ["edit.anchored", "edit.anchored", deleteFirst],
  [
    "edit.smart as a preview",
    "edit.smart",
    (path) => ({ path, location: "line 1", operation: "delete", preview: true }),
  ],
  [
    "edit.smart that fails",
    "edit.smart",
    (path) => ({ path, location: "no such text", operation: "delete" }),
  ],
  ["edit.preview that fails", "edit.preview", (path) => ({ path, find: "no such text", replace: "x" })],
  ["edit.patch", "edit.patch", (path) => ({ patch: patchOf(path) })],
  ["edit.diff", "edit.diff", (path) => ({ diff: diffOf(path) })],
  ["search.grep", "search.grep", (path) => ({ pattern: "only", path })],
  ["search.grep that counts", "search.grep", (path) => ({ pattern: "only", path, mode: "count" })],
];

const writingCalls: readonly Row[] = [
  ["file.write", "file.write", (path) => ({ path, content: "new\n" })],
  ["file.delete", "file.delete", (path) => ({ path })],
  ["file.move", "file.move", (path) => ({ from: "open.txt", to: path, replace: true })],
  ["edit.replace", "edit.replace", (path) => ({ path, find: "[core]", replace: "[x]" })],
  ["edit.smart", "edit.smart", (path) => ({ path, location: "line 1", operation: "delete" })],
  ["edit.anchored", "edit.anchored", deleteFirst],
  ["edit.patch that adds", "edit.patch", (path) => ({ patch: patchWith(`Add File: ${path}\n+new`) })],
  ["edit.patch that deletes", "edit.patch", (path) => ({ patch: patchWith(`Delete File: ${path}`) })],
  ["edit.diff", "edit.diff", (path) => ({ diff: `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+new\n` })],
];

/** These move or delete a symlink itself, never its target. */
const isAboutLinks = (title: string) => /^file\.(?:move|delete)|that deletes/.test(title);

/** Tools that take no file, or only list names. */
const others = ["file.list", "search.glob"];

function patchWith(section: string): string {
  return `*** Begin Patch\n*** ${section}\n*** End Patch`;
}

function patchOf(path: string): string {
  return patchWith(`Update File: ${path}\n@@\n-${sentinel}\n+x`);
}

function diffOf(path: string): string {
  return `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${sentinel}\n+x\n`;
}

it("these tables cover every tool that takes a path", () => {
  const covered = [...readingCalls, ...writingCalls].map(([, tool]) => tool);
  const all = Object.keys(catalog).filter((name) => /^(file|edit|search)\./.test(name));
  expect([...new Set([...covered, ...others])].sort()).toEqual(all.sort());
});

describe("no tool shows secrets", () => {
  const paths = [
    ".env",
    "sub/../.env",
    ".ENV.production",
    "．env",
    "sub/server.PEM",
    "sub/id_rsa",
    "secrets/deep/plain.txt",
    "link",
    "sub/chain",
    "way/plain.txt",
    "state/kept",
    "config/rules",
  ];
  it.each(readingCalls)("%s", async (title, tool, input) => {
    await using fixture = await openFixture();
    const before = snapshotOf(fixture);
    for (const path of [...paths, join(fixture.workspace, ".env")]) {
      if (isAboutLinks(title) && path in links) continue;
      for (const outcome of [await fixture.call(tool, input(path)), await fixture.run(tool, input(path))]) {
        expect([path, outcome.code]).toEqual([path, "denied"]);
        expect(outcome.output).not.toContain(sentinel);
      }
    }
    expect(snapshotOf(fixture)).toEqual(before);
  });

  it("search.grep in all files, file.list, search.glob", async () => {
    await using fixture = await openFixture();
    for (const input of [{}, { mode: "files" }, { mode: "count" }, { multiline: true, context: 3 }]) {
      const search = { pattern: "only in [a-z]+", hidden: true, no_ignore: true, ...input };
      for (const outcome of [
        await fixture.call("search.grep", search),
        await fixture.run("search.grep", search),
      ]) {
        expect(outcome.code).toBe("ok");
        expect(outcome.output).not.toContain(sentinel);
        expect(outcome.output).toContain("hidden by rules were skipped");
      }
    }
    expect((await fixture.call("file.list", { path: ".", hidden: true })).output).toContain(".env");
    expect((await fixture.call("search.glob", { pattern: ".env", hidden: true })).output).toContain(".env");
  });
});

describe("no tool changes protected files", () => {
  const paths = [
    ".git/config",
    ".git/hooks/old",
    ".git/hooks/new",
    ".GIT/hooks/new",
    "．git/hooks/new",
    ".g\u200bit/hooks/new",
    "sub/.git/config",
    "sub/deeper/.git/hooks/new",
    ".toolcrib/rules",
    ".Toolcrib/rules",
    "hooks/old",
    "hooks/new",
    "settings",
    "dangling",
    "config/rules",
    "state/new",
    ".env",
    "way/new.txt",
  ];
  it.each(writingCalls)("%s", async (title, tool, input) => {
    await using fixture = await openFixture();
    const before = snapshotOf(fixture);
    for (const path of paths) {
      if (isAboutLinks(title) && path in links) continue;
      expect([path, (await fixture.call(tool, input(path))).code]).toEqual([path, "denied"]);
      // The tool alone may find another fault first.
      expect([path, (await fixture.run(tool, input(path))).code]).not.toEqual([path, "ok"]);
    }
    expect(snapshotOf(fixture)).toEqual(before);
  });

  it("not by another name of the same file", async () => {
    await using fixture = await openFixture();
    await fixture.call("file.write", { path: "other-name", content: "changed\n" });
    expect(readFileSync(join(fixture.workspace, "other-name"), "utf8")).toBe("changed\n");
    expect(readFileSync(join(fixture.workspace, ".git/hooks/old"), "utf8")).toBe("#!/bin/sh\n");
  });

  it("not with the directory they are in", async () => {
    await using fixture = await openFixture();
    const before = snapshotOf(fixture);
    for (const [tool, input] of [
      ["file.delete", { path: ".git", recursive: true }],
      ["file.delete", { path: "sub", recursive: true }],
      ["file.move", { from: ".git", to: "git" }],
      ["file.move", { from: "secrets", to: "shown" }],
      ["file.move", { from: "secrets/deep", to: "shown" }],
    ] as const) {
      for (const outcome of [await fixture.call(tool, input), await fixture.run(tool, input)])
        expect(outcome.code).toBe("denied");
    }
    expect(snapshotOf(fixture)).toEqual(before);
  });
});

describe("no tool changes system directories, even with / as the workspace", () => {
  const name = `toolcrib-${process.pid}-guarded`;
  const directories = [
    "/etc",
    "/usr",
    "/usr/lib",
    "/bin",
    "/boot",
    "/dev",
    "/proc",
    "/sys",
    "/lib",
    "/ETC",
    "/var/lib",
  ];
  it.each(writingCalls)("%s", async (_, tool, input) => {
    await using fixture = await openFixture({ workspace: "/" });
    for (const directory of directories) {
      const path = `${directory}/${name}`;
      const { code, output } = await fixture.call(tool, input(path));
      expect([path, code, output.includes("protected")]).toEqual([path, "denied", true]);
      expect([path, (await fixture.run(tool, input(path))).code]).not.toEqual([path, "ok"]);
      expect(existsSync(path)).toBe(false);
    }
  });
});

/** Everything except Toolcrib's own files is unchanged. */
function snapshotOf({ workspace }: Fixture): object {
  const all = snapshot(workspace);
  return Object.fromEntries(Object.entries(all).filter(([path]) => !path.startsWith("state/workspaces")));
}
