/** Parts that several users in this process share by key. The last user to release a part closes it. */
export class Shared<Part extends { close(): Promise<void> }> {
  readonly #held = new Map<string, { readonly part: Part; users: number }>();

  take(key: string, open: () => Part): Lease<Part> {
    const held = this.#held.get(key) ?? { part: open(), users: 0 };
    this.#held.set(key, held);
    held.users += 1;
    let released: Promise<void> | undefined;
    const release = async () => {
      held.users -= 1;
      if (held.users > 0) return;
      this.#held.delete(key);
      await held.part.close();
    };
    return {
      part: held.part,
      release: () => {
        released ??= release();
        return released;
      },
    };
  }
}

export interface Lease<Part> {
  readonly part: Part;
  /** May be called twice. */
  release(): Promise<void>;
}
