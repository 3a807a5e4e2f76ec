import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { missingHere } from "../../test/support/sandbox-fixture.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { policyFiles } from "../system/policy-files.ts";
import { type ApprovalRequest, openToolcrib, type ToolcribOptions } from "./index.ts";

/** An instance whose user gives one answer to everything. */
async function openFixture(options: ToolcribOptions & { readonly answer?: "once" | "session" | "always" }) {
  const folder = temporaryFolder();
  const at = (path: string) => join(folder.path, path);
  const workspace = at("work space");
  mkdirSync(workspace);
  const asked: ApprovalRequest[] = [];
  const { answer, ...given } = options;
  const open = () =>
    openToolcrib({
      workspace,
      stateDirectory: at("state"),
      configDirectory: at("config"),
      ...given,
      ...(answer && {
        approve: (request) => {
          asked.push(request);
          return answer === "once" ? { allow: true } : { allow: true, remember: answer };
        },
      }),
    });
  let crib = await open();
  return {
    workspace,
    granted: policyFiles(at("config"), workspace).granted,
    outside: at("outside"),
    asked,
    run: async (command: string, input: object = {}) => {
      const { data, error } = await crib.call("shell.run", { command, ...input });
      return (
        error ?? (data as { stdout: string; exitCode: number; sandbox: string; remarks: readonly string[] })
      );
    },
    crib: () => crib,
    reopen: async () => {
      await crib.close();
      crib = await open();
    },
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe("without a sandbox", () => {
  it("asks before every command and states that there is no sandbox", async () => {
    await using opened = await openFixture({ sandbox: "none", answer: "once", rules: ["allow run echo **"] });
    const ran = await opened.run("echo a");
    const [request] = opened.asked;
    expect([ran, request!.sandbox, request!.unconfined, request!.grants, request!.reason]).toMatchObject([
      { stdout: "a\n", exitCode: 0, sandbox: "none" },
      "none",
      false,
      ["allow run echo a by shell.run", "unconfined run echo a by shell.run"],
      "it would run `echo a`: no sandbox is available, so every command needs approval",
    ]);
  });

  it("does not ask again for a command allowed for the session or always", async () => {
    await using opened = await openFixture({ sandbox: "none", answer: "session" });
    await opened.run("echo a");
    await opened.run("echo a");
    const once = opened.asked.length;
    await opened.reopen();
    await opened.run("echo a");
    expect([once, opened.asked.length]).toEqual([1, 2]);
    await using always = await openFixture({ sandbox: "none", answer: "always" });
    await always.run("echo a");
    await always.reopen();
    await always.run("echo a");
    const lines = readFileSync(always.granted, "utf8").trim().split("\n").slice(1);
    expect([always.asked.length, lines]).toEqual([
      1,
      ["allow run echo a by shell.run", "unconfined run echo a by shell.run"],
    ]);
  });

  it("refuses commands when no user can be asked, and runs them in yolo mode", async () => {
    await using opened = await openFixture({ sandbox: "none", rules: ["allow run echo **"] });
    await using yolo = await openFixture({ sandbox: "none", mode: "yolo" });
    expect([await opened.run("echo a"), await yolo.run("echo a")]).toMatchObject([
      { code: "needs-approval" },
      { stdout: "a\n", sandbox: "none" },
    ]);
  });
});

it("refuses commands when the requested sandbox is unavailable, and runs all other tools", async () => {
  const wrong = process.platform === "darwin" ? "bwrap" : "seatbelt";
  await using opened = await openFixture({ sandbox: wrong, mode: "yolo" });
  const written = await opened.crib().call("file.write", { path: "a.txt", content: "a" });
  expect([await opened.run("echo a"), written.error]).toMatchObject([{ code: "unavailable" }, null]);
});

it("rejects unknown sandbox names", async () => {
  await expect(openFixture({ sandbox: "chroot" as "none" })).rejects.toMatchObject({ code: "invalid-input" });
});

for (const level of ["bwrap", "landlock"] as const) {
  const missing = await missingHere(level);
  it.skipIf(missing !== undefined)(`lets git commit in ${level}, and protects its hooks`, async () => {
    await using opened = await openFixture({ sandbox: level, mode: "yolo" });
    const git = (...args: readonly string[]) =>
      execFileSync("git", args, { cwd: opened.workspace, encoding: "utf8" });
    git("init", "-q");
    const probe = "git add -A; git commit -qm one; git checkout -qb two; echo x > .git/hooks/post-commit\n";
    writeFileSync(join(opened.workspace, "probe.sh"), probe);
    const env = {
      GIT_AUTHOR_NAME: "a",
      GIT_AUTHOR_EMAIL: "a@b",
      GIT_COMMITTER_NAME: "a",
      GIT_COMMITTER_EMAIL: "a@b",
    };
    await opened.run("sh probe.sh", { env });
    const committed = git("show", "--format=%s", "--name-only", "two").trim().split(/\n+/);
    expect([committed, existsSync(join(opened.workspace, ".git/hooks/post-commit"))]).toEqual([
      ["one", "probe.sh"],
      false,
    ]);
  });
}

const missing = await missingHere("bwrap");

describe.skipIf(missing !== undefined)(`in bubblewrap${missing ? ` (skipped: ${missing})` : ""}`, () => {
  it("applies the rules to a command regardless of what its code does", async () => {
    const rules = ["allow run sh probe.sh", "deny read private/**"];
    await using opened = await openFixture({ sandbox: "bwrap", rules });
    const put = (path: string, content: string) => writeFileSync(join(opened.workspace, path), content);
    mkdirSync(join(opened.workspace, "private"));
    for (const path of [".env", "private/a", "../outside"]) put(path, "hidden\n");
    put("private.txt", "not private\n");
    put("probe.sh", "cat .env private/a private.txt ../outside\necho x > .mcp.json\necho y > b.txt\n");
    const ran = await opened.run("sh probe.sh");
    expect([
      ran,
      existsSync(join(opened.workspace, ".mcp.json")),
      readFileSync(join(opened.workspace, "b.txt"), "utf8"),
    ]).toMatchObject([{ stdout: "not private\n", sandbox: "bwrap" }, false, "y\n"]);
  });

  const curl = existsSync("/usr/bin/curl") ? "" : " (skipped: curl is missing)";
  it.skipIf(curl !== "")(
    `reaches only hosts that rules or the user allow${curl}`,
    { tags: "slow" },
    async () => {
      const server = createServer((_request, response) => response.end("reached\n")).listen(0, "127.0.0.1");
      await new Promise((resolve) => server.once("listening", resolve));
      const { port } = server.address() as AddressInfo;
      // Programs do not use a proxy for this machine by themselves.
      const fetching = `curl -s -m 5 --noproxy none http://127.0.0.1:${port}/`;
      const answers: unknown[] = [];
      try {
        for (const rules of [
          [],
          ["allow connect 127.0.0.1"],
          ["allow connect *"],
          ["allow connect localhost"],
        ]) {
          await using opened = await openFixture({
            sandbox: "bwrap",
            rules: ["allow run sh probe.sh", ...rules],
          });
          writeFileSync(join(opened.workspace, "probe.sh"), `${fetching}\n`);
          const ran = await opened.run("sh probe.sh");
          answers.push("stdout" in ran ? ran.stdout.includes("reached") : ran);
        }
        // A port of the machine needs a rule.
        await using asking = await openFixture({ sandbox: "bwrap", answer: "once" });
        const ran = await asking.run(fetching);
        answers.push("stdout" in ran && ran.stdout.includes("reached"), asking.asked.length);
      } finally {
        server.close();
      }
      expect(answers).toEqual([false, true, false, true, false, 0]);
    },
  );

  it("shows the workspace as it is, and lets commands that only read write nothing", {
    tags: "slow",
  }, async () => {
    await using opened = await openFixture({ sandbox: "bwrap", rules: ["allow run **"] });
    execFileSync("git", ["init", "-q"], { cwd: opened.workspace });
    writeFileSync(join(opened.workspace, "file"), "text\n");
    const listed = await opened.run("ls -A; find . -name '.m*'; git status --short");
    const writing = await opened.run("test -f .envrc || echo none > made; ls -A; git status --short");
    expect([listed, writing]).toMatchObject([
      { stdout: ".git\nfile\n?? file\n", exitCode: 0 },
      { stdout: ".git\nfile\nmade\n?? file\n?? made\n", exitCode: 0 },
    ]);
  });

  it("runs commands that only read without approval in cautious, and lets them change and reach nothing", async () => {
    await using opened = await openFixture({ sandbox: "bwrap" });
    execFileSync("git", ["init", "-q"], { cwd: opened.workspace });
    writeFileSync(join(opened.workspace, "probe.sh"), "echo ran; echo x > made; ls ..\n");
    // The settings of a hostile repository make `git status` run a program.
    execFileSync("git", ["config", "core.fsmonitor", `sh '${opened.workspace}/probe.sh' >&2; false`], {
      cwd: opened.workspace,
    });
    const read = await opened.run("ls && git status --short");
    const written = existsSync(join(opened.workspace, "made"));
    const [more, rustant] = [
      await opened.run("ls; touch /srv/a"),
      await opened.crib().addCaller({ dialect: "rustant" }),
    ];
    const asked = await rustant.call("shell_exec", { command: "ls" });
    await rustant.close();
    expect([read, written, more, asked.error?.code]).toMatchObject([
      { stdout: "probe.sh\n?? probe.sh\n", sandbox: "bwrap" },
      false,
      { code: "needs-approval" },
      "needs-approval",
    ]);
  });

  it("runs a command outside the sandbox only when a rule allows it", async () => {
    const rules = ["allow run cat **", "unconfined run cat **", "allow read /**"];
    await using opened = await openFixture({ sandbox: "bwrap", rules });
    writeFileSync(opened.outside, "outside\n");
    const [inside, outside] = [await opened.run("echo a; true"), await opened.run(`cat '${opened.outside}'`)];
    expect([inside, outside]).toMatchObject([
      { stdout: "a\n", sandbox: "bwrap" },
      { stdout: "outside\n", sandbox: "none" },
    ]);
  });
});
