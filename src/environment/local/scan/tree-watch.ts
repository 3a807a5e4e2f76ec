import { type ChildProcess, spawn } from "node:child_process";
import { perlProgram } from "../../../system/perl-program.ts";

/** The changes since the last answer. */
export interface TreeChanges {
  /** Directories with events in them, relative to the root, which itself is "". */
  readonly directories: ReadonlySet<string>;
  /** Files that came and went. */
  readonly fleeting: readonly string[];
  /** Inodes of files that a process has mapped. Changes of them may have no event yet. */
  readonly mapped: ReadonlySet<number>;
}

/**
 * Watches directories with a Perl program that uses inotify. `fs.watch` is not enough: it does not report the end of
 * mappings or lost events.
 */
export class TreeWatch {
  /** The watched directories. */
  readonly directories: ReadonlySet<string>;
  readonly #child: ChildProcess;
  #text = "";
  #answer: ((text: string | undefined) => void) | undefined;
  #hasEnded = false;

  private constructor(child: ChildProcess, directories: ReadonlySet<string>) {
    this.#child = child;
    this.directories = directories;
    // Names are compared with those that Node reads, so both are decoded in the same way.
    child.stdout?.setEncoding("utf8");
    child.stdout?.on("data", (piece: string) => {
      this.#text += piece;
      if (this.#text === "\0" || this.#text.endsWith("\0\0")) this.#settle(this.#text);
    });
    // Without free descriptors there are no pipes, and an error follows.
    child.stdin?.on("error", () => {});
    child.on("error", () => this.#end());
    child.on("close", () => this.#end());
    this.#hold("unref");
  }

  /** Returns undefined when not every directory can be watched. */
  static async start(
    perl: string,
    root: string,
    directories: ReadonlySet<string>,
  ): Promise<TreeWatch | undefined> {
    const args = ["-e", perlProgram("watch-tree.pl", import.meta.url)];
    const child = spawn(perl, args, { cwd: root, env: {}, stdio: ["pipe", "pipe", "ignore"] });
    const watch = new TreeWatch(child, directories);
    const names = Array.from(directories, (path) => `${path === "" ? "." : path}\0`).join("");
    if ((await watch.#ask(`${names}\0`)) !== undefined) return watch;
    await watch.close();
    return undefined;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Returns everything that happened before the call; undefined when that is not known. */
  async changes(): Promise<TreeChanges | undefined> {
    const records = await this.#ask("\n");
    if (records === undefined) return undefined;
    const directories = new Set<string>();
    const mapped = new Set<number>();
    const fleeting: string[] = [];
    for (const record of records) {
      if (record.startsWith("i")) mapped.add(Number(record.slice(1)));
      else if (record.startsWith("f")) fleeting.push(record.slice(1));
      else directories.add(record === "d." ? "" : record.slice(1));
    }
    return { directories, mapped, fleeting };
  }

  async close(): Promise<void> {
    if (this.#hasEnded) return;
    const ended = new Promise((resolve) => this.#child.once("close", resolve));
    this.#hold("ref");
    this.#child.kill("SIGKILL");
    await ended;
  }

  async #ask(question: string): Promise<readonly string[] | undefined> {
    if (this.#hasEnded) return undefined;
    this.#hold("ref");
    const text = await new Promise<string | undefined>((resolve) => {
      this.#answer = resolve;
      this.#child.stdin?.write(question);
    });
    this.#hold("unref");
    const records = text?.split("\0").filter((record) => record !== "");
    return records?.includes("x") ? undefined : records;
  }

  #settle(text: string | undefined): void {
    this.#text = "";
    this.#answer?.(text);
    this.#answer = undefined;
  }

  #end(): void {
    this.#hasEnded = true;
    this.#settle(undefined);
  }

  /** The program must not keep this process alive, except while an answer is awaited. */
  #hold(how: "ref" | "unref"): void {
    this.#child[how]();
    for (const stream of [this.#child.stdin, this.#child.stdout])
      (stream as unknown as { ref(): void; unref(): void } | null)?.[how]();
  }
}
