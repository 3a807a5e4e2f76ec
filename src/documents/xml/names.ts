import { expandEntities } from "./decode.ts";

/** The names that hold within an element that declares namespaces, and what was already looked up. */
export interface Scope {
  readonly outer: Scope | undefined;
  /** Short names of the namespaces that are declared here, by the prefix that is written. */
  readonly prefixes: ReadonlyMap<string, string>;
  readonly elements: Looked;
  readonly attributes: Looked;
  /** Scopes in this one, by what declares them: drawings declare the same again and again. */
  readonly inner: Map<string, Scope>;
  /** How many are kept in all. */
  readonly kept: { count: number };
}

/** Where nothing is declared. Texts that belong together may share it, and what was looked up in one. */
export function outerScope(): Scope {
  return scopeOf(undefined, new Map(), { count: 0 });
}

/** What written names mean, by the namespaces declared around them. */
export class Names {
  #scope: Scope;
  /** Of the elements that declared the scopes around, the innermost last. */
  readonly #depths: number[] = [];

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** An element of this depth has begun with these attributes, as they are written. */
  declare(depth: number, attributes: string): void {
    const { inner, kept } = this.#scope;
    const known = inner.get(attributes);
    const scope = known ?? scopeOf(this.#scope, readDeclarations(attributes), kept);
    if (!known && kept.count < mostKept) {
      kept.count += 1;
      inner.set(attributes, scope);
    }
    this.#scope = scope;
    this.#depths.push(depth);
  }

  leave(depth: number): void {
    if (this.#depths.at(-1) !== depth) return;
    this.#depths.pop();
    this.#scope = this.#scope.outer!;
  }

  /** The element whose name is written from `from` to `to`. */
  element(source: string, from: number, to: number): Known {
    const place = placeOf(source, from, to);
    const known = this.#scope.elements.places[place];
    if (known && isWritten(known, source, from, to)) return known;
    return this.#look(this.#scope.elements, place, source.slice(from, to));
  }

  attribute(source: string, from: number, to: number): string {
    const place = placeOf(source, from, to);
    const known = this.#scope.attributes.places[place];
    if (known && isWritten(known, source, from, to)) return known.name;
    return this.#look(this.#scope.attributes, place, source.slice(from, to)).name;
  }

  #look(among: Looked, place: number, written: string): Known {
    const known = among.names.get(written) ?? this.#understand(written, among === this.#scope.elements);
    among.places[place] = known;
    if (among.names.size < mostNames) among.names.set(written, known);
    return known;
  }

  #understand(written: string, isElement: boolean): Known {
    const colon = written.indexOf(":");
    const local = written.slice(colon + 1);
    const prefix = colon === -1 ? "" : written.slice(0, colon);
    // Without a prefix an attribute is in no namespace, whatever the default is.
    const name = colon === -1 && !isElement ? written : this.#qualified(prefix, local);
    return { written, name: comparable(name), endTag: `</${written}>`, nextEnd: undefined };
  }

  #qualified(prefix: string, local: string): string {
    let scope: Scope | undefined = this.#scope;
    while (scope && !scope.prefixes.has(prefix)) scope = scope.outer;
    // An undeclared prefix is taken for the usual one.
    const short = scope?.prefixes.get(prefix) ?? prefix;
    return short === "" ? local : `${short}:${local}`;
  }
}

/** Names that were looked up: all, and by `placeOf` the last one of each place. */
interface Looked {
  readonly names: Map<string, Known>;
  readonly places: (Known | undefined)[];
}

export interface Known {
  readonly written: string;
  readonly name: string;
  readonly endTag: string;
  /** Where its next end is in the text of a reader: found once, however many of its name end before. */
  nextEnd: { readonly reader: object; readonly at: number } | undefined;
}

/** The engine compares names of properties with those in a program by where they are kept, not letter by letter. */
function comparable(name: string): string {
  return Object.keys({ [name]: true })[0]!;
}

/** Names are compared where they stand: to cut out and hash each would cost more than all the rest of reading. */
function isWritten({ written }: Known, source: string, from: number, to: number): boolean {
  return written.length === to - from && isAt(source, written, from);
}

export function isAt(source: string, word: string, at: number): boolean {
  for (let index = 0; index < word.length; index += 1)
    if (source.charCodeAt(at + index) !== word.charCodeAt(index)) return false;
  return true;
}

/** Where a name is kept: few of those in one file share a place. */
function placeOf(source: string, from: number, to: number): number {
  const length = to - from;
  const sum =
    length * 67 +
    source.charCodeAt(to - 1) * 31 +
    source.charCodeAt(from + (length >> 1)) * 131 +
    source.charCodeAt(from + 2) * 7 +
    source.charCodeAt(to - 2) * 257;
  return sum & 0x1ff;
}

