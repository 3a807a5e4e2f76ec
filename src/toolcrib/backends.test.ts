import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MemoryBackend } from "../../examples/backend-memory/memory-backend.ts";
import { ServiceBackend } from "../../examples/backend-service/service-backend.ts";
import { startService } from "../../examples/backend-service/stand-in.ts";
import { isAlive } from "../../test/support/is-alive.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { Backend } from "../contract/backend.ts";
import type { Environment } from "../contract/environment.ts";
import { AllPendingApprovals } from "../engine/approvals/approvals.ts";
import { environmentOf } from "../environment/backend/backend-environment.ts";
import { openLocalEnvironment } from "../environment/local/local-environment.ts";
import { MemoryEnvironment } from "../environment/memory/memory-environment.ts";
import { overrideEnvironment } from "../lib/override-environment.ts";
import { openToolcrib } from "./open-toolcrib.ts";
import type { ToolcribOptions } from "./options.ts";
import type { Toolcrib } from "./toolcrib.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

let folder: ReturnType<typeof temporaryFolder>;
let workspace: string;
const opened: Toolcrib[] = [];

beforeEach(() => {
  folder = temporaryFolder();
  workspace = join(folder.path, "work space");
  mkdirSync(workspace);
  writeFileSync(join(workspace, "notes.md"), "one\n");
});

afterEach(async () => {
  for (const toolcrib of opened.splice(0)) await toolcrib.close();
  await folder[Symbol.asyncDispose]();
});

async function open(options: ToolcribOptions): Promise<Toolcrib> {
  const toolcrib = await openToolcrib({
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
    ...options,
  });
  opened.push(toolcrib);
  return toolcrib;
}

const failureOf = (options: ToolcribOptions) =>
  open(options).then(
    () => undefined,
    ({ code, message, hint }) => ({ code, message, hint }),
  );

