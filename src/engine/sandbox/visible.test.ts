import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { missingHere } from "../../../test/support/sandbox-fixture.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { attempt } from "../../system/attempt.ts";
import { openToolcrib, type Toolcrib } from "../../toolcrib/index.ts";

const levels = ["bwrap", "landlock"] as const;
const missing = { bwrap: await missingHere("bwrap"), landlock: await missingHere("landlock") };

/** A folder of this machine that is neither the home nor temporary; undefined when none can be made. */
function makeElsewhere(): string | undefined {
  for (const parent of ["/srv", "/var/local", "/opt", "/"]) {
    const made = attempt(() => realpathSync(mkdtempSync(join(parent, "toolcrib-test-"))));
    if (made !== undefined) return made;
  }
  return undefined;
}

interface Machine extends AsyncDisposable {
  readonly elsewhere: string;
  readonly workspace: string;
  run(command: string, mode?: "yolo" | "cautious"): Promise<{ stdout: string; remarks: readonly string[] }>;
}

async function openMachine(
  sandbox: (typeof levels)[number],
  rules: (elsewhere: string) => readonly string[] = () => [],
): Promise<Machine | undefined> {
  const elsewhere = makeElsewhere();
  if (elsewhere === undefined) return undefined;
  const folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  mkdirSync(workspace);
  const crib: Toolcrib = await openToolcrib({
    ...{ workspace, sandbox, mode: "yolo", rules: rules(elsewhere) },
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
  });
  return {
    elsewhere,
    workspace,
    run: async (command) => {
      const { data, error } = await crib.call("shell.run", { command });
      if (data === null) throw new Error(error?.message);
      return data as { stdout: string; remarks: readonly string[] };
    },
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      rmSync(elsewhere, { recursive: true });
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Writes the script to a file, so that its words do not name the paths. */
function script(machine: Machine, lines: string): string {
  writeFileSync(join(machine.workspace, "look.sh"), lines);
  return "bash look.sh";
}

describe.each(levels)("in %s", (level) => {
  const test = it.skipIf(missing[level] !== undefined);

  test("commands cannot read secrets outside the workspace and the home", { tags: "slow" }, async () => {
    await using machine = await openMachine(level);
    if (machine === undefined) return;
    const { elsewhere } = machine;
    mkdirSync(join(elsewhere, "x/deep/er/still"), { recursive: true });
    for (const name of ["x/.env", "x/plain", "x/deep/er/still/.env"])
      writeFileSync(join(elsewhere, name), "canary");
    const { stdout } = await machine.run(
      script(
        machine,
        `cat '${elsewhere}'/x/.env '${elsewhere}'/x/plain '${elsewhere}'/x/deep/er/still/.env; grep -r canary '${elsewhere}'`,
      ),
    );
    expect(stdout).toBe("");
  });

  test("a rule shows a folder without the secrets in it", { tags: "slow" }, async () => {
    await using machine = await openMachine(level, (elsewhere) => [
      `allow read ${elsewhere}/x/**`,
      `allow read ${elsewhere}/link/**`,
      `deny read ${elsewhere}/x/denied/**`,
    ]);
    if (machine === undefined) return;
    const { elsewhere } = machine;
    mkdirSync(join(elsewhere, "x/deep/er/still"), { recursive: true });
    mkdirSync(join(elsewhere, "x/denied"));
    symlinkSync("x", join(elsewhere, "link"));
    for (const name of ["x/.env", "x/denied/key", "x/deep/er/still/.env"])
      writeFileSync(join(elsewhere, name), "canary");
    writeFileSync(join(elsewhere, "x/plain"), "plain\n");
    const { stdout } = await machine.run(
      script(
        machine,
        `cd '${elsewhere}'; cat x/plain link/plain; cat x/.env x/denied/key x/deep/er/still/.env link/.env; grep -r canary .`,
      ),
    );
    expect(stdout).toBe("plain\nplain\n");
  });

  test("rules hide what they spell out in system directories", { tags: ["root", "slow"] }, async () => {
    const made = attempt(() => mkdtempSync("/opt/toolcrib-test-"));
    if (made === undefined) return;
    try {
      await using machine = await openMachine(level, () => [`deny read ${made}/private/**`]);
      if (machine === undefined) return;
      mkdirSync(join(made, "private/deep"), { recursive: true });
      writeFileSync(join(made, "private/deep/key"), "canary");
      writeFileSync(join(made, "plain"), "plain\n");
      const { stdout } = await machine.run(
        script(machine, `cat '${made}/plain'; cat '${made}/private/deep/key'; grep -r canary '${made}'`),
      );
      expect(stdout).toBe("plain\n");
    } finally {
      rmSync(made, { recursive: true });
    }
  });

  test("writing outside fails with an error", { tags: "slow" }, async () => {
    await using machine = await openMachine(level);
    if (machine === undefined) return;
    const { elsewhere } = machine;
    const paths = [`${elsewhere}/new`, "/new", "/srv/new", "/usr/new", "/etc/new", "/var/new", "/run/new"];
    const { stdout } = await machine.run(
      script(
        machine,
        paths.map((path) => `mkdir -p '${path}' 2> /dev/null && echo 'made ${path}'`).join("\n"),
      ),
    );
    expect([stdout, readdirSync(elsewhere), existsSync("/new")]).toEqual(["", [], false]);
  });

  test("a failure names the rule for a path that commands do not see", { tags: "slow" }, async () => {
    await using machine = await openMachine(level);
    if (machine === undefined) return;
    const { elsewhere } = machine;
    writeFileSync(join(elsewhere, "data"), "text");
    const { remarks } = await machine.run(script(machine, `cat '${elsewhere}/data'`));
    expect(remarks).toContain(
      `Commands do not see ${elsewhere}/data. The rule \`allow read ${elsewhere}/data\` shows it to them.`,
    );
  });

  test("git finds what the user's settings name", { tags: "slow" }, async () => {
    const home = process.env.HOME!;
    await using folder = temporaryFolder();
    for (const name of ["home", "home/dotfiles"]) mkdirSync(join(folder.path, name));
    const own = join(folder.path, "home");
    writeFileSync(join(own, ".gitconfig"), "[include]\n\tpath = dotfiles/git\n");
    writeFileSync(
      join(own, "dotfiles/git"),
      "[core]\n\texcludesFile = ~/dotfiles/ignore\n[alias]\n\tgreet = !echo hello\n",
    );
    writeFileSync(join(own, "dotfiles/ignore"), "*.left-out\n");
    process.env.HOME = own;
    try {
      await using machine = await openMachine(level);
      if (machine === undefined) return;
      execFileSync("git", ["init", "-q"], { cwd: machine.workspace });
      writeFileSync(join(machine.workspace, "a.left-out"), "");
      const { stdout } = await machine.run(
        script(machine, "git greet; git status --short | grep left-out; ls ~/dotfiles"),
      );
      expect(stdout).toBe("hello\ngit\nignore\n");
    } finally {
      process.env.HOME = home;
    }
  });
});
