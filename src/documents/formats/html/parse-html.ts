import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { noAttributes } from "./element.ts";
import { kindOf } from "./kinds.ts";
import { type ParsedHtml, Tree } from "./tree.ts";

/** One pass over the text, in time that its length decides alone. */
export function parseHtml(given: string, options: { readonly showHidden: boolean }): ParsedHtml {
  const html = withoutDeclarations(given);
  const tree = new Tree(options);
  const isXhtml = /^\s*<\?xml|<!DOCTYPE[^>]{0,100}XHTML/i.test(html.slice(0, 1000));
  const tokenizer = new Tokenizer({ recognizeSelfClosing: isXhtml }, listen(html, tree, isXhtml));
  tokenizer.write(html);
  tokenizer.end();
  return tree.finish();
}

/** What a document type declares in brackets, as in XHTML, is no text. */
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
  /** The one that is being read, if it is looked at. */
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

/** The attributes that are looked at; all others are passed over unread. */
const attributeNames: ReadonlySet<string> = new Set(
  (
    "alt alttext aria-hidden aria-label aria-level class colspan content data-footnote-ref data-lang data-language " +
    "data-nosnippet data-src display encoding height hidden href id itemprop lang name property rel role rowspan src srcset start " +
    "style title type value width xml:lang"
  ).split(" "),
);
