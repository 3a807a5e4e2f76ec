import type { Element } from "./element.ts";
import type { Locate } from "./links.ts";

/** How a page is shown. */
export interface Page {
  readonly locate: Locate;
  /** Also what is beside the matter. */
  readonly isWhole: boolean;
  /** The heading that stands for a link with blocks in it. */
  readonly linked?: { readonly heading: Element; readonly url: string };
}

export function isLeftOut(element: Element, page: Page): boolean {
  return element.isAside && !page.isWhole;
}
