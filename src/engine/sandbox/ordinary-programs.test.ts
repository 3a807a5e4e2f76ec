import { chownSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { missingHere } from "../../../test/support/sandbox-fixture.ts";
import { isInstalled } from "../../../test/support/shells/is-installed.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { temporaryToolcrib } from "../../../test/support/temporary-toolcrib.ts";
import { withVariables } from "../../../test/support/with-variables.ts";
import { quotePathForRule } from "../../lib/text/rule-text.ts";
import { openToolcrib, type ToolcribOptions } from "../../toolcrib/index.ts";

const levels = ["bwrap", "landlock"] as const;
const missing = { bwrap: await missingHere("bwrap"), landlock: await missingHere("landlock") };
const inBubblewrap = it.skipIf(missing.bwrap !== undefined);
/** A test in bubblewrap that needs these programs. */
const withPrograms = (...names: readonly string[]) =>
  it.skipIf(missing.bwrap !== undefined || !names.every(isInstalled));

interface Ran {
  readonly stdout: string;
  readonly exitCode: number | null;
  readonly remarks: readonly string[];
}

async function openShell(options: Pick<ToolcribOptions, "sandbox" | "rules" | "dialect">) {
  const opened = await temporaryToolcrib({ mode: "yolo", ...options });
  return {
    ...opened,
    run: async (command: string): Promise<Ran> => {
      const { data, error } = await opened.crib.call("shell.run", { command });
      if (data === null) throw new Error(error?.message);
      return data as Ran;
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

describe.each(levels)("in %s", (sandbox) => {
  const test = it.skipIf(missing[sandbox] !== undefined);

  test("commands get variables, and the rule for one that is withheld", { tags: "slow" }, async () => {
    using _ = withVariables({ TRIAL_PLAIN: "plain", TRIAL_TOKEN: "canary", NODE_OPTIONS: "--no-warnings" });
    await using shell = await openShell({ sandbox });
    const shown = await shell.run('echo "$TRIAL_PLAIN $NODE_OPTIONS [$TRIAL_TOKEN]"');
    expect(shown).toMatchObject({ stdout: "plain --no-warnings []\n", remarks: [] });
    const { remarks } = await shell.run('test -n "$TRIAL_TOKEN"');
    expect(remarks).toEqual([
      "Commands do not get TRIAL_TOKEN from the environment. The rule `pass TRIAL_TOKEN` passes it on.",
    ]);
    await using passing = await openShell({ sandbox, rules: ["pass TRIAL_TOKEN"] });
    expect((await passing.run('echo "$TRIAL_TOKEN"')).stdout).toBe("canary\n");
    await using allowList = await openShell({ sandbox, dialect: "openai" });
    expect((await allowList.run('echo "[$TRIAL_PLAIN]"')).stdout).toBe("[]\n");
  });

  test("settings of the home are visible without secrets", { tags: "slow" }, async () => {
    await using folder = temporaryFolder();
    mkdirSync(join(folder.path, ".config/pip"), { recursive: true });
    writeFileSync(join(folder.path, ".npmrc"), "registry=http://mirror.example/\n//m/:_authToken=canary\n");
    writeFileSync(join(folder.path, ".config/pip/pip.conf"), "[global]\nindex-url=http://mirror.example/\n");
    writeFileSync(join(folder.path, ".netrc"), "machine m login l password canary\n");
    using _ = withVariables({ HOME: folder.path });
    await using shell = await openShell({ sandbox });
    shell.write("look.sh", "cat ~/.npmrc ~/.config/pip/pip.conf; cat ~/.netrc");
    expect((await shell.run("bash look.sh")).stdout).toBe(
      "registry=http://mirror.example/\n[global]\nindex-url=http://mirror.example/\n",
    );
  });

  it.skipIf(missing[sandbox] !== undefined || !isInstalled("strace"))(
    "tracing is refused with a hint",
    { tags: "slow" },
    async () => {
      await using shell = await openShell({ sandbox });
      expect((await shell.run("strace true")).remarks).toContainEqual(
        expect.stringMatching(/^The sandbox refuses tracing \(ptrace\), /),
      );
    },
  );

  it.skipIf(missing[sandbox] !== undefined || process.getuid?.() !== 0)(
    "root learns why it cannot change files of others",
    { tags: ["root", "slow"] },
    async () => {
      await using shell = await openShell({ sandbox });
      shell.write("theirs", "text");
      chownSync(shell.at("theirs"), 1000, 1000);
      expect((await shell.run("echo more >> theirs")).remarks).toEqual([
        expect.stringMatching(/^theirs belongs to another user, /),
      ]);
    },
  );
});

inBubblewrap(
  "processes that end with their command are named, once they had time to end",
  {
    tags: "slow",
  },
  async () => {
    await using shell = await openShell({ sandbox: "bwrap" });
    expect((await shell.run("sleep 60 & sleep 60 & echo started")).remarks).toEqual([
      "Processes that the command left running were ended: sleep. For long-running commands use process.start.",
    ]);
    const written = await shell.run("echo text | tee >(sleep 0.05; cat > copy) > /dev/null");
    expect([written.remarks, shell.read("copy")]).toEqual([[], "text\n"]);
    expect((await shell.run("sleep 0.01 & true")).remarks).toEqual([]);
  },
);

inBubblewrap(
  "a link to a toolchain runs without a question, and no other link does",
  { tags: "slow" },
  async () => {
    await using folder = temporaryFolder();
    using _ = withVariables({ HOME: folder.path });
    const put = (path: string, content: string) => {
      mkdirSync(dirname(join(folder.path, path)), { recursive: true });
      writeFileSync(join(folder.path, path), content, { mode: 0o755 });
    };
    put(".pyenv/versions/3/bin/python", "#!/bin/sh\necho 3\n");
    put(".cargo/credentials.toml", "canary");
    put("notes.txt", "canary");
    await using opened = await temporaryToolcrib({ mode: "cautious", sandbox: "bwrap" });
    const links = {
      "venv/python3": ".pyenv/versions/3/bin/python",
      "venv/credentials": ".cargo/credentials.toml",
      "venv/notes": "notes.txt",
      "venv/home": ".",
    };
    mkdirSync(opened.at("venv"));
    for (const [path, target] of Object.entries(links))
      symlinkSync(join(folder.path, target), opened.at(path));
    symlinkSync("python3", opened.at("venv/python"));
    const run = async (command: string) => {
      const { content, error } = await opened.crib.call("shell.run", { command });
      return error?.code ?? content;
    };
    expect([
      await run("venv/python"),
      await run("~/.pyenv/versions/3/bin/python"),
      await run("cat venv/notes"),
      await run("cat venv/home/notes.txt"),
      await run("cat venv/credentials"),
    ]).toEqual(["3", "3", "needs-approval", "needs-approval", "denied"]);
  },
);

withPrograms("git")(
  "a folder of a repository sees the rest by a rule that is named",
  { tags: "slow" },
  async () => {
    await using folder = temporaryFolder();
    const workspace = join(folder.path, "packages/a");
    for (const path of [workspace, join(folder.path, "node_modules/x")]) mkdirSync(path, { recursive: true });
    mkdirSync(join(folder.path, ".git"));
    writeFileSync(join(folder.path, "node_modules/x/index.js"), "console.log('found')");
    const command = "node -e 'require(\"x\")'";
    const open = (rules: readonly string[]) =>
      temporaryToolcrib({ mode: "yolo", sandbox: "bwrap", workspace, rules });
    const rule = `allow read ${quotePathForRule(folder.path)}/**`;
    await using without = await open([]);
    const { data } = await without.crib.call("shell.run", { command });
    expect(data?.remarks).toEqual([expect.stringContaining(`or add the rule \`${rule}\``)]);
    await using withRule = await open([rule]);
    expect((await withRule.crib.call("shell.run", { command })).content).toBe("found");
  },
);

inBubblewrap("the signal or code of a command is what it is outside", { tags: "slow" }, async () => {
  await using shell = await openShell({ sandbox: "bwrap" });
  const ends = ["exit 7", "kill -KILL $$", "kill -SEGV $$"].map(async (command) => {
    const { data } = await shell.crib.call("shell.run", { command });
    return [data?.exitCode, data?.stdout, data?.stderr];
  });
  expect(await Promise.all(ends)).toEqual([
    [7, "", ""],
    [137, "", ""],
    [139, "", ""],
  ]);
});

withPrograms("fakeroot")("fakeroot gives files to others", { tags: "slow" }, async () => {
  await using shell = await openShell({ sandbox: "bwrap" });
  const { stdout } = await shell.run(
    "touch f; fakeroot sh -c 'chown 1234:1235 f; stat -c %u:%g f'; stat -c %u f | grep -c 1234",
  );
  expect(stdout).toBe("1234:1235\n0\n");
});

withPrograms("python3", "ss", "curl")(
  "a server is listed, and answers at every name of the machine",
  { tags: "slow" },
  async () => {
    await using shell = await openShell({ sandbox: "bwrap" });
    const { stdout } = await shell.run(
      `python3 -m http.server 8471 > /dev/null 2>&1 &
      for try in $(seq 200); do curl -so /dev/null localhost:8471 && break; sleep 0.05; done
      for name in localhost 127.0.0.1 0.0.0.0 "$(hostname)"; do curl -so /dev/null -w '%{http_code} ' "http://$name:8471/"; done
      ss -ltn 2> /dev/null | grep -c :8471`,
    );
    expect(stdout).toBe("200 200 200 200 1\n");
  },
);

withPrograms("vim")("an editor without a terminal ends soon", { tags: "slow" }, async () => {
  await using shell = await openShell({ sandbox: "bwrap" });
  shell.write("a.txt", "text\n");
  const { error } = await shell.crib.call("shell.run", { command: "vim a.txt" });
  expect(error?.message).toBe("The command waited for input, which it cannot get, and was stopped");
});

inBubblewrap(
  "the temporary directory that tools and commands share outlives another instance",
  {
    tags: "slow",
  },
  async () => {
    await using folder = temporaryFolder();
    const workspace = join(folder.path, "workspace");
    mkdirSync(workspace);
    const open = () =>
      openToolcrib({
        ...{ workspace, dialect: "omega", mode: "yolo", sandbox: "bwrap" },
        stateDirectory: join(folder.path, "state"),
        configDirectory: join(folder.path, "config"),
      });
    const first = await open();
    const second = await open();
    const running = second.call("bash", {
      command: "touch begun; until [ -e go ]; do sleep 0.05; done; mkdir /tmp/made && cat /tmp/note",
    });
    while (!existsSync(join(workspace, "begun"))) await setTimeout(10);
    await first.close();
    await second.call("write", { file_path: "/tmp/note", content: "shared\n" });
    writeFileSync(join(workspace, "go"), "");
    expect((await running).content).toBe("shared\n");
    expect((await second.call("bash", { command: "name=note; cat /tmp/$name" })).content).toBe("shared\n");
    await second.close();
  },
);
