import { remarkWarnings } from "../report.ts";

/** Tells a person each warning of a room once, as they become known. */
export class ToldWarnings {
  readonly #told = new Set<string>();

  tell(warnings: readonly string[]): void {
    const fresh = warnings.filter((warning) => !this.#told.has(warning));
    for (const warning of fresh) this.#told.add(warning);
    remarkWarnings(fresh);
  }
}
