import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { ToolError } from "../../../contract/error.ts";
import { type Attributes, Element, type Kind, kindOf, noAttributes, textOf } from "./element.ts";
import { isAside } from "./main-content.ts";

/** Parses a page in one pass, in linear time. `showHidden` keeps elements that styles hide. */
export function parseHtml(given: string, options: { readonly showHidden: boolean }): ParsedHtml {
  const html = withoutDeclarations(given);
  const tree = new Tree(options);
  const isXhtml = /^\s*<\?xml|<!DOCTYPE[^>]{0,100}XHTML/i.test(html.slice(0, 1000));
  const tokenizer = new Tokenizer({ recognizeSelfClosing: isXhtml }, listen(html, tree, isXhtml));
  tokenizer.write(html);
  tokenizer.end();
  return tree.finish();
}

/** Removes the internal subset of a document type, which is not text. */
function withoutDeclarations(html: string): string {
  const at = html.slice(0, 2000).search(/<!doctype[^>[]{0,500}\[/i);
  if (at === -1) return html;
  const end = /\]\s*>/g;
  end.lastIndex = at;
  return end.test(html) ? html.slice(0, at) + html.slice(end.lastIndex) : html;
}

function listen(html: string, tree: Tree, isXhtml: boolean): TokenizerCallbacks {
  let kind = kindOf("");
  let attributes: Record<string, string | undefined> | undefined;
  let attribute: string | undefined;
  let value = "";
  const nothing = () => {};
  const start = (isClosed: boolean) => tree.start(kind, attributes ?? noAttributes, { isClosed });
  return {
    onopentagname: (from, to) => {
      kind = kindOf(html.slice(from, to).toLowerCase());
      attributes = undefined;
    },
    onattribname: (from, to) => {
      const name = html.slice(from, to).toLowerCase();
      attribute = attributeNames.has(name) ? name : undefined;
      value = "";
    },
    onattribdata: (from, to) => {
      if (attribute !== undefined) value += html.slice(from, to);
    },
    onattribentity: (codePoint) => {
      if (attribute !== undefined) value += String.fromCodePoint(codePoint);
    },
    onattribend: () => {
      if (attribute === undefined) return;
      attributes ??= {};
      attributes[attribute] ??= value;
    },
    onopentagend: () => start(false),
    onselfclosingtag: () => start(isXhtml || tree.isForeign),
    onclosetag: (from, to) => tree.end(html.slice(from, to).toLowerCase()),
    ontext: (from, to) => tree.text(html.slice(from, to)),
    ontextentity: (codePoint) => tree.text(String.fromCodePoint(codePoint)),
    oncdata: (from, to, offset) => tree.text(html.slice(from, to - offset)),
    isInForeignContext: () => tree.isForeign,
    oncomment: nothing,
    ondeclaration: nothing,
    onprocessinginstruction: nothing,
    onend: nothing,
  };
}

const attributeNames: ReadonlySet<string> = new Set(
  (
    "alt alttext aria-hidden aria-label aria-level class colspan content data-footnote-ref data-lang data-language " +
    "data-nosnippet data-src display encoding height hidden href id itemprop lang name property rel role rowspan src srcset start " +
    "style title type value width xml:lang"
  ).split(" "),
);

export interface ParsedHtml {
  readonly root: Element;
  /** The elements `meta`, `base`, `link` and `html`. */
  readonly head: readonly Element[];
  readonly title: string | undefined;
  /** The number of characters of all visible text, including text outside of the content. */
  readonly textLength: number;
}

/** The limit of browsers, which is low enough for recursion. */
const maxDepth = 512;

const maxElements = 1_500_000;

/**
 * Builds a tree as browsers do, without invisible elements. Elements below `maxDepth` become siblings. `showHidden`
 * keeps elements that styles hide, and those for browsers without scripts.
 */
class Tree {
  readonly #showHidden: boolean;
  readonly #root = new Element(kindOf("#root"), noAttributes, undefined);
  readonly #head: Element[] = [];
  readonly #open: Element[] = [this.#root];
  readonly #plainBefore: number[] = [0];
  readonly #linkedBefore: number[] = [0];
  #title: Element | undefined;
  #elements = 0;
  #textLength = 0;
  #plainLength = 0;
  #linkedLength = 0;
  /** The number of open elements that are too deep. The next fields count other kinds of open elements. */
  #tooDeep = 0;
  #dark = 0;
  #links = 0;
  #foreign = 0;
  #paragraphs = 0;

  constructor({ showHidden }: { readonly showHidden: boolean }) {
    this.#showHidden = showHidden;
  }

  get isForeign(): boolean {
    return this.#foreign > 0;
  }

  finish(): ParsedHtml {
    this.#closeTo(1);
    this.#measure(this.#root, 0);
    const title = this.#title && textOf(this.#title);
    return { root: this.#root, head: this.#head, title, textLength: this.#textLength };
  }

  /** Adds an element. `isClosed` means that its tag closes itself. */
  start(kind: Kind, attributes: Attributes, { isClosed }: { readonly isClosed: boolean }): void {
    this.#elements += 1;
    if (this.#elements > maxElements) throw tooMany();
    // The text around a possible line break is one word.
    if (kind.name === "wbr") return;
    this.#endImplied(kind);
    const parent = this.#open.at(-1)!;
    const element = new Element(kind, attributes, parent);
    if (kind.isAboutPage) this.#head.push(element);
    if (this.#dark === 0 && !this.#hides(kind, attributes)) {
      parent.children.push(element);
      if (element.isBlock) markBlocks(parent);
      if (kind.name === "h1") markTopHeading(parent);
    }
    if (isClosed || kind.isVoid) return;
    if (this.#open.length >= maxDepth) {
      this.#tooDeep += 1;
      return;
    }
    this.#open.push(element);
    this.#plainBefore.push(this.#plainLength);
    this.#linkedBefore.push(this.#linkedLength);
    this.#count(element, 1);
  }

  end(name: string): void {
    if (name === "br") {
      this.start(kindOf(name), noAttributes, { isClosed: true });
      return;
    }
    if (this.#tooDeep > 0) {
      this.#tooDeep -= 1;
      return;
    }
    const passes = kindOf(name).isTablePart;
    for (let index = this.#open.length - 1; index > 0; index -= 1) {
      const open = this.#open[index]!.kind;
      if (open.name === name) {
        this.#closeTo(index);
        return;
      }
      if (!passes && open.isScope) return;
    }
  }

  text(text: string): void {
    const parent = this.#open.at(-1)!;
    if (this.#dark > 0) {
      if (parent.name === "title" && this.#foreign === 0) this.#readTitle(parent, text);
      return;
    }
    keepText(parent, text);
    // Text between elements is often only white space.
    const length = text.charCodeAt(0) <= 0x20 ? text.trim().length : text.length;
    this.#textLength += length;
    if (this.#links > 0) this.#linkedLength += length;
    else this.#plainLength += length;
  }

  /** Adds text to the title, if it is the first one. */
  #readTitle(element: Element, text: string): void {
    this.#title ??= element;
    if (this.#title === element) keepText(element, text);
  }

  #endImplied({ name, endsParagraph, implied }: Kind): void {
    if (this.#tooDeep > 0) return;
    if (endsParagraph && this.#paragraphs > 0) this.#endNearest(paragraph, cells);
    if (implied !== undefined) this.#endNearest(implied.ends, implied.within);
    else if (name === "a" && this.#open.at(-1)!.name === "a") this.#closeTo(this.#open.length - 1);
  }

  #endNearest(ends: ReadonlySet<string>, within: ReadonlySet<string>): void {
    for (let index = this.#open.length - 1; index > 0; index -= 1) {
      const { name } = this.#open[index]!;
      if (ends.has(name)) {
        this.#closeTo(index);
        return;
      }
      if (within.has(name) || name === "table") return;
    }
  }

  #closeTo(length: number): void {
    this.#tooDeep = 0;
    while (this.#open.length > length) {
      const element = this.#open.pop()!;
      this.#count(element, -1);
      const plainBefore = this.#plainBefore.pop()!;
      const linkedBefore = this.#linkedBefore.pop()!;
      this.#measure(element, plainBefore, linkedBefore);
      if (!isAside(element)) continue;
      element.isAside = true;
      this.#plainLength = plainBefore;
      this.#linkedLength = linkedBefore;
    }
  }

  #measure(element: Element, plainBefore: number, linkedBefore = 0): void {
    element.plainLength = this.#plainLength - plainBefore;
    element.linkLength = this.#linkedLength - linkedBefore;
  }

  #count({ name, kind, attributes }: Element, by: 1 | -1): void {
    if (name === "p") this.#paragraphs += by;
    else if (name === "a" && attributes.href !== undefined) this.#links += by;
    else if (kind.isForeign) this.#foreign += by;
    if (this.#dark > 0 || this.#hides(kind, attributes)) this.#dark += by;
  }

  #hides({ name, isDark, isFallback }: Kind, attributes: Attributes): boolean {
    if (isDark) return name !== "script" || !attributes.type?.startsWith("math/tex");
    if (this.#showHidden || name === "body" || name === "html") return false;
    return isFallback || (attributes !== noAttributes && isHidden(attributes));
  }
}

const paragraph: ReadonlySet<string> = new Set(["p"]);
const cells: ReadonlySet<string> = new Set(["td", "th", "caption"]);

function isHidden(attributes: Attributes): boolean {
  const { hidden, style } = attributes;
  if (hidden !== undefined && hidden !== "until-found") return true;
  if (attributes["aria-hidden"] === "true") return true;
  return style !== undefined && /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style);
}

function keepText(parent: Element, text: string): void {
  const last = parent.children.length - 1;
  // Text arrives in pieces around each entity.
  if (typeof parent.children[last] === "string") parent.children[last] += text;
  else parent.children.push(text);
}

function markBlocks(element: Element): void {
  for (let above: Element | undefined = element; above && !above.holdsBlocks; above = above.parent) {
    above.holdsBlocks = true;
  }
}

function markTopHeading(element: Element): void {
  for (let above: Element | undefined = element; above && !above.holdsTopHeading; above = above.parent) {
    above.holdsTopHeading = true;
  }
}

function tooMany(): ToolError {
  return new ToolError("too-large", `The page has more than ${maxElements} elements`, {
    hint: "Read it with another program (shell.run).",
    forUser: { hint: "Open it in a browser." },
  });
}
