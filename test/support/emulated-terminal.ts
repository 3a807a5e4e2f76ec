import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import xterm from "@xterm/headless";
import { toCommandLine } from "../../src/lib/text/shell-quote.ts";
import { isAlive } from "./is-alive.ts";

/** A program on its own terminal, whose screen a terminal emulator draws. */
export interface EmulatedTerminal extends AsyncDisposable {
  /** The text on the screen now, without spaces at the ends of lines. */
  readonly screen: string;
  /** The screen with everything that has scrolled out of it. */
  readonly everything: string;
  /** Everything that the program has written. */
  readonly written: string;
  /** The title that the program has given to its window. */
  readonly title: string;
  /** Returns the screen as soon as it shows the text. Fails when the program ends before. */
  shows(text: string | RegExp): Promise<string>;
  type(keys: string): void;
  resize(columns: number, rows: number): Promise<void>;
  /** Closes the terminal, as a user closes a window. */
  hangUp(): void;
  /** Resolves when the program has ended and the screen shows everything that it has written. */
  readonly exit: Promise<number | null>;
  /** The id of the program's process. */
  readonly pid: number;
}

export interface TerminalSetup {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly columns?: number;
  readonly rows?: number;
}

/** Needs `script` of util-linux, see `hasTerminals`. Use with `await using`. */
export function emulatedTerminal(
  words: readonly string[],
  { cwd, env = process.env, columns = 80, rows = 24 }: TerminalSetup,
): EmulatedTerminal {
  const line = `tty; echo pid $$; stty cols ${columns} rows ${rows}; exec ${toCommandLine(words)}`;
  const child = spawn("script", ["-qec", line, "/dev/null"], {
    cwd,
    env: { ...env, SHELL: "/bin/sh", TERM: "xterm-256color" },
  });
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 100_000, allowProposedApi: true });
  const waiting = new Set<() => void>();
  let written = "";
  let title = "";
  let isOver = false;
  terminal.onTitleChange((text) => {
    title = text;
  });
  // The emulator answers the terminal queries of the program.
  terminal.onData((answer) => child.stdin.write(answer));
  child.stdin.on("error", () => {});
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    written += text;
    terminal.write(text, () => {
      for (const check of waiting) check();
    });
  });
  const exit = once(child, "close").then(async ([code]) => {
    isOver = true;
    // The emulator draws in the background; this is called when everything is on the screen.
    await new Promise<void>((resolve) => terminal.write("", resolve));
    for (const check of waiting) check();
    return code as number | null;
  });
  const linesFrom = (start: number) => {
    const { active } = terminal.buffer;
    const lines: string[] = [];
    for (let index = start; index < active.length; index += 1)
      lines.push(active.getLine(index)?.translateToString(true) ?? "");
    return lines
      .map((shown) => shown.trimEnd())
      .join("\n")
      .trimEnd();
  };
  return {
    get screen() {
      return linesFrom(terminal.buffer.active.baseY);
    },
    get everything() {
      return linesFrom(0);
    },
    get written() {
      return written;
    },
    get title() {
      return title;
    },
    get pid() {
      return Number(/pid (\d+)/.exec(written)?.[1]);
    },
    exit,
    async shows(text) {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const check = () => {
        const screen = linesFrom(terminal.buffer.active.baseY);
        if (typeof text === "string" ? screen.includes(text) : text.test(screen)) resolve(screen);
        else if (isOver) reject(new Error(`The program ended and never showed ${text}:\n${screen}`));
      };
      waiting.add(check);
      check();
      // Fails before the test itself times out without a message.
      const patience = setTimeout(
        () => reject(new Error(`Never showed ${text}:\n${linesFrom(0)}`)),
        patienceMs,
      );
      return promise.finally(() => {
        clearTimeout(patience);
        waiting.delete(check);
      });
    },
    type: (keys) => void child.stdin.write(keys),
    async resize(wide, high) {
      const device = /\/dev\/\S+/.exec(written)?.[0] ?? "";
      terminal.resize(wide, high);
      spawnSync("stty", ["-F", device, "cols", String(wide), "rows", String(high)]);
    },
    hangUp: () => void child.kill("SIGKILL"),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exit;
      // The program notices the closed terminal, and still writes until it has ended.
      const pid = Number(/pid (\d+)/.exec(written)?.[1]);
      const endBy = Date.now() + patienceMs;
      while (pid > 0 && isAlive(pid) && Date.now() < endBy) await pause(20);
      terminal.dispose();
    },
  };
}

const patienceMs = 50_000;
