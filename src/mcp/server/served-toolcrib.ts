import { BoundedCache } from "../../lib/bounded-cache.ts";
import { type Toolcrib, type ToolDefinition, ToolError } from "../../toolcrib/index.ts";

/** A room as a server holds it: opened by the first who needs it, and whatever is remembered between its requests. */
export class ServedToolcrib {
  readonly #open: () => Promise<Toolcrib>;
  readonly #listeners = new Set<() => void>();
  /** Handles that answers have named, the latest last. */
  readonly #outputs = new BoundedCache<string, string>({ maxEntries: 100 });
  #crib: Promise<Toolcrib> | undefined;
  #definitions: Promise<readonly ToolDefinition[]> | undefined;
  #structured: Promise<ReadonlySet<string>> | undefined;
  #running = 0;
  #closed: Promise<void> | undefined;

  constructor(open: () => Promise<Toolcrib>) {
    this.#open = open;
  }

  /** Opens it now. Who failed to open it may be asked again. */
  crib(): Promise<Toolcrib> {
    if (this.#closed !== undefined) return Promise.reject(hasClosed());
    this.#crib ??= this.#enter();
    return this.#crib;
  }

  /** The tools that clients are told of. */
  definitions(): Promise<readonly ToolDefinition[]> {
    this.#definitions ??= this.#define();
    return this.#definitions;
  }

  /** Whether what a tool gives is data, and may be shown as such. */
  async isStructured(name: string): Promise<boolean> {
    const listed = (await this.definitions()).find((definition) => definition.name === name);
    if (listed !== undefined) return listed.effects.structured;
    this.#structured ??= this.#findStructured();
    return (await this.#structured).has(name);
  }

  /** Calls `listener` when other tools are to be listed; the answer stops it. */
  onToolsChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Counts as busy until the work has ended. */
  async busy<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
    }
  }

  get isBusy(): boolean {
    return this.#running > 0;
  }

  /** Latest first. */
  get outputs(): readonly string[] {
    return [...this.#outputs.values()].reverse();
  }

  noteOutput(handle: string): void {
    if (!this.#outputs.has(handle)) this.#outputs.set(handle, handle);
  }

  /** May be called twice. */
  close(): Promise<void> {
    this.#closed ??= this.#leave();
    return this.#closed;
  }

  async #enter(): Promise<Toolcrib> {
    try {
      const crib = await this.#open();
      crib.onToolsChange(() => {
        this.#definitions = undefined;
        this.#structured = undefined;
        for (const listener of this.#listeners) listener();
      });
      return crib;
    } catch (error) {
      this.#crib = undefined;
      throw error;
    }
  }

  async #define(): Promise<readonly ToolDefinition[]> {
    try {
      return await (await this.crib()).definitions();
    } catch (error) {
      this.#definitions = undefined;
      throw error;
    }
  }

  /** By both their names. */
  async #findStructured(): Promise<ReadonlySet<string>> {
    const all = await (await this.crib()).definitions({ which: "all" });
    const structured = all.filter(({ effects }) => effects.structured);
    return new Set(structured.flatMap(({ name, canonical }) => [name, canonical]));
  }

  async #leave(): Promise<void> {
    this.#listeners.clear();
    const crib = await this.#crib?.catch(() => undefined);
    await crib?.close();
  }
}

function hasClosed(): ToolError {
  return new ToolError("unavailable", "The server has ended", { hint: "Start it again." });
}

/** How many outputs are listed as resources; the others can still be read by their handle. */
