import { type Answer, Refusal, type Task } from "./task.ts";

/**
 * - right: every byte as it has to be, or refused where that was right;
 * - collateral: the right place, but other bytes changed (line ends, marks, blanks at line ends, glyphs);
 * - refused: nothing done, although there was a right answer;
 * - indentation: the right words at the wrong depth;
 * - wrong: anything else.
 */
export type Verdict = "right" | "collateral" | "refused" | "indentation" | "wrong";

export function judge({ category, files }: Pick<Task, "category" | "files">, answer: Answer): Verdict {
  if (answer instanceof Refusal) return category === "refuse" ? "right" : "refused";
  if (category === "refuse") return "wrong";
  let worst: Verdict = "right";
  const paths = new Set([...files.map(({ path }) => path), ...answer.keys()]);
  for (const path of paths) {
    const file = files.find((each) => each.path === path);
    const got = answer.has(path) ? answer.get(path) : file?.before;
    const verdict = compare(got, file?.after);
    if (order.indexOf(verdict) > order.indexOf(worst)) worst = verdict;
  }
  return worst;
}

const order: readonly Verdict[] = ["right", "collateral", "refused", "indentation", "wrong"];

function compare(got: Uint8Array | undefined, wanted: Uint8Array | undefined): Verdict {
  if (!got || !wanted) return got === wanted ? "right" : "wrong";
  if (Buffer.from(got.buffer, got.byteOffset, got.length).equals(wanted)) return "right";
  const [mine, theirs] = [got, wanted].map(readLoosely) as [string[], string[]];
  if (mine.length === theirs.length && mine.every((line, index) => line === theirs[index]))
    return "collateral";
  const squeeze = (lines: string[]) => lines.map((line) => line.trimStart()).join("\n");
  return squeeze(mine) === squeeze(theirs) ? "indentation" : "wrong";
}

/**
 * Removes collateral differences: byte-order marks, line ends, trailing blanks, glyphs, characters lost to another
 * encoding.
 */
function readLoosely(bytes: Uint8Array): string[] {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const text = new TextDecoder(isUtf16 ? (bytes[0] === 0xff ? "utf-16le" : "utf-16be") : "utf-8").decode(
    bytes,
  );
  const lines = text
    .replace(/\r\n?/g, "\n")
    .normalize("NFKC")
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/\p{Pd}|\u2212/gu, "-")
    .replace(/[\ufeff\ufffd]/g, "")
    .split("\n")
    .map((line) => line.trimEnd());
  while (lines.at(-1) === "") lines.pop();
  return lines;
}
