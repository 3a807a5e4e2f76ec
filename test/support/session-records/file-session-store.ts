import { appendFile, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { SessionStore } from "../../../src/agent/session-store.ts";

/** A session store as a program would write it: one file of JSON lines per session, and every method waits. */
export class FileSessionStore implements SessionStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async append(session: string, entries: readonly unknown[]): Promise<number> {
    await mkdir(this.#folder, { recursive: true });
    const lines = entries.map((entry) => `${JSON.stringify({ at: Date.now(), entry })}\n`);
    if (lines.length > 0) await appendFile(this.#file(session), lines.join(""));
    return (await this.entries(session)).length;
  }

  async entries(session: string, { from = 1, to = Number.POSITIVE_INFINITY } = {}) {
    const text = await readFile(this.#file(session), "utf8").catch(() => "");
    return text
      .split("\n")
      .slice(0, -1)
      .map((line, index): { number: number; at: number; entry: unknown } => ({
        number: index + 1,
        ...JSON.parse(line),
      }))
      .filter(({ number }) => number >= from && number <= to);
  }

  async list() {
    const names = await readdir(this.#folder).catch(() => []);
    const infos = await Promise.all(
      names.map(async (name) => {
        const session = Buffer.from(name, "hex").toString();
        const entries = await this.entries(session);
        const bytes = entries.reduce((sum, { entry }) => sum + Buffer.byteLength(JSON.stringify(entry)), 0);
        const [{ at: startedAt, entry: first }] = entries as [(typeof entries)[0]];
        return { session, startedAt, lastAt: entries.at(-1)!.at, entries: entries.length, bytes, first };
      }),
    );
    return infos.toSorted((one, other) => other.lastAt - one.lastAt);
  }

  async remove(session: string): Promise<boolean> {
    return rm(this.#file(session)).then(
      () => true,
      () => false,
    );
  }

  /** A session id may be any text; a file name may not. */
  #file(session: string): string {
    return join(this.#folder, Buffer.from(session).toString("hex"));
  }
}
