import { layOut, showLayout } from "./layout.ts";
import { formObject, objectsOf, type Pdf, pictureObject, withPage } from "./open-pdf.ts";
import type { Handle } from "./pdfium-functions.ts";
import { readWords } from "./words.ts";

export interface Page {
  readonly text: string;
  readonly state: "text" | "picture" | "empty" | "unreadable";
  /** Whether the fonts do not define many of its letters. */
  readonly isGuessed: boolean;
}

/** Reads one page, counted from 1. */
export function readPage(pdf: Pdf, number: number): Page {
  return withPage(pdf, number, unreadable, (page, text) => {
    const { words, unknown } = readWords(pdf, text);
    const extras = readExtras(pdf, page, text);
    const state = words.length > 0 ? "text" : hasPicture(pdf, page) ? "picture" : "empty";
    const shown = state === "text" ? showLayout(layOut(words)) : `(${state})`;
    return {
      text: [shown, ...extras].join("\n\n"),
      state,
      isGuessed: unknown * 10 > words.length,
    };
  });
}

const unreadable: Page = { text: "(unreadable)", state: "unreadable", isGuessed: false };

function hasPicture(pdf: Pdf, page: Handle): boolean {
  for (const [, type] of objectsOf(pdf, page)) if (type === pictureObject || type === formObject) return true;
  return false;
}

function readExtras(pdf: Pdf, page: Handle, text: Handle): readonly string[] {
  const { notes, fields } = readAnnotations(pdf, page);
  const lists = [
    ["Notes", notes],
    ["Form", fields],
    ["Links", readLinks(pdf, page, text)],
  ] as const;
  return lists
    .filter(([, entries]) => entries.length > 0)
    .map(([name, entries]) => `${name}:\n${entries.map((entry) => `- ${entry}`).join("\n")}`);
}

const most = 500;

/** Returns each address once, with its link text. Omits addresses that the text shows. */
function readLinks(pdf: Pdf, page: Handle, text: Handle): readonly string[] {
  const { pdfium, document } = pdf;
  const links = new Map<string, string>();
  let position = 0;
  for (let count = 0; count < most; count += 1) {
    const found = pdf.numbers(2, "u32", (at) => {
      new Uint32Array(pdfium.memory.buffer, at, 1)[0] = position;
      return pdfium.FPDFLink_Enumerate(page, at, at + 4);
    });
    if (!found) break;
    position = found[0]!;
    const link = found[1]!;
    const action = pdfium.FPDFLink_GetAction(link);
    if (action === 0) continue;
    const address = pdf
      .bytes((buffer, bytes) => pdfium.FPDFAction_GetURIPath(document, action, buffer, bytes))
      .trim();
    if (address === "") continue;
    links.set(address, [links.get(address), textOf(pdf, link, text)].filter(Boolean).join(" "));
  }
  return [...links].flatMap(([address, label]) => {
    if (label.replaceAll(" ", "").includes(address)) return [];
    return [label === "" ? address : `[${label.replaceAll(/[[\]]/g, "\\$&")}](${address})`];
  });
}

function textOf(pdf: Pdf, link: Handle, text: Handle): string {
  const { pdfium } = pdf;
  const box = pdf.numbers(4, "f32", (at) => pdfium.FPDFLink_GetAnnotRect(link, at));
  if (!box) return "";
  const [left, top, right, bottom] = box as [number, number, number, number];
  return pdf
    .text((buffer, bytes) => {
      // This function counts characters, and includes the terminator only when there is a buffer.
      const count = pdfium.FPDFText_GetBoundedText(text, left, top, right, bottom, buffer, bytes / 2);
      return buffer === 0 ? (count + 1) * 2 : count * 2;
    })
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, 200);
}

const popup = 16;
const widget = 20;
const linkAnnotation = 2;

function readAnnotations(pdf: Pdf, page: Handle): { readonly notes: string[]; readonly fields: string[] } {
  const { pdfium } = pdf;
  const notes: string[] = [];
  const fields: string[] = [];
  const count = Math.min(pdfium.FPDFPage_GetAnnotCount(page), most);
  for (let index = 0; index < count; index += 1) {
    const annotation = pdfium.FPDFPage_GetAnnot(page, index);
    if (annotation === 0) continue;
    const subtype = pdfium.FPDFAnnot_GetSubtype(annotation);
    if (subtype === widget) fields.push(...readField(pdf, annotation));
    else if (subtype !== popup && subtype !== linkAnnotation) notes.push(...readNote(pdf, annotation));
    pdfium.FPDFPage_CloseAnnot(annotation);
  }
  return { notes, fields: [...new Set(fields)] };
}

function readNote(pdf: Pdf, annotation: Handle): readonly string[] {
  const note = entry(pdf, annotation, "Contents");
  if (note === "") return [];
  const author = entry(pdf, annotation, "T");
  return [author === "" ? note : `${author}: ${note}`];
}

function entry(pdf: Pdf, annotation: Handle, key: string): string {
  const { pdfium } = pdf;
  return pdf
    .text((buffer, bytes) => pdfium.FPDFAnnot_GetStringValue(annotation, pdf.name(key), buffer, bytes))
    .replaceAll(/\s+/g, " ")
    .trim();
}

const checkBox = 2;
const radioButton = 3;
const pushButton = 1;

function readField(pdf: Pdf, annotation: Handle): readonly string[] {
  const { pdfium, form } = pdf;
  if (form === 0) return [];
  const type = pdfium.FPDFAnnot_GetFormFieldType(form, annotation);
  if (type <= pushButton) return [];
  const text = (call: typeof pdfium.FPDFAnnot_GetFormFieldName) =>
    pdf.text((buffer, bytes) => call(form, annotation, buffer, bytes)).trim();
  const name = text(pdfium.FPDFAnnot_GetFormFieldName) || "(without a name)";
  const state = entry(pdf, annotation, "AS");
  const isOn = state !== "" && state !== "Off";
  if (type === checkBox) return [`${name} = ${isOn ? "checked" : "not checked"}`];
  if (type === radioButton && !isOn) return [];
  const value = text(pdfium.FPDFAnnot_GetFormFieldValue);
  return [`${name} = ${value === "" ? "(empty)" : value.replaceAll(/\r\n?|\n/g, " / ")}`];
}
