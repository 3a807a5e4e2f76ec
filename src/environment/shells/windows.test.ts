import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isInstalled } from "../../../test/support/shells/is-installed.ts";
import type { Environment } from "../../contract/environment.ts";
import type { RunningCommand } from "../../contract/process.ts";
import { processInfo } from "../../system/process-identity.ts";
import { openLocalEnvironment } from "../local/local-environment.ts";
import { openShells, type ShellTable } from "./open-shells.ts";
import { ShellsDirectory } from "./shells-directory.ts";

let workspace = "";
let environment: Environment;
let shells: ShellTable;

beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), "windows ")));
  environment = openLocalEnvironment({ workspace });
  shells = openShells({ tmux: "auto" });
});

afterEach(async () => {
  await shells.close();
  await environment.close();
  rmSync(workspace, { recursive: true, force: true });
});

function begin(command: string): Promise<RunningCommand> {
  const { signal } = new AbortController();
  return shells.forCall({ environment }).run("main", { command, signal });
}

async function run(command: string) {
  const running = await begin(command);
  const pieces: Uint8Array[] = [];
  for await (const piece of running.stdout) pieces.push(piece);
  const { remarks } = await running.exit;
  return { stdout: Buffer.concat(pieces).toString(), remarks, attach: running.attach };
}

/** Does what a user does who follows the advice of `attach`. */
function tmux(attach: string | undefined, ...args: readonly string[]): string {
  const [program, ...start] = attach!.split(" attach ")[0]!.split(" ");
  return execFileSync(program!, [...start, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

const seen = (attach: string | undefined) => tmux(attach, "capture-pane", "-p", "-J", "-t", "main");
const type = (attach: string | undefined, ...keys: readonly string[]) =>
  tmux(attach, "send-keys", "-t", "main", ...keys);

describe.skipIf(!isInstalled("tmux"))("the window of a shell (needs tmux)", () => {
  it("shows commands and their output", { tags: "slow" }, async () => {
    const { attach } = await run("echo one; echo two >&2; exit_code() { return 3; }; exit_code");
    expect(attach).toMatch(/^tmux -S \/\S+\/windows\/tmux attach -t main$/);
    await expect.poll(() => seen(attach)).toContain("exit_code\none\ntwo\n[exit 3]\n");
  });

  it("lets a user type commands, which are reported to calls", { tags: "slow" }, async () => {
    const { attach } = await run("true");
    type(attach, "x=typed; cd /", "Enter");
    await expect.poll(() => shells.history("main")?.cwd).toEqual("/");
    expect(shells.history("main")).toEqual({ commands: ["true", "x=typed; cd /"], isWhole: true, cwd: "/" });
    expect(await run("echo $x")).toEqual({
      stdout: "typed\n",
      remarks: ["The user has typed commands in the window of this session since the last command."],
      attach,
    });
    expect((await run("true")).remarks).toEqual([]);
    type(attach, "echo for $USER_EYES only", "Enter");
    await expect.poll(() => seen(attach)).toContain("\nfor only\n");
  });

  it("lets a user end the shell, which is reported to calls, even after more typing", {
    tags: "slow",
  }, async () => {
    const gone =
      "The shell of this session had ended. This is a new one: the directory, variables and functions are gone.";
    const { attach } = await run("x=lost");
    type(attach, "exit", "Enter");
    await expect.poll(() => shells.history("main")).toEqual(undefined);
    expect(await run("echo $x")).toEqual({ stdout: "\n", remarks: [gone], attach });
    expect((await run("true")).remarks).toEqual([]);
    type(attach, "exit", "Enter", "y=new", "Enter");
    await expect.poll(() => shells.history("main")?.commands).toEqual(["y=new"]);
    expect(await run("echo $y")).toEqual({
      stdout: "new\n",
      remarks: [gone, "The user has typed commands in the window of this session since the last command."],
      attach,
    });
  });

  it("lets a user end a command", async () => {
    const running = await begin("x=kept; sleep 60");
    await expect.poll(() => seen(running.attach)).toContain("sleep 60");
    type(running.attach, "C-c");
    expect(await running.exit).toEqual({
      code: 130,
      signal: undefined,
      cwd: workspace,
      remarks: ["The user ended the command in the window of this session."],
    });
    expect((await run("echo $x")).stdout).toEqual("kept\n");
  });

  it("shows no terminal control sequences", async () => {
    const { attach } = await run(
      "printf '\\033]52;c;ZXZpbA==\\007\\033[2J\\033Ptmux;x\\033\\\\\\302\\233c-end'",
    );
    await expect
      .poll(() => seen(attach))
      .toContain("<U+001B>]52;c;ZXZpbA==<U+0007><U+001B>[2J<U+001B>Ptmux;x<U+001B>\\<U+009B>c-end");
    expect(() => tmux(attach, "show-buffer")).toThrow("no buffers");
  });

  it("opens again after a user closed it, and the shell continues", { tags: "slow" }, async () => {
    const { attach } = await run("x=kept");
    tmux(attach, "kill-session", "-t", "main");
    const runAndSee = async () => {
      expect((await run("echo $x")).stdout).toEqual("kept\n");
      return seen(attach);
    };
    await expect.poll(runAndSee).toContain("kept");
  });

  it("is not blocked by a user who does not read, or by endless output", async () => {
    const { attach, stdout } = await run("head -c 3000000 /dev/zero | tr '\\0' x; echo");
    expect(stdout.length).toEqual(3_000_001);
    await expect.poll(() => seen(attach)).toContain("[the rest is not shown]");
  });

  it("closes with the instance", async () => {
    const { attach } = await run("true");
    const directory = dirname(dirname(attach!.split(" ")[2]!));
    expect(existsSync(directory)).toEqual(true);
    await shells.close();
    expect(() => tmux(attach, "ls")).toThrow();
    expect(existsSync(directory)).toEqual(false);
  });

  it("closes with the shell when Toolcrib is killed", { tags: "slow" }, async () => {
    const program = fileURLToPath(new URL("../../../test/support/shells/abandon-shell.ts", import.meta.url));
    const abandoned = spawn(process.execPath, [program, workspace], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await once(abandoned.stdout, "data");
    const { shell, attach } = JSON.parse(String(line));
    expect(tmux(attach, "ls")).toMatch(/^main: 1 windows/);
    // Later, tests in other processes may remove it, too.
    const directory = dirname(dirname(attach.split(" ")[2]));
    expect(existsSync(directory)).toEqual(true);
    abandoned.kill("SIGKILL");
    await once(abandoned, "exit");
    const isGone = (look: () => unknown) => {
      try {
        look();
        return false;
      } catch {
        return true;
      }
    };
    await expect.poll(() => isGone(() => tmux(attach, "ls"))).toEqual(true);
    // Without an init process, orphans stay as zombies.
    await expect.poll(() => processInfo(shell)?.isOver ?? true).toEqual(true);
    new ShellsDirectory().remove();
    expect(existsSync(directory)).toEqual(false);
  });
});
