import { archives } from "../documents/archives.ts";
import { compareWords, comparison } from "../documents/compare-words.ts";
import { html } from "../documents/html.ts";
import { officeTexts } from "../documents/office-texts.ts";
import { pdf } from "../documents/pdf.ts";
import { forgetDocuments } from "../documents/read-contender.ts";
import { sheets } from "../documents/sheets.ts";
import type { Case, Group } from "../harness.ts";

/** Documents of one kind: their samples, and the measured cases. */
export interface DocumentCases {
  readonly prepare: () => void;
  readonly cases: readonly Case[];
}

const kinds: readonly DocumentCases[] = [archives, html, officeTexts, sheets, pdf];

/** Compares reading documents in a warm instance with the minimum work for each format. */
export const group: Group = {
  needs: [],
  prepare: () => {
    forgetDocuments();
    for (const { prepare } of kinds) prepare();
  },
  run: async function* ({ only }) {
    if (comparison.includes(only)) yield compareWords();
  },
  cases: kinds.flatMap(({ cases }) => cases),
};
