import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";

/** Receives tags and text in order. Nesting is not tracked. */
export interface MarkupListener {
  readonly text: (text: string) => void;
  /** Names are in lower case. */
  readonly start?: (name: string, attributes: ReadonlyMap<string, string>) => void;
  readonly end?: (name: string) => void;
}

export function readMarkup(markup: string, listener: MarkupListener): void {
  let name = "";
  let attribute = "";
  let attributes = new Map<string, string>();
  const nothing = () => {};
  const start = () => {
    listener.start?.(name, attributes);
  };
  const callbacks: TokenizerCallbacks = {
    onopentagname: (from, to) => {
      name = markup.slice(from, to).toLowerCase();
      attributes = new Map();
    },
    onattribname: (from, to) => {
      attribute = markup.slice(from, to).toLowerCase();
      if (!attributes.has(attribute)) attributes.set(attribute, "");
    },
    onattribdata: (from, to) => {
      attributes.set(attribute, attributes.get(attribute) + markup.slice(from, to));
    },
    onattribentity: (codePoint) => {
      attributes.set(attribute, attributes.get(attribute) + String.fromCodePoint(codePoint));
    },
    onattribend: nothing,
    onopentagend: start,
    onselfclosingtag: start,
    onclosetag: (from, to) => listener.end?.(markup.slice(from, to).toLowerCase()),
    ontext: (from, to) => listener.text(markup.slice(from, to)),
    ontextentity: (codePoint) => listener.text(String.fromCodePoint(codePoint)),
    oncdata: nothing,
    oncomment: nothing,
    ondeclaration: nothing,
    onprocessinginstruction: nothing,
    onend: nothing,
  };
  const tokenizer = new Tokenizer({}, callbacks);
  tokenizer.write(markup);
  tokenizer.end();
}

export function plainText(markup: string): string {
  let text = "";
  readMarkup(markup, {
    text: (piece) => {
      text += piece;
    },
  });
  return text;
}
