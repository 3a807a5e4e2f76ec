/** @module-tag slow */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openToolcrib, type Toolcrib, type ToolcribOptions } from "../../src/toolcrib/index.ts";
import { missingHere } from "../support/sandbox-fixture.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Attacks with which a red team got past the first sandbox and policy, as commands through the whole pipeline. */
const levels = ["bwrap", "landlock"] as const;
const missing = { bwrap: await missingHere("bwrap"), landlock: await missingHere("landlock") };

interface Fixture extends AsyncDisposable {
  readonly crib: Toolcrib;
  at(path: string): string;
  put(path: string, content: string): void;
  git(...args: readonly string[]): string;
  /** Runs a script, whose text no rule sees, and returns its output. */
  run(script: string, input?: { readonly session?: string; readonly words?: string }): Promise<string>;
}

async function openFixture(given: Pick<ToolcribOptions, "mode" | "rules" | "sandbox">): Promise<Fixture> {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  mkdirSync(workspace);
  const crib = await openToolcrib({
    ...{ mode: "yolo", ...given, workspace },
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
  });
  const at = (path: string) => join(workspace, path);
  const put = (path: string, content: string) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), content);
  };
  return {
    crib,
    at,
    put,
    git: (...args) => execFileSync("git", args, { cwd: workspace, encoding: "utf8" }),
    run: async (script, { session, words = "" } = {}) => {
      put("script.sh", script);
      const { content } = await crib.call("shell.run", {
        command: `bash script.sh${words}`,
        ...(session === undefined ? {} : { session }),
      });
      return content;
    },
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      // A path that a command has made unreadable, and a stored copy of it, would stay.
      execFileSync("chmod", ["-R", "u+rwx", folder.path]);
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe.each(levels)("at level %s", (level) => {
  const held = it.skipIf(missing[level] !== undefined);

  held("no file is made that runs as its owner, whoever starts it", async () => {
    await using fixture = await openFixture({ sandbox: level });
    await fixture.run(
      "cp /bin/true a; chmod 4755 a; install -m 2755 /bin/true b; perl -e 'umask 0; sysopen F, q(c), 65, 06755'",
    );
    const modes = readdirSync(fixture.at(".")).map((name) => lstatSync(fixture.at(name)).mode & 0o6000);
    expect(modes).toEqual(modes.map(() => 0));
  });

  held("sockets for datagrams reach nobody by their paths", async () => {
    await using fixture = await openFixture({ sandbox: level });
    const bind =
      "socket(S, AF_UNIX, SOCK_DGRAM, 0); bind(S, pack_sockaddr_un(q(planted))) and print qq(up\n)";
    const listener = spawn("perl", ["-MSocket", "-e", `$| = 1; ${bind}; <STDIN>`], { cwd: fixture.at(".") });
    try {
      await once(listener.stdout, "data");
      const send = "socket(S, AF_UNIX, SOCK_DGRAM, 0) and send(S, q(x), 0, pack_sockaddr_un(q(planted)))";
      expect(await fixture.run(`perl -MSocket -e '${send} or print qq(refused\n)'`)).toContain("refused");
    } finally {
      listener.stdin.end();
      await once(listener, "close");
    }
  });

  held("a repository that a command makes does not say what git runs", async () => {
    await using fixture = await openFixture({ sandbox: level });
    await fixture.run(
      "git init -q .; echo evil > .git/hooks/pre-commit; echo '[core] fsmonitor = evil' >> .git/config",
      {
        words: " new init create clone",
      },
    );
    const parts = [".git/HEAD", ".git/config", ".git/hooks"];
    expect(parts.map((path) => existsSync(fixture.at(path)))).toEqual([true, false, false]);
  });

  held("a session that has made a repository cannot say what git runs", async () => {
    await using fixture = await openFixture({ sandbox: level });
    await fixture.crib.call("shell.run", { command: "git init -q .", session: "s" });
    await fixture.run("echo evil > .git/hooks/pre-commit; echo '[core] fsmonitor = evil' >> .git/config", {
      session: "s",
    });
    await fixture.crib.call("process.stop", { name: "s" });
    expect([
      existsSync(fixture.at(".git/hooks/pre-commit")),
      readFileSync(fixture.at(".git/config"), "utf8"),
    ]).toEqual([false, expect.not.stringContaining("evil")]);
  });

  held("hooks and settings that git is led to stay as they are", async () => {
    await using fixture = await openFixture({ sandbox: level });
    fixture.git("init", "-q", ".");
    fixture.put("githooks/pre-commit", "mine");
    fixture.put("shared.gitconfig", "[user]\n");
    fixture.git("config", "core.hooksPath", "githooks");
    fixture.git("config", "include.path", "../shared.gitconfig");
    await fixture.run(
      "echo evil > githooks/pre-commit; echo evil > shared.gitconfig; echo evil > githooks/pre-push",
    );
    expect([
      readFileSync(fixture.at("githooks/pre-commit"), "utf8"),
      readFileSync(fixture.at("shared.gitconfig"), "utf8"),
      existsSync(fixture.at("githooks/pre-push")),
    ]).toEqual(["mine", "[user]\n", false]);
  });

  held(
    "neither thousands of files nor closed directories keep protected ones from being put back",
    async () => {
      await using fixture = await openFixture({ sandbox: level });
      fixture.git("init", "-q", ".");
      mkdirSync(fixture.at(".git/hooks"), { recursive: true });
      const hooks = readdirSync(fixture.at(".git/hooks"));
      await fixture.run(`for i in $(seq 5200); do : > .git/hooks/a$i; done
      mkdir -p .vscode .claude/x .git/hooks/d
      for f in .mcp.json .vscode/tasks.json .claude/settings.json; do echo evil > $f; done
      chmod 0 .claude/x; chmod 555 .vscode .git/hooks/d .`);
      expect(readdirSync(fixture.at(".")).sort()).toEqual([".git", "script.sh"]);
      expect(readdirSync(fixture.at(".git/hooks"))).toEqual(hooks);
    },
  );

  held("a repository that lies elsewhere in the workspace is kept like any other", async () => {
    await using fixture = await openFixture({ sandbox: level });
    mkdirSync(fixture.at("store"));
    fixture.git("init", "-q", "--separate-git-dir=store/own", ".");
    await fixture.run(
      "echo evil > store/own/hooks/pre-commit; echo '[core] fsmonitor = evil' >> store/own/config",
    );
    expect([
      existsSync(fixture.at("store/own/hooks/pre-commit")),
      readFileSync(fixture.at("store/own/config"), "utf8"),
    ]).toEqual([false, expect.not.stringContaining("evil")]);
  });

  held(
    "nothing protected stays changed after a command of a session, though the shell lives on",
    async () => {
      await using fixture = await openFixture({ sandbox: level });
      fixture.git("init", "-q", ".");
      const config = readFileSync(fixture.at(".git/config"), "utf8");
      await fixture.run(
        "echo evil > .git/hooks/pre-commit; echo evil >> .git/config; echo evil > .mcp.json",
        {
          session: "s",
        },
      );
      expect([
        existsSync(fixture.at(".git/hooks/pre-commit")),
        readFileSync(fixture.at(".git/config"), "utf8"),
        lstatSync(fixture.at(".mcp.json"), { throwIfNoEntry: false })?.isFile() === true,
      ]).toEqual([false, config, false]);
    },
  );

  held("a deep directory does not keep later commands from running", async () => {
    await using fixture = await openFixture({ sandbox: level });
    await fixture.run(`perl -e 'for (1 .. 600) { mkdir "dddddddddd"; chdir "dddddddddd" }'`);
    expect(await fixture.run("echo it runs; rm -rf dddddddddd")).toContain("it runs");
    expect(existsSync(fixture.at("dddddddddd"))).toBe(false);
  });
});

describe("at level bwrap", () => {
  const held = it.skipIf(missing.bwrap !== undefined);

  held("what is hidden stays hidden when its directory gets another name", async () => {
    await using fixture = await openFixture({
      sandbox: "bwrap",
      rules: ["deny read config/production.json"],
    });
    fixture.put("packages/app/.env", "canary-1");
    fixture.put("keys/server.pem", "canary-2");
    fixture.put("config/production.json", "canary-3");
    const first = await fixture.run("mv packages node_modules; mkdir d; mv keys d/.git; mv config other");
    const second = await fixture.run("cat */*/.env */.env d/.git/* other/* */*.pem */*.json");
    expect(first + second).not.toContain("canary");
    expect(readFileSync(fixture.at("packages/app/.env"), "utf8")).toBe("canary-1");
  });
});

describe("in a session whose commands are checked", () => {
  const texts = [
    "PROMPT_COMMAND='touch pwned'",
    "PS1='$(touch pwned)'",
    "PS0='$(touch pwned)'",
    "printf -v PROMPT_COMMAND 'touch pwned'",
  ];
  it.skipIf(missing.bwrap !== undefined)(`${texts.join(", ")} run nothing without asking`, async () => {
    await using fixture = await openFixture({
      sandbox: "bwrap",
      mode: "safe",
      rules: ["allow run @read"],
    });
    for (const [index, command] of texts.entries()) {
      for (const each of [command, "ls", "ls"])
        await fixture.crib.call("shell.run", { command: each, session: `s${index}` });
      expect(existsSync(fixture.at("pwned")), command).toBe(false);
    }
  });
});
