// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the commands are shell
import { randomInt } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SandboxLevel } from "../../src/contract/call.ts";
import { processesWith } from "../../src/sandbox/proof/lab.ts";
import { openToolcrib, type ToolcribOptions } from "../../src/toolcrib/index.ts";
import { missingHere } from "../support/sandbox-fixture.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const missing: Partial<Record<SandboxLevel, string | undefined>> = {
  bwrap: await missingHere("bwrap"),
  landlock: await missingHere("landlock"),
};

/** Mistakes of other shell tools (facts C and F), at every sandbox level of this machine. */
const levels = (["bwrap", "landlock", "none"] as const).filter((level) => missing[level] === undefined);

for (const level of levels)
  describe(`commands at level ${level}`, level === levels[0] ? {} : { tags: "slow" }, () => testFacts(level));

function testFacts(sandbox: SandboxLevel): void {
  let fixture: Awaited<ReturnType<typeof openFixture>>;
  beforeAll(async () => {
    fixture = await openFixture({ sandbox });
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  it("report how they ended", { tags: "slow" }, async () => {
    const ends = [await fixture.run("exit 7"), await fixture.run("kill -9 $$"), await fixture.run("true")];
    expect(ends.map(({ exitCode, signal }) => ({ exitCode, signal }))).toEqual([
      { exitCode: 7, signal: null },
      // Bubblewrap reports signals as shells do.
      sandbox === "bwrap" ? { exitCode: 137, signal: null } : { exitCode: null, signal: "SIGKILL" },
      { exitCode: 0, signal: null },
    ]);
  });

  it("cannot control the terminal, and show characters whole that arrive in pieces", async () => {
    const clipboard = "printf '\\033]52;c;ZXZpbA==\\007\\033[31mred\\033[0m\\n'";
    const euro = "printf '\\342\\202'; sleep 0.1; printf '\\254\\n'";
    const { stdout, content } = await fixture.run(`${clipboard}; ${euro}`);
    expect([stdout, content.split("\n").slice(0, 2)]).toEqual(["red\n€\n", ["red", "€"]]);
  });

  it("leave nothing running, however many left their process group", { tags: "slow" }, async () => {
    const seconds = uniqueSeconds();
    const { exitCode } = await fixture.run(
      `for i in {1..200}; do setsid sleep ${seconds} < /dev/null > /dev/null 2>&1 & done; sleep 0.2; echo done`,
    );
    expect([exitCode, sleepers(seconds)]).toEqual([0, 0]);
  });

  it("leave nothing running after a timeout", { tags: "slow" }, async () => {
    const seconds = uniqueSeconds();
    const { error } = await fixture.crib.call("shell.run", {
      command: `trap '' TERM; setsid sleep ${seconds} & sleep ${seconds}`,
      timeout_ms: 500,
    });
    expect([error?.code, sleepers(seconds)]).toEqual(["timeout", 0]);
  });

  it("end when they exit, even if something holds their output open", async () => {
    const seconds = uniqueSeconds();
    const { stdout } = await fixture.run(`setsid sleep ${seconds} & echo said`);
    expect([stdout, sleepers(seconds)]).toEqual(["said\n", 0]);
  });

  it("see no variable that looks like a secret", async () => {
    const { stdout } = await fixture.run(
      "env | cut -d= -f1 | grep -Ei 'token|secret|key$|password' || echo none",
    );
    expect(stdout).toBe("none\n");
  });

  it("run exactly what was approved, even if their input changes (GHSA-2j8v-hwgc-x698)", async () => {
    const input = { command: "echo approved", cwd: "." };
    await using asking = await openFixture({
      sandbox,
      mode: "cautious",
      approve: async () => {
        Object.assign(input, { command: "echo evil > ran", cwd: "sub" });
        return { allow: true };
      },
    });
    const { content } = await asking.crib.call("shell.run", input);
    expect([content.split("\n")[0], existsSync(join(asking.workspace, "sub/ran"))]).toEqual([
      "approved",
      false,
    ]);
  });
}

describe.skipIf(levels[0] === "none")("commands of a session in a sandbox", () => {
  it("ask when earlier commands have changed what they do (CVE-2026-22708)", { tags: "slow" }, async () => {
    const asked: string[] = [];
    await using fixture = await openFixture({
      mode: "safe",
      rules: ["allow run git diff **"],
      approve: (request) => {
        asked.push(request.reason);
        return { allow: true };
      },
    });
    const diff = "git diff --no-index a b";
    const poisons = ["export GIT_EXTERNAL_DIFF=./evil", "export PATH=.:$PATH", "git() { ./evil; }"];
    for (const [index, poison] of ["true", ...poisons].entries()) {
      await fixture.crib.call("shell.run", { command: poison, session: `shell-${index}` });
      asked.length = 0;
      await fixture.crib.call("shell.run", { command: diff, session: `shell-${index}` });
      expect([poison, asked.length]).toEqual([poison, poison === "true" ? 0 : 1]);
    }
  });
});

async function openFixture(options: Partial<ToolcribOptions>) {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "work space");
  mkdirSync(join(workspace, "sub"), { recursive: true });
  for (const name of ["a", "b"]) writeFileSync(join(workspace, name), `${name}\n`);
  const crib = await openToolcrib({
    workspace,
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
    mode: "yolo",
    ...options,
  });
  return {
    workspace,
    crib,
    run: async (command: string) => {
      const { data, error, content } = await crib.call("shell.run", { command });
      if (error) throw new Error(error.message);
      return { ...(data as Ran), content };
    },
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

interface Ran {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
}

function uniqueSeconds(): string {
  return String(randomInt(100_000_000, 999_999_999));
}

/** Counts the processes that sleep this long. */
function sleepers(seconds: string): number {
  return processesWith("sleep", seconds).length;
}
