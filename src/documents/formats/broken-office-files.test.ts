import { expect, it } from "vitest";
import { type MadeEntry, makeZip } from "../../../test/support/documents/make-zip.ts";
import { failureOf, readBytes } from "../../../test/support/documents/read-bytes.ts";
import { sampleBytes } from "../../../test/support/documents/samples.ts";
import { rounds } from "../../../test/support/rounds.ts";
import { ToolError } from "../../contract/error.ts";
import { Budget } from "../budget.ts";
import { openZip } from "../zip/open-zip.ts";

const samples = [
  "report.docx",
  "report.odt",
  "survey.pptx",
  "talk.odp",
  "book.epub",
  "ledger.xlsx",
  "ledger-office.ods",
];

it.each(samples)("%s is refused when cut at any byte", async (name) => {
  const whole = sampleBytes(name);
  for (let length = 0; length < whole.length; length += Math.ceil(1987 / rounds(1)))
    expect((await failureOf(readBytes(name, whole.subarray(0, length))))[0]).toBe("unsupported");
});

it.each(samples)(
  "%s is read or properly refused when any of its parts is broken",
  { tags: "slow" },
  async (name) => {
    const entries = unpacked(name);
    const unexpected: string[] = [];
    for (const { name: part, content } of entries) {
      for (const broken of brokenOnes(content)) {
        const bytes = makeZip(
          entries.map((entry) => (entry.name === part ? { ...entry, content: broken } : entry)),
        );
        const outcome = await readBytes(name, bytes).then(
          () => "",
          (error: unknown) => (error instanceof ToolError ? error.message : String(error)),
        );
        // An error that the reader did not expect has this message.
        if (outcome.includes("is damaged: it cannot be read as")) unexpected.push(`${part}: ${outcome}`);
      }
    }
    expect(unexpected).toEqual([]);
  },
);

/** Cut at many positions, and with another byte there; repacked parts have the right checksum. */
function brokenOnes(content: Buffer): readonly Buffer[] {
  const step = Math.max(7, Math.ceil(content.length / rounds(2)));
  return Array.from({ length: Math.ceil(content.length / step) }, (_, index) => index * step).flatMap(
    (at) => {
      const changed = Buffer.from(content);
      changed[at]! ^= 0x15;
      return [content.subarray(0, at), changed];
    },
  );
}

/** Without parts that are never read, and not compressed again, which would take the most time. */
function unpacked(name: string): readonly (MadeEntry & { readonly content: Buffer })[] {
  const zip = openZip(sampleBytes(name), name, new Budget(name));
  return zip.entries
    .filter(
      (entry) => !entry.isDirectory && !/theme|Thumbnails|slideLayouts\/(?!slideLayout1\.)/.test(entry.name),
    )
    .map((entry) => ({ name: entry.name, content: Buffer.from(zip.read(entry)), method: 0 }));
}
