import { deniesTool } from "../policy/decide.ts";
import type { Question } from "../policy/policy.ts";
import type { OpenPolicy } from "./open-policy.ts";

/** Which tools the rules deny as such: models are not told of them. */
export class DeniedTools {
  readonly #policy: OpenPolicy;
  readonly #watches = new Set<() => void>();

  constructor(policy: OpenPolicy) {
    this.#policy = policy;
  }

  isDenied(tool: Question["tool"]): boolean {
    return deniesTool(tool, this.#policy.current);
  }

  /** Looks again. What cannot be read is for the next call to say. */
  async refresh(): Promise<void> {
    try {
      await this.#policy.refreshed();
    } catch {}
  }

  /** Calls `listener` after each change, also while nobody calls a tool; the answer stops it. */
  onChange(listener: () => void): () => void {
    let before = this.#text();
    const stopListening = this.#policy.onChange(() => {
      const now = this.#text();
      if (now === before) return;
      before = now;
      listener();
    });
    const looking = setInterval(() => void this.refresh(), lookEveryMs);
    looking.unref();
    const stop = () => {
      clearInterval(looking);
      stopListening();
      this.#watches.delete(stop);
    };
    this.#watches.add(stop);
    return stop;
  }

  /** Nobody is told any more. */
  close(): void {
    for (const stop of this.#watches) stop();
  }

  #text(): string {
    const denying = this.#policy.current.tools.filter(({ effect }) => effect === "deny");
    return denying.map(({ place }) => place.text).join("\n");
  }
}

const lookEveryMs = 1_000;
