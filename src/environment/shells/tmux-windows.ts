import { constants, openSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Environment, RunningProcess } from "../../contract/environment.ts";
import { monotonicMs } from "../../lib/clock.ts";
import { printable } from "../../lib/text/printable.ts";

interface WindowListener {
  onLine(line: string): void;
  onInterrupt(): void;
}

/**
 * Windows of a separate tmux server. A window only shows output and passes on typed lines. No command runs in it, so
 * none can control its terminal or connect to tmux.
 */
export class TmuxWindows {
  readonly #directory: string;
  readonly #ending = new AbortController();
  #windows = 0;
  #server: Promise<RunningProcess | undefined> | undefined;

  /** Commands must not see `directory`. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Opens a window; undefined when tmux is missing or too old. */
  async open(
    name: string,
    listener: WindowListener,
    helpers: {
      readonly environment: Environment;
      readonly makePipes: (paths: readonly string[]) => Promise<void>;
    },
  ): Promise<Window | undefined> {
    this.#server ??= this.#serve(helpers.environment);
    if ((await this.#server) === undefined) return undefined;
    this.#windows += 1;
    const shown = join(this.#directory, `${this.#windows}.shown`);
    const typed = join(this.#directory, `${this.#windows}.typed`);
    await helpers.makePipes([shown, typed]);
    const attach = `tmux -S ${this.#socket} attach -t ${name}`;
    const window = new Window({ shown, typed, attach }, listener);
    const isOpen = await this.#run(helpers.environment, [
      ...["new-session", "-d", "-s", name, "-x", "200", "-y", "50"],
      ...["/bin/sh", "-c", terminalProgram, "sh", shown, typed],
      // From now on the last window ends the server, even when this process is killed.
      ...[";", "set", "-s", "exit-empty", "on"],
    ]);
    if (isOpen) return window;
    window.close();
    return undefined;
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await (await this.#server)?.exit;
  }

  get #socket(): string {
    return join(this.#directory, "tmux");
  }

  async #serve(environment: Environment): Promise<RunningProcess | undefined> {
    const settings = join(this.#directory, "tmux.conf");
    writeFileSync(settings, tmuxSettings, { mode: 0o600 });
    try {
      const server = await environment.start("tmux", {
        args: ["-S", this.#socket, "-f", settings, "-D"],
        confinement: "ours",
        signal: this.#ending.signal,
      });
      let hasEnded = false;
      void server.exit.then(() => {
        hasEnded = true;
        this.#server = undefined;
      });
      for (const deadline = monotonicMs() + patienceMs; monotonicMs() < deadline && !hasEnded; ) {
        if (await this.#run(environment, ["start-server"])) return server;
        await setTimeout(20);
      }
      server.stop();
    } catch {
      // tmux is not installed.
    }
    return undefined;
  }

  async #run(environment: Environment, args: readonly string[]): Promise<boolean> {
    const client = await environment.start("tmux", {
      // -N: the client must not start a server.
      args: ["-N", "-S", this.#socket, ...args],
      confinement: "ours",
      signal: this.#ending.signal,
    });
    return (await client.exit).code === 0;
  }
}

const patienceMs = 2000;

/** These settings keep the shown output from changing the user's clipboard, titles or window names. */
const tmuxSettings = `set -s set-clipboard off
set -g set-titles off
set -g status-right ""
set -g update-environment ""
setw -g allow-rename off
setw -g automatic-rename off
set -g history-limit 10000
set -g default-shell /bin/sh
`;

/** The program in a window. It passes on lines and Ctrl-C, and shows output. It ends when Toolcrib closes its pipe. */
const terminalProgram = `stty -ixon 2>/dev/null
trap "" QUIT TSTP
{ cat "$1"; kill $$; } &
exec 3>"$2"
trap 'printf "\\003\\n" >&3' INT
while :; do IFS= read -r line && printf "%s\\n" "$line" >&3; done`;

const mostUnshown = 256 * 1024;

/** Shows the user the output of a shell, and lets them type commands for it. */
export class Window {
  /** The command that the user runs to open it. */
  readonly attach: string;
  readonly #shown: Socket;
  readonly #typed: Socket;
  isOpen = true;

  constructor(
    paths: { readonly shown: string; readonly typed: string; readonly attach: string },
    listener: WindowListener,
  ) {
    this.attach = paths.attach;
    const { O_RDONLY, O_RDWR, O_NONBLOCK } = constants;
    // O_RDWR keeps both ends of the pipe open until the window has opened its own.
    const [shown, typed] = [
      openSync(paths.shown, O_RDWR | O_NONBLOCK),
      openSync(paths.typed, O_RDONLY | O_NONBLOCK),
    ];
    this.#shown = new Socket({ fd: shown, readable: false, writable: true });
    this.#typed = new Socket({ fd: typed, readable: true, writable: false });
    for (const socket of [this.#shown, this.#typed]) {
      socket.unref();
      socket.on("error", () => this.close());
    }
    this.#typed.once("close", () => this.close());
    this.#listen(listener);
  }

  /** Whether much output is waiting to be shown. */
  get isBehind(): boolean {
    return this.#shown.writableLength >= mostUnshown;
  }

  /** Shows text without control sequences. */
  show(text: string): void {
    if (this.isOpen) this.#shown.write(printable(text));
  }

  close(): void {
    this.isOpen = false;
    this.#shown.destroy();
    this.#typed.destroy();
  }

  #listen({ onLine, onInterrupt }: WindowListener): void {
    let rest = "";
    this.#typed.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      for (const line of lines) {
        if (line === "\u0003") onInterrupt();
        else onLine(line);
      }
    });
  }
}

/** Shows the output of a command in the window, up to a readable amount. */
export class ShownOutput {
  readonly #window: Window | undefined;
  readonly #decoder = new TextDecoder();
  #left = 1024 * 1024;
  #isCut = false;

  constructor(window: Window | undefined) {
    this.#window = window;
  }

  take(bytes: Uint8Array): void {
    if (this.#window === undefined) return;
    this.#isCut ||= bytes.length > this.#left || this.#window.isBehind;
    if (this.#isCut) return;
    this.#left -= bytes.length;
    this.#window.show(this.#decoder.decode(bytes, { stream: true }));
  }

  end(): string {
    return this.#isCut ? "\n[the rest is not shown]\n" : "";
  }
}
