import { execFileSync } from "node:child_process";
import { dirname } from "node:path";
import type { CaseResult } from "../harness.ts";
import { importPeer } from "../peers.ts";
import { openSubject } from "../subject.ts";
import { documentPath } from "./read-contender.ts";

export const comparison = "words of a PDF of 120 pages, in their order";
const path = "book.pdf";
const least = 0.99;

/**
 * Compares the words of a PDF with those of pdftotext: both lists, and the length of their longest common
 * subsequence.
 */
export async function compareWords(): Promise<CaseResult> {
  const ours = await wordsByToolcrib();
  const theirs = wordsOf(
    execFileSync("pdftotext", [documentPath(path), "-"], { encoding: "utf8", maxBuffer: 2 ** 28 }),
  );
  const { diffArrays } = await importPeer("diff", "libesm/index.js");
  const changes: { added: boolean; removed: boolean; count: number }[] = diffArrays(theirs, ours);
  const shared = changes.reduce((sum, { added, removed, count }) => sum + (added || removed ? 0 : count), 0);
  const share = shared / Math.max(theirs.length, ours.length);
  return {
    group: "documents",
    name: comparison,
    about:
      "What document.read and pdftotext say of the same file, as lists of words, and how many of the longer list stand in both in the same order. Where text stands in columns both differ: pdftotext reads across some, and tables by their columns.",
    contenders: [],
    table: [
      ["words of pdftotext", "of toolcrib", "of both, in order"],
      [theirs.length, ours.length, shared].map(String),
    ],
    verdicts: [
      {
        goal: `≥ ${percent(least)} in the same order`,
        value: share * 100,
        measured: percent(share),
        met: share >= least,
      },
    ],
  };
}

async function wordsByToolcrib(): Promise<readonly string[]> {
  const subject = await openSubject({ workspace: dirname(documentPath(path)) });
  const { data } = await subject.call("document.read", { path, max_chars: 20_000_000 });
  await subject.close();
  return wordsOf((data as { parts: { text: string }[] }).parts.map(({ text }) => text).join("\n"));
}

/** A word that is hyphenated at a line end is one word in both. */
function wordsOf(text: string): readonly string[] {
  return text.replaceAll(/[-\u00ad]\n/g, "").match(/[\p{L}\p{N}]+/gu) ?? [];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}
