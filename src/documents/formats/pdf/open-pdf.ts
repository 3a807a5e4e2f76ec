import { ToolError } from "../../../contract/error.ts";
import { damaged, encrypted } from "../../reader.ts";
import type { Handle } from "./pdfium-functions.ts";
import { repairCharacterMaps } from "./repair-character-maps.ts";
import { type Pdfium, startPdfium } from "./start-pdfium.ts";

/** A document opened in PDFium. Its memory is freed with the last reference. */
export class Pdf {
  readonly pdfium: Pdfium;
  readonly document: Handle;
  readonly pageCount: number;
  /** A buffer of 64 bytes for results of functions. */
  readonly scratch: number;
  #view: DataView;
  #form: Handle | undefined;

  constructor(pdfium: Pdfium, document: Handle) {
    this.pdfium = pdfium;
    this.document = document;
    this.pageCount = pdfium.FPDF_GetPageCount(document);
    this.scratch = allocate(pdfium, 64);
    this.#view = new DataView(pdfium.memory.buffer);
  }

  /** A view of the memory. The memory is replaced when it grows. */
  get view(): DataView {
    const { buffer } = this.pdfium.memory;
    if (this.#view.buffer !== buffer) this.#view = new DataView(buffer);
    return this.#view;
  }

  /** Calls a function that writes up to 16 numbers; undefined if it fails. */
  numbers(count: number, type: "f32" | "u32", call: (address: number) => number): number[] | undefined {
    if (!call(this.scratch)) return undefined;
    const { view, scratch } = this;
    return Array.from({ length: count }, (_, index) =>
      type === "f32" ? view.getFloat32(scratch + index * 4, true) : view.getUint32(scratch + index * 4, true),
    );
  }

  /** Calls a function that writes UTF-16 with a terminator of two bytes and returns the length in bytes. */
  text(call: (buffer: number, bytes: number) => number): string {
    return this.#called(call, (bytes) => new TextDecoder("utf-16le").decode(bytes.subarray(0, -2)));
  }

  /** Calls a function that writes bytes with a zero terminator. */
  bytes(call: (buffer: number, bytes: number) => number): string {
    return this.#called(call, (bytes) => Buffer.from(bytes.subarray(0, -1)).toString("latin1"));
  }

  #called(call: (buffer: number, bytes: number) => number, read: (bytes: Uint8Array) => string): string {
    const { pdfium } = this;
    const length = Math.min(call(0, 0), maxTextBytes);
    if (length <= 2) return "";
    const buffer = allocate(pdfium, length);
    call(buffer, length);
    const text = read(new Uint8Array(pdfium.memory.buffer, buffer, length));
    pdfium.free(buffer);
    return text.replaceAll("\0", "");
  }

  /** Returns the address of a name in memory. It is never freed. */
  name(name: string): number {
    let address = this.#names.get(name);
    if (address === undefined) {
      address = allocate(this.pdfium, name.length + 1);
      new Uint8Array(this.pdfium.memory.buffer).set(Buffer.from(`${name}\0`, "latin1"), address);
      this.#names.set(name, address);
    }
    return address;
  }
  readonly #names = new Map<string, number>();

  get form(): Handle {
    if (this.#form === undefined) {
      // The structure has only its version and no callbacks.
      const bytes = 256;
      const information = allocate(this.pdfium, bytes);
      new Uint8Array(this.pdfium.memory.buffer, information, bytes).fill(0)[0] = 2;
      this.#form = this.pdfium.FPDFDOC_InitFormFillEnvironment(this.document, information);
    }
    return this.#form;
  }
}

const maxTextBytes = 4 * 1024 * 1024;

export async function openPdf(bytes: Uint8Array, name: string): Promise<Pdf> {
  const pdfium = await startPdfium(bytes.length);
  const address = allocate(pdfium, bytes.length);
  const own = new Uint8Array(pdfium.memory.buffer, address, bytes.length);
  own.set(bytes);
  repairCharacterMaps(own);
  const document = pdfium.FPDF_LoadMemDocument(address, bytes.length, 0);
  if (document === 0) throw refused(pdfium.FPDF_GetLastError(), name);
  const pdf = new Pdf(pdfium, document);
  if (pdf.pageCount < 1) throw damaged(name, "it has no pages");
  return pdf;
}

export function allocate(pdfium: Pdfium, bytes: number): number {
  const address = pdfium.malloc(bytes);
  if (address === 0) throw new RangeError("no memory left");
  return address;
}

const needsPassword = 4;
const unknownSecurity = 5;

function refused(error: number, name: string): ToolError {
  if (error === needsPassword)
    return encrypted(name, "Decrypt it, then read the copy: qpdf --password=… --decrypt in.pdf out.pdf");
  if (error === unknownSecurity)
    return new ToolError("unsupported", `${name} is encrypted with an unknown method`, {
      hint: "Use a copy without encryption.",
    });
  return damaged(name, "no PDF structure was found in it");
}

export function withPage<Answer>(
  pdf: Pdf,
  number: number,
  none: Answer,
  use: (page: Handle, text: Handle) => Answer,
): Answer {
  const { pdfium } = pdf;
  const page = pdfium.FPDF_LoadPage(pdf.document, number - 1);
  if (page === 0) return none;
  const text = pdfium.FPDFText_LoadPage(page);
  const answer = text === 0 ? none : use(page, text);
  if (text !== 0) pdfium.FPDFText_ClosePage(text);
  pdfium.FPDF_ClosePage(page);
  return answer;
}

/** Yields the first objects of a page and their types. A scanned page has hardly any others. */
export function* objectsOf({ pdfium }: Pdf, page: Handle): Generator<readonly [Handle, number]> {
  const count = Math.min(pdfium.FPDFPage_CountObjects(page), 1000);
  for (let index = 0; index < count; index += 1) {
    const object = pdfium.FPDFPage_GetObject(page, index);
    yield [object, pdfium.FPDFPageObj_GetType(object)];
  }
}

/** Types of page objects. */
export const pictureObject = 3;
export const formObject = 5;
