import { createHash } from "node:crypto";
import type { TokenUsage } from "../../src/models/model.ts";

/** A part of a request in the order in which the provider reads it: tools, system prompt, messages. */
export interface CacheBlock {
  readonly text: string;
  /** Whether it has a cache mark of the Messages API. */
  readonly isMarked?: boolean;
}

/** How a provider caches the beginning of requests, as documented in November 2026, for its strictest model. */
export interface CacheRules {
  /** Shorter beginnings are not cached. */
  readonly leastTokens: number;
  /** Only whole steps of tokens are read. Default: 1. */
  readonly stepTokens?: number;
  /**
   * Only beginnings that end at a mark are stored, and each mark finds those that end at it or at the blocks before it,
   * this many in all. Without it, every beginning is stored and found.
   */
  readonly lookback?: number;
}

/** Models the cache of a provider. It never forgets, as if all requests came within minutes. */
export class PrefixCache {
  readonly #rules: CacheRules;
  readonly #stored = new Set<string>();

  constructor(rules: CacheRules) {
    this.#rules = rules;
  }

  /** Counts the tokens of a request, then stores it. A token is four characters, as everywhere in these servers. */
  count(blocks: readonly CacheBlock[]): Pick<TokenUsage, "input" | "cached" | "cacheWritten"> {
    const { leastTokens, stepTokens = 1, lookback } = this.#rules;
    const ends = endsOf(blocks);
    const marks = ends.filter(({ isMarked }) => isMarked || lookback === undefined);
    const reachable = (at: number) =>
      lookback === undefined || marks.some((mark) => mark.at >= at && mark.at - at < lookback);
    const found = ends.findLast(
      ({ at, tokens, hash }) => tokens >= leastTokens && this.#stored.has(hash) && reachable(at),
    );
    for (const { hash, tokens } of marks) if (tokens >= leastTokens) this.#stored.add(hash);
    const cached = Math.floor((found?.tokens ?? 0) / stepTokens) * stepTokens;
    const last = marks.at(-1)?.tokens ?? 0;
    const isWritten = lookback !== undefined && last >= leastTokens;
    return {
      input: ends.at(-1)?.tokens ?? 0,
      cached,
      cacheWritten: isWritten ? Math.max(0, last - cached) : 0,
    };
  }
}

interface BlockEnd {
  readonly at: number;
  readonly isMarked: boolean;
  /** Tokens up to here, and what they are. */
  readonly tokens: number;
  readonly hash: string;
}

function endsOf(blocks: readonly CacheBlock[]): readonly BlockEnd[] {
  let chars = 0;
  let hash = "";
  return blocks.map(({ text, isMarked = false }, at) => {
    chars += text.length;
    hash = createHash("sha256").update(hash).update(text).digest("hex");
    return { at, isMarked, tokens: Math.ceil(chars / 4), hash };
  });
}
