import type { Occurrences, Outline, OutlineOptions, Reading, Source } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import { showSize } from "../../lib/show-size.ts";
import { heavyGrammars } from "../grammars/heavy.ts";
import { findLanguage, languageOfFile } from "../languages/find-language.ts";
import type { CodeLanguage } from "../languages/languages.ts";
import { elseWithCare } from "./else-with-care.ts";
import { ReaderHost } from "./reader-host.ts";

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
