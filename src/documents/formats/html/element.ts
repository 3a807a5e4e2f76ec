export type Node = Element | string;

/** An element. Its text is measured when it is closed, without the elements in it that are outside of the content. */
export class Element {
  readonly name: string;
  readonly kind: Kind;
  readonly attributes: Attributes;
  readonly children: Node[] = [];
  readonly parent: Element | undefined;
  holdsBlocks = false;
  holdsTopHeading = false;
  /** The number of characters outside of links. `linkLength` counts those inside. */
  plainLength = 0;
  linkLength = 0;
  /** Whether it is outside of the content: navigation, advertisements, headers and footers of the site. */
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

/** Attributes by name. Names are in lower case. */
export type Attributes = Readonly<Record<string, string | undefined>>;

export const noAttributes: Attributes = {};

/** Returns the first matching descendant, in document order. */
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

/** Properties that follow from an element's name. */
export type Kind = { readonly name: string; readonly implied: ImpliedEnd | undefined } & {
  readonly [Property in keyof typeof lists]: boolean;
};

/** The open elements that a start tag closes, up to the nearest element in `within`. */
interface ImpliedEnd {
  readonly ends: ReadonlySet<string>;
  readonly within: ReadonlySet<string>;
}

export function kindOf(name: string): Kind {
  const known = kinds.get(name);
  if (known) return known;
  const kind: Record<string, unknown> = { name, implied: impliedEnds.get(name) };
  for (const [property, listed] of Object.entries(lists)) kind[property] = listed.has(name);
  // Custom elements are mostly blocks.
  if (name.includes("-")) kind.isBlock = true;
  if (kinds.size < 1000) kinds.set(name, kind as Kind);
  return kind as Kind;
}

const kinds = new Map<string, Kind>();

const flow =
  "address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 " +
  "h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p pre search section summary table ul xmp";

const lists = {
  isVoid: names(
    "area base basefont bgsound br col command embed frame hr img input keygen link meta param source track wbr",
  ),
  isBlock: names(`${flow} body caption frameset html legend optgroup option tbody td tfoot th thead tr`),
  isHeading: names("h1 h2 h3 h4 h5 h6"),
  /** Neither the element nor its content is ever shown. */
  isDark: names(
    "area canvas datalist input link map meta noembed noframes param script select style svg template textarea " +
      "title track",
  ),
  /** Browsers with scripts do not show the element. */
  isFallback: names("noscript"),
  isAboutPage: names("html base meta link"),
  /** The start tag closes an open paragraph. */
  endsParagraph: names(flow),
  /** An end tag inside such an element closes nothing outside, except the end tags of table parts. */
  isScope: names("table td th caption template svg math"),
  isTablePart: names("table thead tbody tfoot tr html body"),
  isForeign: names("svg math"),
};

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

function names(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

function eachName(text: string, end: ImpliedEnd): (readonly [string, ImpliedEnd])[] {
  return text.split(" ").map((name) => [name, end] as const);
}
