import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

interface TerminalOptions {
  readonly cwd: string;
  /** All variables of the shell; it inherits none. */
  readonly variables: Readonly<Record<string, string>>;
}

/** A terminal of 100 × 40 with a shell, in a tmux server of its own. */
export class Terminal {
  readonly #folder = mkdtempSync(join(tmpdir(), "terminal-"));
  #commands = 0;

  constructor({ cwd, variables }: TerminalOptions) {
    const words = Object.entries({ ...variables, TERM: "screen-256color", LANG: "C.UTF-8", PS1: "$ " });
    const shell = ["env", "-i", ...words.map(([name, value]) => `${name}=${value}`), "bash", "--norc"];
    this.#tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "40", "-c", cwd, ...shell);
  }

  /** Runs the commands of a block, one after the other, and waits for their end. Throws when one fails. */
  async run(block: string): Promise<void> {
    const number = ++this.#commands;
    for (const line of block.split("\n").slice(0, -1)) this.type(line);
    // Written in two parts, so that the typed line does not look like the result.
    this.type(`${block.split("\n").at(-1)}; echo "ended" ${number} with $?`);
    const [, code] = await this.shows(new RegExp(`^ended ${number} with (\\d+)`, "m"), 600_000);
    if (code !== "0") throw new Error(`A command failed:\n${this.screen()}`);
  }

  type(text: string): void {
    this.#tmux("send-keys", "-l", text);
    // Programs take text that arrives together with the key as pasted.
    execFileSync("sleep", ["1"]);
    this.#tmux("send-keys", "Enter");
  }

  async press(key: string): Promise<void> {
    this.#tmux("send-keys", key);
    await wait(1_000);
  }

  screen(): string {
    return this.#tmux("capture-pane", "-p");
  }

  /** Waits until the screen shows something. */
  async shows(pattern: RegExp, timeoutMs = 120_000): Promise<RegExpExecArray> {
    const until = performance.now() + timeoutMs;
    for (; performance.now() < until; await wait(200)) {
      const match = pattern.exec(this.screen());
      if (match) return match;
    }
    throw new Error(`The terminal did not show ${pattern}:\n${this.screen()}`);
  }

  close(): void {
    this.#tmux("kill-server");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #tmux(...words: readonly string[]): string {
    return execFileSync("tmux", ["-S", join(this.#folder, "socket"), ...words], { encoding: "utf8" });
  }
}
