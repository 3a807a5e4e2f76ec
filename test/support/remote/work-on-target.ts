import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { ProcessOutput } from "../../../src/contract/process.ts";
import type { openToolcrib } from "../../../src/toolcrib/index.ts";

type Toolcrib = Awaited<ReturnType<typeof openToolcrib>>;

/**
 * Calls whose effects can be counted, made at the same time on a target that is this machine. `failed` is the error of the
 * first call that failed.
 */
export class WorkOnTarget {
  readonly #crib: Toolcrib;
  readonly #folder: string;
  #isDone = false;
  /** The last call of each kind that was made, and the last that succeeded. */
  readonly made = { edit: 0, append: 0, patch: 0, read: 0, output: 0 };
  readonly succeeded = { edit: 0, append: 0, patch: 0, read: 0, output: 0 };
  readonly failures: unknown[] = [];
  #process: { readonly pid: number; lines: string; cursor: number } | undefined;

  constructor(crib: Toolcrib, folder: string) {
    this.#crib = crib;
    this.#folder = folder;
  }

  /** Creates the files that the calls change. */
  static prepare(folder: string): void {
    const files = { edited: "end\n", appended: "", one: pairText(0), two: pairText(0), large: large() };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.txt`), text);
  }

  /** The process that runs on the target all the time. */
  get pid(): number {
    return this.#process!.pid;
  }

  /** The number of calls that have succeeded. */
  get progress(): number {
    return Object.values(this.succeeded).reduce((sum, count) => sum + count);
  }

  /** Starts a process that prints numbers without end. */
  async startProcess(): Promise<void> {
    const command = `perl -e '$| = 1; for (;;) { print $n++, "\\n" for 1 .. 20; select undef, undef, undef, 0.05 }'`;
    const started = await this.#crib.call("process.start", { command, name: "count" });
    expect(started.error).toBeNull();
    const [running] = await this.#crib.processes();
    this.#process = { pid: running!.pid!, lines: "", cursor: 0 };
  }

  /** Makes calls until `stop`, or until one of each kind has failed. */
  async run(): Promise<void> {
    await Promise.all([
      this.#repeat("edit", (n) => this.#edit(n)),
      this.#repeat("append", (n) => this.#append(n)),
      this.#repeat("patch", (n) => this.#patch(n)),
      this.#repeat("read", () => this.#read()),
      ...(this.#process ? [this.#repeat("output", () => this.#output())] : []),
    ]);
  }

  stop(): void {
    this.#isDone = true;
  }

  async #repeat(kind: keyof WorkOnTarget["made"], call: (n: number) => Promise<boolean>): Promise<void> {
    try {
      while (!this.#isDone) {
        this.made[kind] += 1;
        if (!(await call(this.made[kind]))) return;
        this.succeeded[kind] = this.made[kind];
        // Other calls must get a chance when this one needs no message.
        await new Promise(setImmediate);
      }
    } catch (error) {
      this.stop();
      throw error;
    }
  }

  /** Makes a call and checks the content of its result. Returns false when it failed. */
  async #call(tool: string, input: object, content: unknown): Promise<boolean> {
    const result = await this.#crib.call(tool, input);
    if (result.error !== null) this.failures.push(result.error);
    else expect(result.content).toEqual(content);
    return result.error === null;
  }

  /** Adds one line to a file: twice the effect would be two lines. */
  #edit(n: number): Promise<boolean> {
    const input = { path: "edited.txt", find: "end\n", replace: `${n}\nend\n` };
    return this.#call("edit.replace", input, expect.any(String));
  }

  /** Only a command on the target has its workspace and home. */
  #append(n: number): Promise<boolean> {
    const command = `echo ${n} >> appended.txt; pwd`;
    return this.#call("shell.run", { command }, expect.stringContaining(this.#folder));
  }

  #patch(n: number): Promise<boolean> {
    const update = (name: string) => [
      `*** Update File: ${name}.txt`,
      "@@",
      ...pairLines(n - 1).map((line) => `-${line}`),
      ...pairLines(n).map((line) => `+${line}`),
    ];
    const patch = ["*** Begin Patch", ...update("one"), ...update("two"), "*** End Patch"].join("\n");
    return this.#call("edit.patch", { patch }, expect.any(String));
  }

  #read(): Promise<boolean> {
    const input = { path: "large.txt", limit: 400 };
    return this.#call("file.read", input, expect.stringContaining("400 | line 400 "));
  }

  /** Returns false when the process has ended. Its output can still be read then. */
  async #output(): Promise<boolean> {
    const running = this.#process!;
    const input = { name: "count", cursor: running.cursor };
    const { error, data } = await this.#crib.call("process.output", input);
    expect(error).toBeNull();
    const { text, from, cursor, status } = data as ProcessOutput;
    expect(from).toBe(running.cursor);
    running.lines += text;
    running.cursor = cursor;
    return status.state === "running";
  }

  /** Checks that every effect is there exactly once. After failures, the last call of each kind may be there or not. */
  checkEffects(): void {
    const read = (name: string) => readFileSync(join(this.#folder, `${name}.txt`), "utf8");
    const numbers = (last: number) => Array.from({ length: last }, (_, index) => `${index + 1}\n`).join("");
    const either = (kind: "edit" | "append" | "patch", text: (last: number) => string) =>
      expect.toBeOneOf([text(this.succeeded[kind]), text(this.made[kind])]);
    expect(read("edited")).toEqual(either("edit", (last) => `${numbers(last)}end\n`));
    expect(read("appended")).toEqual(either("append", numbers));
    expect(read("one")).toEqual(either("patch", pairText));
    expect(read("two")).toBe(read("one"));
    expect(read("large")).toBe(large());
  }

  /** Checks that the output has arrived without gaps and repetitions. */
  checkOutput(): void {
    const lines = this.#process!.lines.split("\n").slice(0, -1);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines).toEqual(Array.from(lines, (_, index) => `${index}`));
  }
}

function pairText(n: number): string {
  return `${pairLines(n).join("\n")}\n`;
}

/** A text that shows whether it is whole. */
function pairLines(n: number): readonly string[] {
  const hash = createHash("sha256").update(`${n}`).digest("hex");
  return [`version ${n}`, ...Array.from({ length: 20 }, (_, index) => `${index} ${hash}`)];
}

function large(): string {
  return Array.from({ length: 2000 }, (_, index) => `line ${index + 1} ${"x".repeat(50)}\n`).join("");
}