describe("wrapEnvironment", () => {
  /** Notes every file that tools read and write. */
  const noting = (notes: string[]) => (local: Environment) =>
    overrideEnvironment(local, {
      readLines: (path, ...rest) => {
        notes.push(`read ${path}`);
        return local.readLines(path, ...rest);
      },
      change: (changes, ...rest) => {
        notes.push(`change ${changes.map(({ path }) => path).join()}`);
        return local.change(changes, ...rest);
      },
    });

  it("keeps the sandbox, the rules, stored outputs and undo", async () => {
    const notes: string[] = [];
    writeFileSync(join(workspace, ".env"), "KEY=1\n");
    const plain = await open({ workspace });
    const toolcrib = await open({ workspace, wrapEnvironment: noting(notes) });
    expect(await toolcrib.sandbox()).toEqual(await plain.sandbox());
    expect(toolcrib.warnings).toEqual(plain.warnings);
    expect((await toolcrib.call("file.read", { path: "notes.md" })).content).toBe("1 | one");
    expect((await toolcrib.call("file.read", { path: ".env" })).error?.code).toBe("denied");
    await toolcrib.call("edit.replace", { path: "notes.md", find: "one", replace: "two" });
    await toolcrib.call("journal.undo", {});
    expect(readFileSync(join(workspace, "notes.md"), "utf8")).toBe("one\n");
    expect(notes).toEqual(["read notes.md", "change notes.md", "change notes.md"]);
  });

  it("cannot show what rules hide", async () => {
    writeFileSync(join(workspace, ".env"), "KEY=1\n");
    const wrapEnvironment = (local: Environment) =>
      overrideEnvironment(local, {
        readLines: (_path, ...rest) =>
          new MemoryEnvironment({ files: { a: "KEY=1" } }).readLines("a", ...rest),
      });
    const toolcrib = await open({ workspace, wrapEnvironment });
    expect((await toolcrib.call("file.read", { path: ".env" })).error?.code).toBe("denied");
  });

  it("refuses a wrapper that loses methods or the sandbox", async () => {
    const hint = "Return overrideEnvironment(local, { … }): a copy made with { ...local } loses methods.";
    expect(await failureOf({ workspace, wrapEnvironment: (local) => ({ ...local }) })).toMatchObject({
      message: expect.stringMatching(/^The environment of `wrapEnvironment` has no method realPath, /),
      hint,
    });
    const methods = (local: Environment) =>
      new Proxy(local, {
        get: (target, name) => {
          const value = name === "sandbox" ? undefined : Reflect.get(target, name);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
    expect(await failureOf({ workspace, wrapEnvironment: methods })).toEqual({
      code: "invalid-input",
      message: "`wrapEnvironment` returned an environment without the sandbox",
      hint: "Return overrideEnvironment(local, { … }), which keeps everything that you do not override.",
    });
  });

  it("refuses a new environment instead of the wrapped one", async () => {
    const { level } = await (await open({ workspace })).sandbox();
    await using unconfined = openLocalEnvironment({ workspace });
    const failure = await failureOf({ workspace, wrapEnvironment: () => unconfined });
    // Where nothing can be confined, nothing is lost.
    expect(failure?.message).toBe(
      level === "none" ? undefined : "`wrapEnvironment` returned an environment without the sandbox",
    );
    await using other = openLocalEnvironment({ workspace: folder.path });
    expect((await failureOf({ workspace, wrapEnvironment: () => other }))?.message).toBe(
      "`wrapEnvironment` returned an environment of another workspace",
    );
  });
});

describe("an environment without a sandbox", () => {
  const refused = {
    code: "unavailable",
    message: "This environment runs commands without a sandbox",
    hint: 'To run them unconfined, pass sandbox: "none". To change how files of this machine are used, keep its sandbox: wrapEnvironment: (local) => overrideEnvironment(local, { … })',
  };

  it("is refused, unless the program says that this is wanted", async () => {
    const environment = openLocalEnvironment({ workspace });
    expect(await failureOf({ environment })).toEqual(refused);
    expect(await failureOf({ environment, sandbox: "auto" })).toEqual(refused);
    const exec: Backend["exec"] = async () => ({ code: 0 });
    expect(await failureOf({ backend: Object.assign(new MemoryBackend("/w"), { exec }) })).toEqual(refused);
    const toolcrib = await open({ environment, sandbox: "none" });
    expect([toolcrib.warnings, (await toolcrib.sandbox()).level]).toEqual([
      ["Commands are not sandboxed: the environment of this workspace does not confine them."],
      "none",
    ]);
    expect((await toolcrib.call("shell.run", { command: "cat notes.md" })).error?.code).toBe(
      "needs-approval",
    );
    await environment.close();
  });

  it("is accepted when it runs no commands", async () => {
    const environment = await open({ environment: new MemoryEnvironment() });
    const backend = await open({ backend: new MemoryBackend("/w") });
    expect([environment.warnings, backend.warnings]).toEqual([[], []]);
  });
});

it("refuses options that contradict each other", async () => {
  const backend = new MemoryBackend("/w");
  const hint = "Leave out one of them. The workspace of a target, an environment or a backend is its own.";
  const refusals = [
    await failureOf({ backend, environment: new MemoryEnvironment() }),
    await failureOf({ backend, wrapEnvironment: (local) => local }),
    await failureOf({ backend, workspace }),
    await failureOf({ backend, extraRoots: { read: ["/"] } }),
  ];
  expect(refusals).toEqual(
    [
      "`environment` and `backend`",
      "`backend` and `wrapEnvironment`",
      "`backend` and `workspace`",
      "`backend` and `extraRoots`",
    ].map((names) => ({ code: "invalid-input", message: `The options ${names} cannot be combined`, hint })),
  );
});

it("says which methods a backend lacks", async () => {
  const { stat, list } = new MemoryBackend("/w");
  const some = { name: "some", workspace: "/w", stat, list } as unknown as Backend;
  expect(await failureOf({ backend: some })).toEqual({
    code: "invalid-input",
    message: "The backend has no method readFile, writeFile, makeDirectory, remove, move",
    hint: "Implement all required methods of `Backend`: see docs/backends.md.",
  });
  for (const wrong of ["relative", "/", "/a/../b", "/a/"])
    expect((await failureOf({ backend: new MemoryBackend(wrong) }))?.message).toBe(
      "The backend needs a `name`, and a `workspace` that is an absolute path",
    );
});

it("refuses names that could be taken for another workspace", async () => {
  for (const name of [`${workspace}/a`, "a:/b", "a\nb", "a\u001b[2J", "docker:app"])
    expect(await failureOf({ backend: Object.assign(new MemoryBackend("/w"), { name }) })).toEqual({
      code: "invalid-input",
      message: "The `name` of the backend cannot be used",
      hint: 'Name the machine or service, without a path: name: "e2b:i7x2"',
    });
  const environment = Object.assign(new MemoryEnvironment(), { name: "/" });
  expect((await failureOf({ environment }))?.message).toBe("The `name` of the environment cannot be used");
});

it("keeps the histories of environments with the same path apart, unless they have the same name", async () => {
  const environments = [undefined, undefined, "one", "one", "two"].map((name) =>
    Object.assign(new MemoryEnvironment({ files: { a: "" } }), { name }),
  );
  const opened = await Promise.all(environments.map((environment) => open({ environment })));
  for (const each of [0, 2]) await opened[each]!.call("file.write", { path: "b", content: "" });
  const again = await open({ environment: environments[0] });
  expect([...opened, again].map((each) => each.log().length)).toEqual([1, 0, 1, 1, 0, 1]);
});

describe("a broken backend", () => {
  const broken = (changes: object) => Object.assign(new MemoryBackend("/w", { a: "one\n" }), changes);
  const entry = { name: "a", kind: "file", bytes: 4 };

  it.each([
    ["a list that is not an array", { list: async () => undefined }],
    ["a list of nothing", { list: async () => [undefined] }],
    ["impossible permissions", { list: async () => [{ ...entry, mode: "0644" }] }],
    ["too many permissions", { list: async () => [{ ...entry, mode: 0o100644 }] }],
    ["nothing in place of an entry", { stat: async () => null }],
    ["an impossible time", { list: async () => [{ ...entry, modifiedMs: Number.NaN }] }],
  ])("is reported for %s", async (_, changes) => {
    const backend = broken({});
    const toolcrib = await open({ backend });
    Object.assign(backend, changes);
    const { error } = await toolcrib.call("file.list", { path: "." });
    expect([error?.code, error?.message]).toEqual([
      "unavailable",
      expect.stringMatching(/^The backend gave an invalid answer: /),
    ]);
  });

  it.each([
    [
      "throws at once",
      () => {
        throw new Error("No connection");
      },
      "The backend failed: No connection",
    ],
    ["returns nothing", async () => undefined, "The backend failed: exec must resolve to { code }, a number"],
    [
      "returns another exit code",
      async () => ({ code: "0" }),
      "The backend failed: exec must resolve to { code }, a number",
    ],
  ])("is reported when its exec %s", async (_, exec, stderr) => {
    const toolcrib = await open({ backend: broken({ exec }), sandbox: "none", mode: "yolo" });
    const { content } = await toolcrib.call("shell.run", { command: "true" });
    expect(content).toContain(stderr);
  });

  it("says when files were modified, by any path", async () => {
    const environment = environmentOf(broken({ stat: async () => ({ ...entry, modifiedMs: 7 }) }));
    expect(await environment.modifiedTimes(["a", "/w/a", "/other/a", "../a"])).toEqual([
      ...[7, 7, undefined, undefined],
    ]);
  });
});

describe("a backend with commands", () => {
  const openThere = async (options: ToolcribOptions = {}) => {
    const backend = new ServiceBackend({ ...service, sandbox: "one", workspace });
    return open({ backend, sandbox: "none", mode: "yolo", ...options });
  };

  it("runs commands, background processes, searches and git there", { tags: "slow" }, async () => {
    const git = (...words: string[]) =>
      execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=a@b.c", ...words], { cwd: workspace });
    git("init", "-q", "-b", "main");
    git("add", ".");
    git("commit", "-qm", "Begin");
    writeFileSync(join(workspace, ".env"), "one=SECRET\n");
    const toolcrib = await openThere();
    const content = async (name: string, input: object) => (await toolcrib.call(name, input)).content;
    const ran = await toolcrib.call("shell.run", { command: "cat notes.md; echo problem >&2; exit 3" });
    expect(ran.data).toMatchObject({ exitCode: 3, stdout: "one\n", stderr: "problem\n", sandbox: "none" });
    expect(ran.content).toContain("Undo does not cover: changes by its commands");
    await toolcrib.call("file.write", { path: "notes.md", content: "two\n" });
    expect(await content("git.status", {})).toContain("notes.md");
    expect(await content("git.log", {})).toContain("Begin");
    const found = await content("search.grep", { pattern: "one|two", hidden: true });
    expect(found).toContain("notes.md:1:two");
    expect(found).not.toContain("SECRET");
    await toolcrib.call("process.start", { command: "echo ready; sleep 600", name: "server" });
    await toolcrib.call("process.wait", { name: "server", until: "ready" });
    expect(await content("process.input", { name: "server", text: "x" })).toContain("no standard input");
    expect(await content("process.stop", { name: "server" })).toContain("server");
    expect(service.requests).toEqual(expect.arrayContaining(["stat", "list", "read", "write", "exec"]));
  });

  it("asks elsewhere by its name, and remembers the answer for it alone", async () => {
    const directories = { state: join(folder.path, "state"), config: join(folder.path, "config") };
    const asking = { mode: "cautious", pendingApprovals: true } as const;
    const toolcrib = await openThere(asking);
    const run = async () => (await toolcrib.call("shell.run", { command: "echo hello" })).error?.code;
    expect(await run()).toBe("needs-approval");
    const approvals = new AllPendingApprovals(directories);
    const [pending] = approvals.list();
    expect([pending?.workspace, approvals.list(workspace)]).toEqual([`service:one:${workspace}`, []]);
    await approvals.answer(pending!, { allow: true, remember: "always" });
    expect(await run()).toBeUndefined();
    const here = await open({ workspace, sandbox: "none", mode: "cautious" });
    const other = await here.call("shell.run", { command: "echo hello" });
    expect(other.error?.code).toBe("needs-approval");
  });

  it("ends a command that takes too long", { tags: "slow" }, async () => {
    const toolcrib = await openThere();
    const command = "echo $$ > pid; sleep 600";
    const { error } = await toolcrib.call("shell.run", { command, timeout_ms: 3_000 });
    expect(error?.code).toBe("timeout");
    const pid = Number(readFileSync(join(workspace, "pid"), "utf8"));
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 30_000);
  });

  it("reports a service that does not answer", async () => {
    const backend = new ServiceBackend({ ...service, token: "wrong", sandbox: "one", workspace });
    expect(await failureOf({ backend, sandbox: "none" })).toMatchObject({
      code: "unavailable",
      message: "The project's rules cannot be read: The backend failed: Wrong token",
    });
  });

  it("restores all files when one of several cannot be changed", async () => {
    writeFileSync(join(workspace, "other.md"), "other\n");
    const inner = new ServiceBackend({ ...service, sandbox: "one", workspace });
    const backend: Backend = new Proxy(inner, {
      get: (target, name) => {
        const value = Reflect.get(target, name);
        if (name !== "writeFile") return typeof value === "function" ? value.bind(target) : value;
        return async (path: string, content: Uint8Array, options: { readonly mode: number }) => {
          if (path.endsWith("other.md") && content.includes("2".charCodeAt(0)))
            throw new Error("The disk is gone");
          return target.writeFile(path, content, options);
        };
      },
    });
    const toolcrib = await open({ backend, sandbox: "none", mode: "yolo" });
    const patch =
      "*** Begin Patch\n*** Update File: notes.md\n-one\n+1\n*** Add File: deep/new.md\n+new\n*** Update File: other.md\n-other\n+2\n*** End Patch";
    const { isError, content } = await toolcrib.call("edit.patch", { patch });
    expect([isError, content]).toEqual([true, expect.stringContaining("The disk is gone")]);
    const read = (path: string) => readFileSync(join(workspace, path), "utf8");
    expect([
      read("notes.md"),
      read("other.md"),
      (await toolcrib.call("search.glob", { pattern: "**" })).content,
    ]).toEqual(["one\n", "other\n", expect.not.stringContaining("new.md")]);
  });
});
