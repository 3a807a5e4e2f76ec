import type { Occurrences, Outline, OutlineOptions, Reading, Source } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import { showSize } from "../../lib/show-size.ts";
import type { Answering } from "../../workers/worker.ts";
import { findLanguage, heavyGrammars, languageOfFile } from "../languages/find-language.ts";
import type { CodeLanguage } from "../languages/languages.ts";
import { CodeHost, elseWithCare } from "./code-worker.ts";
import { changedOutline } from "./outline-change.ts";
import type { ReaderService } from "./reader-service.ts";
import { keyOf, SentTexts } from "./sent-texts.ts";
import type { SentText } from "./trees.ts";

/** Reads texts, in hosts of their own: one for heavy grammars, one for all others. */
export class Reader {
  readonly #light = new ReaderHost({ heavy: false });
  readonly #heavy = new ReaderHost({ heavy: true });

  async outline(source: Source, options: OutlineOptions): Promise<Outline> {
    const language = languageToRead(source);
    return await this.#read(language, (host) => host.outline(source, language, options));
  }

  async occurrences(source: Source, name: string, options: Reading): Promise<Occurrences> {
    const language = languageToRead(source);
    return await this.#read(language, (host) => host.occurrences(source, language, name, options));
  }

  async close(): Promise<void> {
    await Promise.all([this.#light.close(), this.#heavy.close()]);
  }

  #read<Answer>({ grammar }: CodeLanguage, ask: (host: ReaderHost) => Promise<Answer>): Promise<Answer> {
    if (heavyGrammars.has(grammar)) return ask(this.#heavy);
    return elseWithCare(
      () => ask(this.#light),
      () => ask(this.#heavy),
    );
  }
}

const mostUnits = 8_000_000;

function languageToRead({ path, text, language }: Source): CodeLanguage {
  if (text.length > mostUnits) {
    const sizes = `${showSize(text.length)}; the most is ${showSize(mostUnits)}`;
    throw new ToolError("too-large", `${path} is too large to be parsed (${sizes})`, {
      hint: "Read and edit it as text: file.read, edit.replace.",
    });
  }
  return language === undefined ? languageOfFile(path, text) : findLanguage(language);
}

/** Reads texts in one host. Of a text that is known there only what has changed is sent, and told. */
export class ReaderHost {
  readonly #host: CodeHost<ReaderService>;
  readonly #sent = new SentTexts();
  readonly #told = new LastOutlines();

  constructor({ heavy }: { readonly heavy: boolean }) {
    // The parse itself is given less; on a busy machine a host needs seconds to start and to load a grammar.
    this.#host = new CodeHost({ role: ["reader"], heavy, atOnce: 1, limitMs: 30_000 });
  }

  async outline(source: Source, language: CodeLanguage, options: OutlineOptions): Promise<Outline> {
    const { signal, literalsIn } = options;
    const key = keyOf({ path: source.path, language: language.name });
    let version = 0;
    let before: Outline | undefined;
    const ask = (send: Send) =>
      this.#host.ask(
        "outline",
        (answering) => {
          const sent = send(answering);
          version = sent.version;
          const known = this.#told.versionOf(key);
          before = this.#told.get(key, known);
          return { source: sent, known, literalsIn };
        },
        { about: source.path, signal },
      );
    const answer = await this.#whole(source, language, ask);
    const outline = "change" in answer ? changedOutline(before!, answer.change) : answer.outline;
    this.#told.set(key, version, outline);
    return answer.literalLines ? { ...outline, literalLines: answer.literalLines } : outline;
  }

  occurrences(
    source: Source,
    language: CodeLanguage,
    name: string,
    { signal }: Reading,
  ): Promise<Occurrences> {
    return this.#whole(source, language, (send) =>
      this.#host.ask("occurrences", (answering) => ({ source: send(answering), name }), {
        about: source.path,
        signal,
      }),
    );
  }

  close(): Promise<void> {
    return this.#host.close();
  }

  /** Asks again with the whole text where what was sent before has been let go there. */
  async #whole<Answer>(
    { path, text }: Source,
    { name: language, grammar }: CodeLanguage,
    ask: (send: Send) => Promise<Answer | undefined>,
  ): Promise<Answer> {
    const sending =
      (how: "changes" | "whole"): Send =>
      ({ process }) => ({
        path,
        language,
        grammar,
        ...this.#sent.next({ path, language, text }, process, how),
      });
    return (await ask(sending("changes"))) ?? (await ask(sending("whole")))!;
  }
}

type Send = (answering: Answering) => SentText;

/** The last outlines that were told, by the version of their text; the oldest are forgotten. */
export class LastOutlines {
  readonly #held = new Map<string, { readonly version: number; readonly outline: Outline }>();

  versionOf(text: string): number | undefined {
    return this.#held.get(text)?.version;
  }

  get(text: string, version: number | undefined): Outline | undefined {
    const held = this.#held.get(text);
    return held?.version === version ? held?.outline : undefined;
  }

  set(text: string, version: number, outline: Outline): void {
    this.#held.delete(text);
    this.#held.set(text, { version, outline });
    let symbols = 0;
    for (const held of this.#held.values()) symbols += held.outline.symbols.length;
    for (const [oldest, held] of this.#held) {
      if (oldest === text || (this.#held.size <= mostOutlines && symbols <= mostSymbols)) break;
      this.#held.delete(oldest);
      symbols -= held.outline.symbols.length;
    }
  }
}

const mostOutlines = 8;
const mostSymbols = 50_000;
