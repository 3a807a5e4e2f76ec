import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openToolcrib, type Toolcrib, type ToolcribOptions } from "../../src/toolcrib/index.ts";
import { missingHere } from "../support/sandbox-room.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** What a red team got past the sandbox and the guardian when they were new, by commands behind the whole counter. */
const levels = ["bwrap", "landlock"] as const;
const missing = { bwrap: await missingHere("bwrap"), landlock: await missingHere("landlock") };
const options = { timeout: 60_000 };

interface Room extends AsyncDisposable {
  readonly crib: Toolcrib;
  at(path: string): string;
  put(path: string, content: string): void;
  git(...args: readonly string[]): string;
  /** Runs a script, whose text no rule sees, and gives what it printed. */
  run(script: string, input?: { readonly session?: string; readonly words?: string }): Promise<string>;
}

async function openRoom(given: Pick<ToolcribOptions, "mode" | "rules" | "sandbox">): Promise<Room> {
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
      // What a command has closed, and what was kept of that, would stay.
      execFileSync("chmod", ["-R", "u+rwx", folder.path]);
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe.each(levels)("at level %s", (level) => {
  const held = it.skipIf(missing[level] !== undefined);

  held("no file is made that runs as its owner, whoever starts it", options, async () => {
    await using room = await openRoom({ sandbox: level });
    await room.run(
      "cp /bin/true a; chmod 4755 a; install -m 2755 /bin/true b; perl -e 'umask 0; sysopen F, q(c), 65, 06755'",
    );
    const modes = readdirSync(room.at(".")).map((name) => lstatSync(room.at(name)).mode & 0o6000);
    expect(modes).toEqual(modes.map(() => 0));
  });

  held("sockets for datagrams reach nobody by their paths", options, async () => {
    await using room = await openRoom({ sandbox: level });
    const script = "perl -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_DGRAM, 0) or print qq(refused\\n)'";
    expect(await room.run(script)).toContain("refused");
  });

  held("a repository comes into being by commands that make one, and by no others", options, async () => {
    await using room = await openRoom({ sandbox: level });
    await room.run("mkdir -p .git/hooks; echo evil > .git/config", { words: " new init create clone" });
    expect(existsSync(room.at(".git"))).toBe(false);
  });

  held("a session that has made a repository cannot say what git runs", options, async () => {
    await using room = await openRoom({ sandbox: level });
    await room.crib.call("shell.run", { command: "git init -q .", session: "s" });
    await room.run("echo evil > .git/hooks/pre-commit; echo '[core] fsmonitor = evil' >> .git/config", {
      session: "s",
    });
    await room.crib.call("process.stop", { name: "s" });
    expect([
      existsSync(room.at(".git/hooks/pre-commit")),
      readFileSync(room.at(".git/config"), "utf8"),
    ]).toEqual([false, expect.not.stringContaining("evil")]);
  });

  held("hooks and settings that git is led to stay as they are", options, async () => {
    await using room = await openRoom({ sandbox: level });
    room.git("init", "-q", ".");
    room.put("githooks/pre-commit", "mine");
    room.put("shared.gitconfig", "[user]\n");
    room.git("config", "core.hooksPath", "githooks");
    room.git("config", "include.path", "../shared.gitconfig");
    await room.run(
      "echo evil > githooks/pre-commit; echo evil > shared.gitconfig; echo evil > githooks/pre-push",
    );
    expect([
      readFileSync(room.at("githooks/pre-commit"), "utf8"),
      readFileSync(room.at("shared.gitconfig"), "utf8"),
      existsSync(room.at("githooks/pre-push")),
    ]).toEqual(["mine", "[user]\n", false]);
  });

  held(
    "neither thousands of files nor closed directories keep protected ones from being put back",
    options,
    async () => {
      await using room = await openRoom({ sandbox: level });
      room.git("init", "-q", ".");
      mkdirSync(room.at(".git/hooks"), { recursive: true });
      const hooks = readdirSync(room.at(".git/hooks"));
      await room.run(`for i in $(seq 5200); do : > .git/hooks/a$i; done
      mkdir -p .vscode .claude/x .git/hooks/d
      for f in .mcp.json .vscode/tasks.json .claude/settings.json; do echo evil > $f; done
      chmod 0 .claude/x; chmod 555 .vscode .git/hooks/d .`);
      expect(readdirSync(room.at(".")).sort()).toEqual([".git", "script.sh"]);
      expect(readdirSync(room.at(".git/hooks"))).toEqual(hooks);
    },
  );

  held("a repository that lies elsewhere in the workspace is kept like any other", options, async () => {
    await using room = await openRoom({ sandbox: level });
    mkdirSync(room.at("store"));
    room.git("init", "-q", "--separate-git-dir=store/own", ".");
    await room.run(
      "echo evil > store/own/hooks/pre-commit; echo '[core] fsmonitor = evil' >> store/own/config",
    );
    expect([
      existsSync(room.at("store/own/hooks/pre-commit")),
      readFileSync(room.at("store/own/config"), "utf8"),
    ]).toEqual([false, expect.not.stringContaining("evil")]);
  });

  held(
    "nothing protected stays changed after a command of a session, though the shell lives on",
    options,
    async () => {
      await using room = await openRoom({ sandbox: level });
      room.git("init", "-q", ".");
      const config = readFileSync(room.at(".git/config"), "utf8");
      await room.run("echo evil > .git/hooks/pre-commit; echo evil >> .git/config; echo evil > .mcp.json", {
        session: "s",
      });
      expect([
        existsSync(room.at(".git/hooks/pre-commit")),
        readFileSync(room.at(".git/config"), "utf8"),
        existsSync(room.at(".mcp.json")) && readFileSync(room.at(".mcp.json"), "utf8") !== "",
      ]).toEqual([false, config, false]);
    },
  );

  held("a deep directory does not keep later commands from running", options, async () => {
    await using room = await openRoom({ sandbox: level });
    await room.run(`perl -e 'for (1 .. 600) { mkdir "dddddddddd"; chdir "dddddddddd" }'`);
    expect(await room.run("echo it runs; rm -rf dddddddddd")).toContain("it runs");
    expect(existsSync(room.at("dddddddddd"))).toBe(false);
  });
});

describe("at level bwrap", () => {
  const held = it.skipIf(missing.bwrap !== undefined);

  held("what is hidden stays hidden when its directory gets another name", options, async () => {
    await using room = await openRoom({ sandbox: "bwrap", rules: ["deny read config/production.json"] });
    room.put("packages/app/.env", "canary-1");
    room.put("keys/server.pem", "canary-2");
    room.put("config/production.json", "canary-3");
    const first = await room.run("mv packages node_modules; mkdir d; mv keys d/.git; mv config other");
    const second = await room.run("cat */*/.env */.env d/.git/* other/* */*.pem */*.json");
    expect(first + second).not.toContain("canary");
    expect(readFileSync(room.at("packages/app/.env"), "utf8")).toBe("canary-1");
  });
});

describe("in a session that is judged", () => {
  const texts = [
    "PROMPT_COMMAND='touch pwned'",
    "PS1='$(touch pwned)'",
    "PS0='$(touch pwned)'",
    "printf -v PROMPT_COMMAND 'touch pwned'",
  ];
  it.skipIf(missing.bwrap !== undefined).each(texts)("%s runs nothing unasked", options, async (command) => {
    await using room = await openRoom({ sandbox: "bwrap", mode: "cautious", rules: ["allow run @read"] });
    for (const each of [command, "ls", "ls"])
      await room.crib.call("shell.run", { command: each, session: "s" });
    expect(existsSync(room.at("pwned"))).toBe(false);
  });
});
