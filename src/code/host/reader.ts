import type { Occurrences, Outline, OutlineOptions, Reading, Source } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import { showSize } from "../../text/show-size.ts";
import { findLanguage, languageOfFile } from "../languages/find-language.ts";
import type { CodeLanguage } from "../languages/languages.ts";
import { Host } from "./host.ts";
import type { ReaderService } from "./reading.ts";
import { changeBetween } from "./text-change.ts";
import type { SentText } from "./trees.ts";

/** Reads texts, in a host of its own, which is sent only what has changed of a text that it has seen. */
export class Reader {
  readonly #host = new Host<ReaderService>({ role: ["reader"], atOnce: 1, limitMs: 15_000 });
  readonly #sent = new Map<string, Sent>();
  #versions = 0;

  async outline(source: Source, { signal, literalsIn }: OutlineOptions): Promise<Outline> {
    const language = languageToRead(source);
    return await this.#whole((needsAll) =>
      this.#host.ask(
        "outline",
        ({ process }) => ({ ...this.#send(source, language, process, needsAll), literalsIn }),
        { about: source.path, signal },
      ),
    );
  }

  async occurrences(source: Source, name: string, { signal }: Reading): Promise<Occurrences> {
    const language = languageToRead(source);
    return await this.#whole((needsAll) =>
      this.#host.ask(
        "occurrences",
        ({ process }) => ({ ...this.#send(source, language, process, needsAll), name }),
        { about: source.path, signal },
      ),
    );
  }

  close(): Promise<void> {
    return this.#host.close();
  }

  /** Asks again with the whole text when what was sent last is not held there any more. */
  async #whole<Answer>(ask: (needsAll: boolean) => Promise<Answer | undefined>): Promise<Answer> {
    return (await ask(false)) ?? (await ask(true))!;
  }

  #send(
    { path, text }: Source,
    { name, grammar }: CodeLanguage,
    process: number,
    needsAll: boolean,
  ): SentText {
    const key = `${name}\0${path}`;
    const before = this.#sent.get(key);
    const isKnown = before?.process === process && !needsAll;
    const version = isKnown && before.text === text ? before.version : ++this.#versions;
    this.#sent.delete(key);
    this.#sent.set(key, { process, version, text });
    for (const oldest of this.#sent.keys()) {
      if (this.#sent.size <= mostTexts) break;
      this.#sent.delete(oldest);
    }
    const sent = isKnown ? { ...changeBetween(before.text, text), base: before.version } : text;
    return { path, language: name, grammar, version, sent };
  }
}

interface Sent {
  readonly process: number;
  readonly version: number;
  readonly text: string;
}

const mostTexts = 8;
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
