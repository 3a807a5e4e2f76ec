import type { Occurrences, Outline, OutlineOptions, Reading, Source } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import { showSize } from "../../text/show-size.ts";
import { heavyGrammars } from "../grammars/heavy.ts";
import { findLanguage, languageOfFile } from "../languages/find-language.ts";
import type { CodeLanguage } from "../languages/languages.ts";
import type { InputOf } from "./channel.ts";
import { elseWithCare } from "./else-with-care.ts";
import { Host } from "./host.ts";
import type { ReaderService } from "./reading.ts";
import { SentTexts } from "./sent-texts.ts";

/** Reads texts, in hosts of their own: one for heavy grammars, one for all others. */
export class Reader {
  readonly #light = new ReaderHost({ heavy: false });
  readonly #heavy = new ReaderHost({ heavy: true });

  async outline(source: Source, { signal, literalsIn }: OutlineOptions): Promise<Outline> {
    const language = languageToRead(source);
    return await this.#ask("outline", source, language, { literalsIn }, signal);
  }

  async occurrences(source: Source, name: string, { signal }: Reading): Promise<Occurrences> {
    const language = languageToRead(source);
    return await this.#ask("occurrences", source, language, { name }, signal);
  }

  async close(): Promise<void> {
    await Promise.all([this.#light.close(), this.#heavy.close()]);
  }

  #ask<Name extends keyof ReaderService>(
    ...asked: Parameters<typeof ReaderHost.prototype.ask<Name>>
  ): Promise<Answer<Name>> {
    const isHeavy = heavyGrammars.has(asked[2].grammar);
    if (isHeavy) return this.#heavy.ask(...asked);
    return elseWithCare(
      () => this.#light.ask(...asked),
      () => this.#heavy.ask(...asked),
    );
  }
}

type Question<Name extends keyof ReaderService> = Omit<InputOf<ReaderService[Name]>, "source">;
type Answer<Name extends keyof ReaderService> = NonNullable<Awaited<ReturnType<ReaderService[Name]>>>;

class ReaderHost {
  readonly #host: Host<ReaderService>;
  readonly #sent = new SentTexts();

  constructor({ heavy }: { readonly heavy: boolean }) {
    this.#host = new Host({ role: ["reader"], heavy, atOnce: 1, limitMs: 15_000 });
  }

  async ask<Name extends keyof ReaderService>(
    name: Name,
    { path, text }: Source,
    { name: language, grammar }: CodeLanguage,
    question: Question<Name>,
    signal: AbortSignal,
  ): Promise<Answer<Name>> {
    const ask = (how: "changes" | "whole") =>
      this.#host.ask(
        name,
        ({ process }) => {
          const source = {
            path,
            language,
            grammar,
            ...this.#sent.next({ path, language, text }, process, how),
          };
          return { source, ...question } as InputOf<ReaderService[Name]>;
        },
        { about: path, signal },
      );
    // What it was sent before may have been let go there.
    return ((await ask("changes")) ?? (await ask("whole"))) as Answer<Name>;
  }

  close(): Promise<void> {
    return this.#host.close();
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
