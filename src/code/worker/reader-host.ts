import type { Occurrences, Outline, OutlineOptions, Reading, Source } from "../../contract/code.ts";
import type { Answering } from "../../workers/worker.ts";
import type { CodeLanguage } from "../languages/languages.ts";
import { CodeHost } from "./code-host.ts";
import { LastOutlines } from "./last-outlines.ts";
import { changedOutline } from "./outline-change.ts";
import type { ReaderService } from "./reading.ts";
import { keyOf, SentTexts } from "./sent-texts.ts";
import type { SentText } from "./trees.ts";

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
