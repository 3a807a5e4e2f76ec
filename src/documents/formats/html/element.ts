export type Node = Element | string;

/** An element, with what is needed to judge it: measured when it is closed, without what was set aside inside. */
export class Element {
  readonly name: string;
  readonly kind: Kind;
  readonly attributes: Attributes;
  readonly children: Node[] = [];
  readonly parent: Element | undefined;
  holdsBlocks = false;
  holdsTopHeading = false;
  /** Characters of text outside of links, and inside of them, without white space around it. */
  plainLength = 0;
  linkLength = 0;
  /** Beside the matter: navigation, advertisement, what is around each page. */
  isAside = false;

  constructor(kind: Kind, attributes: Attributes, parent: Element | undefined) {
    this.name = kind.name;
    this.kind = kind;
    this.attributes = attributes;
    this.parent = parent;
  }

  get isBlock(): boolean {
    return this.kind.isBlock || this.holdsBlocks;
  }

  get textLength(): number {
    return this.plainLength + this.linkLength;
  }
}

/** Those that are looked at; names in lower case. */
export type Attributes = Readonly<Record<string, string | undefined>>;

export const noAttributes: Attributes = {};

/** The first element below that `isWanted`, in the order of the document. */
export function findElement(element: Element, isWanted: (element: Element) => boolean): Element | undefined {
  for (const child of element.children) {
    if (typeof child === "string") continue;
    const found = isWanted(child) ? child : findElement(child, isWanted);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function textOf(element: Element): string {
  let text = "";
  for (const child of element.children) text += typeof child === "string" ? child : textOf(child);
  return text;
}

export interface Kind {
  readonly name: string;
  /** Holds nothing, and has no end tag. */
  readonly isVoid: boolean;
  readonly isBlock: boolean;
  readonly isHeading: boolean;
  /** Never seen by a reader, nor what is in it. */
  readonly isDark: boolean;
  /** Not shown by browsers with scripts. */
  readonly isFallback: boolean;
  readonly isAboutPage: boolean;
  /** A start tag ends an open paragraph. */
  readonly endsParagraph: boolean;
  /** A start tag ends what is open of these, as far up as the nearest of the others. */
  readonly implied: ImpliedEnd | undefined;
  /** An end tag inside ends nothing outside. */
  readonly isScope: boolean;
  /** An end tag passes over such. */
  readonly isTablePart: boolean;
  readonly isForeign: boolean;
}

interface ImpliedEnd {
  readonly ends: ReadonlySet<string>;
  readonly within: ReadonlySet<string>;
}

export function kindOf(name: string): Kind {
  return kinds.get(name) ?? (name.includes("-") ? own(name) : describe(name));
}

const lists = {
  isVoid: names(
    "area base basefont bgsound br col command embed frame hr img input keygen link meta param source track wbr",
  ),
  isBlock: names(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure " +
      "footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup option " +
      "p pre search section summary table tbody td tfoot th thead tr ul xmp",
  ),
  isHeading: names("h1 h2 h3 h4 h5 h6"),
  isDark: names(
    "area canvas datalist input link map meta noembed noframes param script select style svg template textarea " +
      "title track",
  ),
  isFallback: names("noscript"),
  isAboutPage: names("html base meta link"),
  endsParagraph: names(
    "address article aside blockquote center details dialog dir div dl dd dt fieldset figcaption figure footer form h1 " +
      "h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p pre search section summary table ul xmp",
  ),
  isScope: names("table td th caption template svg math"),
  isTablePart: names("table thead tbody tfoot tr html body"),
  isForeign: names("svg math"),
};

const others = names(
  "a abbr audio b bdi bdo big button cite code data del dfn em font head i iframe image ins kbd label mark math object " +
    "picture q rp rt ruby s samp small span strike strong sub sup time tt u var video colgroup",
);

const impliedEnds: ReadonlyMap<string, ImpliedEnd> = new Map([
  ...eachName("li", { ends: names("li"), within: names("ul ol menu dir") }),
  ...eachName("dt dd", { ends: names("dt dd"), within: names("dl") }),
  ...eachName("td th", { ends: names("td th caption"), within: names("tr table") }),
  ...eachName("tr", { ends: names("tr caption colgroup"), within: names("thead tbody tfoot table") }),
  ...eachName("thead tbody tfoot", {
    ends: names("thead tbody tfoot caption colgroup"),
    within: names("table"),
  }),
  ...eachName("option optgroup", { ends: names("option"), within: names("select optgroup datalist") }),
  ...eachName("rt rp", { ends: names("rt rp"), within: names("ruby") }),
  ...eachName("body", { ends: names("head"), within: names("html") }),
]);

const kinds: ReadonlyMap<string, Kind> = new Map(
  [...new Set([...Object.values(lists), others].flatMap((list) => [...list]))].map((name) => [
    name,
    describe(name),
  ]),
);

function describe(name: string): Kind {
  return {
    name,
    isVoid: lists.isVoid.has(name),
    isBlock: lists.isBlock.has(name),
    isHeading: lists.isHeading.has(name),
    isDark: lists.isDark.has(name),
    isFallback: lists.isFallback.has(name),
    isAboutPage: lists.isAboutPage.has(name),
    endsParagraph: lists.endsParagraph.has(name),
    implied: impliedEnds.get(name),
    isScope: lists.isScope.has(name),
    isTablePart: lists.isTablePart.has(name),
    isForeign: lists.isForeign.has(name),
  };
}

/** Names with a hyphen are somebody's own elements, which mostly stand on lines of their own. */
function own(name: string): Kind {
  return { ...describe(name), isBlock: true };
}

function names(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

function eachName(text: string, end: ImpliedEnd): (readonly [string, ImpliedEnd])[] {
  return text.split(" ").map((name) => [name, end] as const);
}
