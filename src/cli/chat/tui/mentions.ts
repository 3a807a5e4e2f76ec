import { basename } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fuzzyFilter } from "@earendil-works/pi-tui";
import type { Session } from "../../../agent/session.ts";
import type { IndexedSymbol } from "../../../contract/code.ts";
import { monotonicMs } from "../../../lib/clock.ts";
import type { Choice } from "../chat-front.ts";

/** The targets of an `@` mention: the files of a session's workspace and, when the code has an index, its symbols. */
export class Mentions {
  readonly #files: Refreshed<readonly string[]>;
  readonly #index: Refreshed<Awaited<ReturnType<Session["toolcrib"]["codeIndex"]>>>;
  readonly #remark: (text: string) => void;

  /** `remark` gets a hint for the user while no symbols can be completed. */
  constructor({ toolcrib: crib }: Pick<Session, "toolcrib">, remark: (text: string) => void) {
    // The loaded list also serves the words that are typed next, so a changed word does not cancel it.
    const signal = () => AbortSignal.timeout(loadMs);
    this.#files = new Refreshed(() => crib.listFiles(signal()));
    this.#index = new Refreshed(() => crib.codeIndex(signal()));
    this.#remark = remark;
  }

  /** Returns what the word after an `@` may mean, best first. */
  async find(word: string, signal: AbortSignal): Promise<readonly Choice[]> {
    const named = this.#symbols(word, signal).catch(() => []);
    const listed = await this.#files.get();
    // A first look at a large index takes a while: files do not wait for it.
    const symbols = await Promise.race([named, pause(patienceMs, [], { ref: false, signal })]);
    const files = fuzzyFilter([...listed], word, (path) => path).slice(0, maxShown);
    const begins = (path: string) => basename(path).toLowerCase().startsWith(word.toLowerCase());
    return [
      ...files.filter(begins).map(toChoice),
      ...symbols.map(symbolChoice),
      ...files.filter((path) => !begins(path)).map(toChoice),
    ].slice(0, maxShown);
  }

  async #symbols(word: string, signal: AbortSignal): Promise<readonly IndexedSymbol[]> {
    const index = await this.#index.get();
    if (index === undefined) this.#remark("To complete symbols, too: toolcrib index");
    if (index === undefined || word.length < minChars || word.includes("/")) return [];
    const found = await index.symbols({ name: word, isStart: true, limit: 100 }, { signal });
    return found
      .filter(({ kind }) => !ofData.has(kind))
      .toSorted((one, other) => one.name.length - other.name.length)
      .slice(0, maxSymbols);
  }
}

/** A value that is loaded again after a minute, while the old one still serves. */
class Refreshed<Value> {
  readonly #load: () => Promise<Value>;
  #value: Promise<Value> | undefined;
  #loadedAt = Number.NEGATIVE_INFINITY;

  constructor(load: () => Promise<Value>) {
    this.#load = load;
  }

  get(): Promise<Value> {
    if (monotonicMs() - this.#loadedAt < staleMs && this.#value) return this.#value;
    this.#loadedAt = monotonicMs();
    const next = this.#load();
    const use = () => {
      this.#value = next;
    };
    if (this.#value === undefined) use();
    else next.then(use, () => {});
    return this.#value ?? next;
  }
}

const maxShown = 20;
const maxSymbols = 10;
/** Shorter words are the beginning of too many names. */
const minChars = 2;
const patienceMs = 1_000;
const loadMs = 60_000;
const staleMs = 60_000;

/** Kinds of symbols that no message is about. */
const ofData: ReadonlySet<string> = new Set(["key", "rule", "element"]);

function toChoice(path: string): Choice {
  return { value: path, label: path };
}

function symbolChoice({ path, kind, name, within, firstLine }: IndexedSymbol): Choice {
  const value = `${path}#${[...within.slice(-1), name].join(".")}`;
  return { value, label: name, description: `${kind}, ${path}:${firstLine}` };
}
