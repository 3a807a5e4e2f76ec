import { perlProgram } from "../../../system/perl-program.ts";
import { type ChildProcess, startProgram } from "../../../system/start-program.ts";

/** The changes since the last answer. */
export interface TreeChanges {
  /** Directories with events in them, relative to the root, which itself is "". */
  readonly directories: ReadonlySet<string>;
  /**
   * New directories, files that came and went, and new files with several names, with the number of times that the name
   * was created; and processes whose mappings are not known. A file in a directory without events may have changed.
   */
  readonly unproven: ReadonlyMap<string, number>;
  /** Inodes of files that a process has mapped or opened for writing. Changes of them may have no event yet. */
  readonly inUse: ReadonlySet<number>;
}

const patienceMs = 20_000;

/**
 * Watches all directories below a root with a Perl program that uses inotify. `fs.watch` is not enough: it does not
 * report the end of mappings or lost events.
 */
export class TreeWatch {
  readonly #child: ChildProcess;
  #text = "";
  #answer: ((text: string | undefined) => void) | undefined;
  #hasEnded = false;

  private constructor(child: ChildProcess) {
    this.#child = child;
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

  /** Returns undefined when not every directory can be watched, or the caller has cancelled. */
  static async start(
    perl: string,
    root: string,
    maxDirectories: number,
    signal?: AbortSignal,
  ): Promise<TreeWatch | undefined> {
    const args = ["-e", perlProgram("watch-tree.pl", import.meta.url)];
    const child = startProgram(perl, args, { cwd: root, env: {}, stdio: ["pipe", "pipe", "ignore"] });
    const watch = new TreeWatch(child);
    const kill = () => child.kill("SIGKILL");
    signal?.addEventListener("abort", kill);
    const answer = signal?.aborted ? undefined : await watch.#ask(`${maxDirectories}\n`);
    signal?.removeEventListener("abort", kill);
    if (answer !== undefined) return watch;
    await watch.close();
    return undefined;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /**
   * Returns everything that happened since the last call and before this one; undefined when that is not known. Names
   * alone are asked faster, without `inUse` and processes.
   */
  async changes(of: "names" | "files"): Promise<TreeChanges | undefined> {
    const records = await this.#ask(of === "names" ? "n" : "f");
    if (records === undefined) return undefined;
    const directories = new Set<string>();
    const inUse = new Set<number>();
    const unproven = new Map<string, number>();
    for (const record of records) {
      const space = record.indexOf(" ");
      if (record.startsWith("i")) inUse.add(Number(record.slice(1)));
      else if (record.startsWith("f")) unproven.set(record.slice(space + 1), Number(record.slice(1, space)));
      else directories.add(record === "d." ? "" : record.slice(1));
    }
    return { directories, inUse, unproven };
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
    // A stopped program, or one that waits for a process that hangs, must not stop every command.
    const patience = setTimeout(() => {
      this.#child.kill("SIGKILL");
      this.#end();
    }, patienceMs);
    const text = await new Promise<string | undefined>((resolve) => {
      this.#answer = resolve;
      this.#child.stdin?.write(question);
    });
    clearTimeout(patience);
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
