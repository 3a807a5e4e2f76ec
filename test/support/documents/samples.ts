import { readFileSync } from "node:fs";
import type { DocumentContent, DocumentWanted } from "../../../src/contract/document.ts";
import { readBytes } from "./read-bytes.ts";

const folder = new URL("../../samples/documents/", import.meta.url);

export function sampleBytes(name: string): Buffer {
  return readFileSync(new URL(name, folder));
}

export function readSample(name: string, wanted: Partial<DocumentWanted> = {}): Promise<DocumentContent> {
  return readBytes(name, sampleBytes(name), wanted);
}

/** The text of a sample according to another reader, stored next to it: see scripts/make-document-samples.sh. */
export function secondReading(name: string, reader: string): string {
  return readFileSync(new URL(`${name}.${reader}.txt`, folder), "utf8");
}

/** Returns the whole document as one text. */
export function allText({ parts }: DocumentContent): string {
  return parts.map(({ text }) => text).join("\n\n");
}

/**
 * Returns the words of a text in order, without formatting: list markers, notes and links. Footnotes are left out,
 * because readers put them at different positions; so is `without`.
 */
export function wordsOf(text: string, without: readonly string[] = []): readonly string[] {
  const plain = without.reduce((left, phrase) => {
    if (!left.includes(phrase)) throw new Error(`"${phrase}" is not there`);
    return left.replace(phrase, " ");
  }, text);
  return (
    plain
      .replaceAll(/\]\(<?[^)>]*>?\)/g, " ")
      .replaceAll(/\[\^[\w-]+\]|<br>/g, " ")
      .replaceAll(/^[ \t|]*(?:-|\d+[.)]|[a-z][.)]|[•–])\s/gm, " ")
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
