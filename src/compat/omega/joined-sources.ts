import type { ToolSource } from "../../contract/source.ts";

/** Sources that come one after the other and go together. */
export class JoinedSources implements ToolSource {
  readonly #listeners = new Set<() => void>();
  #sources: readonly ToolSource[] = [];

  get tools(): ToolSource["tools"] {
    return this.#sources.flatMap(({ tools }) => tools);
  }

  get warnings(): readonly string[] {
    return this.#sources.flatMap(({ warnings }) => warnings);
  }

  get ready(): Promise<void> {
    return Promise.all(this.#sources.map(({ ready }) => ready)).then(() => {});
  }

  add(source: ToolSource): void {
    this.#sources = [...this.#sources, source];
    source.onChange(() => this.#tell());
    this.#tell();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    const sources = this.#sources;
    this.#sources = [];
    this.#tell();
    await Promise.all(sources.map((source) => source.close()));
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
