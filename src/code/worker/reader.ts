import type { Occurrences, Outline, OutlineOptions, Reading, Source } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import { showSize } from "../../lib/text/format-quantity.ts";
import type { Answering } from "../../workers/worker.ts";
import { editAsText, findLanguage, heavyGrammars, languageOfFile } from "../languages/find-language.ts";
import type { CodeLanguage } from "../languages/languages.ts";
import { CodeWorker, orInHeavyWorker } from "./code-worker.ts";
import { changedOutline, LastOutlines } from "./outline-change.ts";
import type { ReaderService } from "./reader-service.ts";
import { keyOf, SentTexts } from "./sent-texts.ts";
import type { SentText } from "./trees.ts";

export class Reader {
  readonly #light = new ReaderWorker({ heavy: false });
  readonly #heavy = new ReaderWorker({ heavy: true });

  async outline(source: Source, options: OutlineOptions): Promise<Outline> {
    const language = languageToRead(source);
    return await this.#read(language, (worker) => worker.outline(source, language, options));
  }

  async occurrences(source: Source, name: string, options: Reading): Promise<Occurrences> {
    const language = languageToRead(source);
    return await this.#read(language, (worker) => worker.occurrences(source, language, name, options));
  }

  async close(): Promise<void> {
    await Promise.all([this.#light.close(), this.#heavy.close()]);
  }

  #read<Answer>({ grammar }: CodeLanguage, ask: (worker: ReaderWorker) => Promise<Answer>): Promise<Answer> {
    if (heavyGrammars.has(grammar)) return ask(this.#heavy);
    return orInHeavyWorker(ask, this.#light, this.#heavy);
  }
}

const mostUnits = 8_000_000;

function languageToRead({ path, text, language }: Source): CodeLanguage {
  if (text.length > mostUnits) {
    const sizes = `${showSize(text.length)}; the limit is ${showSize(mostUnits)}`;
    throw new ToolError("too-large", `${path} is too large to parse (${sizes})`, { hint: editAsText });
  }
  return language === undefined ? languageOfFile(path, text) : findLanguage(language);
}

export class ReaderWorker {
  readonly #worker: CodeWorker<ReaderService>;
  readonly #sent = new SentTexts();
  readonly #outlines = new LastOutlines();

  constructor({ heavy }: { readonly heavy: boolean }) {
    // The parse itself has a lower limit, but on a busy machine a worker needs seconds to start and to load a grammar.
    this.#worker = new CodeWorker({ role: ["reader"], heavy, concurrency: 1, limitMs: 30_000 });
  }

  async outline(source: Source, language: CodeLanguage, options: OutlineOptions): Promise<Outline> {
    const { signal, literalsIn } = options;
    const key = keyOf({ path: source.path, language: language.name });
    let version = 0;
    let before: Outline | undefined;
    const ask = (send: Send) =>
      this.#worker.ask(
        "outline",
        (answering) => {
          const sent = send(answering);
          version = sent.version;
          const known = this.#outlines.versionOf(key);
          before = this.#outlines.get(key, known);
          return { source: sent, known, literalsIn };
        },
        { about: source.path, signal },
      );
    const answer = await this.#whole(source, language, ask);
    const outline = "change" in answer ? changedOutline(before!, answer.change) : answer.outline;
    this.#outlines.set(key, version, outline);
    return answer.literalLines ? { ...outline, literalLines: answer.literalLines } : outline;
  }

  occurrences(
    source: Source,
    language: CodeLanguage,
    name: string,
    { signal }: Reading,
  ): Promise<Occurrences> {
    const options = { about: source.path, signal };
    return this.#whole(source, language, (send) =>
      this.#worker.ask("occurrences", (answering) => ({ source: send(answering), name }), options),
    );
  }

  close(): Promise<void> {
    return this.#worker.close();
  }

  /** Sends a change, or the whole text if the worker no longer has the previous one. */
  async #whole<Answer>(
    { path, text }: Source,
    { name: language, grammar }: CodeLanguage,
    ask: (send: Send) => Promise<Answer | undefined>,
  ): Promise<Answer> {
    const sending =
      (how: "changes" | "whole"): Send =>
      ({ process }) => {
        const state = this.#sent.next({ path, language, text }, process, how);
        return { path, language, grammar, ...state };
      };
    return (await ask(sending("changes"))) ?? (await ask(sending("whole")))!;
  }
}

type Send = (answering: Answering) => SentText;
