import type { Kind } from "./kinds.ts";

export type Node = Element | string;

/** An element, with what is needed to judge it: measured when it is closed, without what was set aside inside. */
export class Element {
  readonly name: string;
  readonly kind: Kind;
  readonly attributes: Attributes;
  readonly children: Node[] = [];
  readonly parent: Element | undefined;
  /** There is an element inside that stands on lines of its own. */
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

  /** Stands on lines of its own. */
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

/** All text below, as written. */
export function textOf(element: Element): string {
  let text = "";
  for (const child of element.children) text += typeof child === "string" ? child : textOf(child);
  return text;
}
