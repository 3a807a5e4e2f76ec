import { expandEntities } from "./decode.ts";

/** The prefixes that the namespace declarations of an element define. The scopes of nested elements form a chain. */
export class Scope {
  readonly outer: Scope | undefined;
  /** The depth of the element that declares the prefixes. */
  readonly depth: number;
  readonly #prefixes = new Map<string, string>();
  readonly #elements = new Map<string, string>();
  readonly #attributes = new Map<string, string>();
  readonly #inner = new Map<string, Scope>();
  readonly #slots: (ElementName | undefined)[] = [];

  constructor(outer?: Scope, depth = 0, attributes = "") {
    this.outer = outer;
    this.depth = depth;
    for (const [, prefix = "", double, single] of attributes.matchAll(declaration)) {
      const address = expandEntities(double ?? single ?? "");
      this.#prefixes.set(prefix, address === "" ? "" : (namespaces.get(address) ?? "?"));
    }
  }

  /** Returns the scope of an element with these attributes. It is cached, because drawings repeat declarations. */
  inside(depth: number, attributes: string): Scope {
    const key = `${depth}${attributes}`;
    const scope = this.#inner.get(key) ?? new Scope(this, depth, attributes);
    if (this.#inner.size < mostScopes) this.#inner.set(key, scope);
    return scope;
  }

  /** Returns the name in the source from `from` to `to`. Its slots avoid slicing and hashing every name. */
  element(source: string, from: number, to: number): ElementName {
    const middle = source.charCodeAt((from + to) >> 1);
    const slot = ((to - from) * 67 + source.charCodeAt(to - 1) * 31 + middle * 131) & 0x1ff;
    const known = this.#slots[slot];
    if (known?.written.length === to - from && source.startsWith(known.written, from)) return known;
    const written = source.slice(from, to);
    const name = this.#elements.get(written) ?? this.#understand(this.#elements, written);
    this.#slots[slot] = { written, name };
    return this.#slots[slot];
  }

  /** Returns the short name of an attribute. An attribute without a prefix is in no namespace. */
  attribute(written: string): string {
    if (!written.includes(":")) return written;
    return this.#attributes.get(written) ?? this.#understand(this.#attributes, written);
  }

  #understand(known: Map<string, string>, written: string): string {
    const colon = written.indexOf(":");
    const local = written.slice(colon + 1);
    const short = this.#shortName(written.slice(0, Math.max(colon, 0)));
    // V8 internalises property names, so that comparing them with literals is fast.
    const name = Object.keys({ [short === "" ? local : `${short}:${local}`]: true })[0]!;
    if (known.size < mostNames) known.set(written, name);
    return name;
  }

  /** Returns the short name of a prefix. An undeclared prefix is its own short name. */
  #shortName(prefix: string): string {
    for (let scope: Scope | undefined = this; scope; scope = scope.outer) {
      const short = scope.#prefixes.get(prefix);
      if (short !== undefined) return short;
    }
    return prefix;
  }
}

export interface ElementName {
  /** The name as written in the file. */
  readonly written: string;
  /** The short name: "w:p". */
  readonly name: string;
}

/** These limits bound the memory for a hostile file. No real file reaches them. */
const mostNames = 2_000;
const mostScopes = 200;

const declaration = /(?:^|\s)xmlns(?::([^\s=]+))?\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** The short names that readers use. Strict Office files differ from transitional ones only in the namespace URLs. */
const namespaces: ReadonlyMap<string, string> = new Map<string, string>([
  ["http://www.w3.org/XML/1998/namespace", "xml"],
  ...office("w", "wordprocessingml/2006/main"),
  ...office("p", "presentationml/2006/main"),
  ...office("x", "spreadsheetml/2006/main"),
  ...office("a", "drawingml/2006/main"),
  ...office("c", "drawingml/2006/chart"),
  ...office("dgm", "drawingml/2006/diagram"),
  ...office("pic", "drawingml/2006/picture"),
  ...office("wp", "drawingml/2006/wordprocessingDrawing"),
  ...office("m", "officeDocument/2006/math"),
  ...office("r", "officeDocument/2006/relationships"),
  ...office("app", "officeDocument/2006/extended-properties", "officeDocument/extendedProperties"),
  ["http://schemas.microsoft.com/office/drawing/2014/chartex", "cx"],
  ["http://schemas.openxmlformats.org/package/2006/relationships", "rel"],
  ["http://schemas.openxmlformats.org/package/2006/metadata/core-properties", "cp"],
  ["http://schemas.openxmlformats.org/markup-compatibility/2006", "mc"],
  ["http://schemas.microsoft.com/office/powerpoint/2018/8/main", "p188"],
  ["urn:schemas-microsoft-com:vml", "v"],
  ["urn:schemas-microsoft-com:office:office", "o"],
  ["http://purl.org/dc/elements/1.1/", "dc"],
  ["http://purl.org/dc/terms/", "dcterms"],
  ...["office", "text", "table", "style", "meta", "presentation"].map((name) => openDocument(name)),
  openDocument("drawing", "draw"),
  openDocument("svg-compatible", "svg"),
  ["http://www.w3.org/1999/xlink", "xlink"],
  ["http://www.w3.org/1998/Math/MathML", "math"],
  ["http://www.idpf.org/2007/opf", "opf"],
  ["http://www.daisy.org/z3986/2005/ncx/", "ncx"],
  ["http://www.w3.org/1999/xhtml", "html"],
  ["http://www.w3.org/2001/04/xmlenc#", "enc"],
  ["urn:oasis:names:tc:opendocument:xmlns:container", "container"],
]);

function office(short: string, transitional: string, strict = transitional.replace("/2006", "")) {
  return [
    [`http://schemas.openxmlformats.org/${transitional}`, short],
    [`http://purl.oclc.org/ooxml/${strict}`, short],
  ] as const;
}

function openDocument(name: string, short: string = name): readonly [string, string] {
  return [`urn:oasis:names:tc:opendocument:xmlns:${name}:1.0`, short];
}