/** No format has more names; limits the memory of a hostile file. */
const mostNames = 2_000;

/** Limits the memory of a file that keeps declaring other namespaces. */
const mostKept = 200;

const declaration = /(?:^|\s)xmlns(?::([^\s=]+))?\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

function readDeclarations(attributes: string): ReadonlyMap<string, string> {
  const prefixes = new Map<string, string>();
  for (const [, prefix = "", double, single] of attributes.matchAll(declaration))
    prefixes.set(prefix, shortName(expandEntities(double ?? single ?? "")));
  return prefixes;
}

function scopeOf(
  outer: Scope | undefined,
  prefixes: ReadonlyMap<string, string>,
  kept: { count: number },
): Scope {
  return { outer, prefixes, elements: noneLooked(), attributes: noneLooked(), inner: new Map(), kept };
}

function noneLooked(): Looked {
  return { names: new Map(), places: [] };
}

function shortName(namespace: string): string {
  return namespace === "" ? "" : (namespaces.get(namespace) ?? "?");
}

/**
 * The short names by which readers know namespaces, whatever prefix a file gives them: "w:p", "text:h". Office files come
 * in two flavours, transitional and strict, that differ in nothing but these addresses.
 */
const namespaces: ReadonlyMap<string, string> = new Map<string, string>([
  ["http://www.w3.org/XML/1998/namespace", "xml"],
  ...office("w", "wordprocessingml/2006/main", "wordprocessingml/main"),
  ...office("p", "presentationml/2006/main", "presentationml/main"),
  ...office("x", "spreadsheetml/2006/main", "spreadsheetml/main"),
  ...office("a", "drawingml/2006/main", "drawingml/main"),
  ...office("c", "drawingml/2006/chart", "drawingml/chart"),
  ["http://schemas.microsoft.com/office/drawing/2014/chartex", "cx"],
  ...office("dgm", "drawingml/2006/diagram", "drawingml/diagram"),
  ...office("pic", "drawingml/2006/picture", "drawingml/picture"),
  ...office("wp", "drawingml/2006/wordprocessingDrawing", "drawingml/wordprocessingDrawing"),
  ...office("xdr", "drawingml/2006/spreadsheetDrawing", "drawingml/spreadsheetDrawing"),
  ...office("m", "officeDocument/2006/math", "officeDocument/math"),
  ...office("r", "officeDocument/2006/relationships", "officeDocument/relationships"),
  ...office("app", "officeDocument/2006/extended-properties", "officeDocument/extendedProperties"),
  ["http://schemas.openxmlformats.org/package/2006/relationships", "rel"],
  ["http://schemas.openxmlformats.org/package/2006/content-types", "ct"],
  ["http://schemas.openxmlformats.org/package/2006/metadata/core-properties", "cp"],
  ["http://schemas.openxmlformats.org/markup-compatibility/2006", "mc"],
  ["http://schemas.microsoft.com/office/word/2010/wordprocessingShape", "wps"],
  ["http://schemas.microsoft.com/office/word/2010/wordprocessingGroup", "wpg"],
  ["http://schemas.microsoft.com/office/word/2010/wordprocessingCanvas", "wpc"],
  ["http://schemas.microsoft.com/office/word/2010/wordml", "w14"],
  ["http://schemas.microsoft.com/office/powerpoint/2018/8/main", "p188"],
  ["urn:schemas-microsoft-com:vml", "v"],
  ["urn:schemas-microsoft-com:office:office", "o"],
  ["http://purl.org/dc/elements/1.1/", "dc"],
  ["http://purl.org/dc/terms/", "dcterms"],
  ...["office", "text", "table", "style", "meta", "presentation", "manifest"].map((name) =>
    openDocument(name),
  ),
  openDocument("drawing", "draw"),
  openDocument("datastyle", "number"),
  openDocument("svg-compatible", "svg"),
  openDocument("xsl-fo-compatible", "fo"),
  ["http://www.w3.org/1999/xlink", "xlink"],
  ["http://www.w3.org/1998/Math/MathML", "math"],
  ["http://www.idpf.org/2007/opf", "opf"],
  ["http://www.idpf.org/2007/ops", "epub"],
  ["http://www.daisy.org/z3986/2005/ncx/", "ncx"],
  ["http://www.w3.org/1999/xhtml", "html"],
  ["http://www.w3.org/2001/04/xmlenc#", "enc"],
  ["urn:oasis:names:tc:opendocument:xmlns:container", "container"],
]);

function office(short: string, transitional: string, strict: string): [string, string][] {
  return [
    [`http://schemas.openxmlformats.org/${transitional}`, short],
    [`http://purl.oclc.org/ooxml/${strict}`, short],
  ];
}

function openDocument(name: string, short: string = name): [string, string] {
  return [`urn:oasis:names:tc:opendocument:xmlns:${name}:1.0`, short];
}
