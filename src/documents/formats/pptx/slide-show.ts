import type { Package, Relations } from "../office/open-package.ts";
import type { Place } from "../office/reading-order.ts";

/** What is known while the slides of a presentation are read. */
export interface SlideShow {
  readonly opened: Package;
  /** Names of people who comment, by their numbers. */
  readonly authors: ReadonlyMap<string, string>;
  /** Where the placeholders of layouts stand, by the layout's part. */
  readonly layouts: Map<string, ReadonlyMap<string, Place>>;
  readonly tally: { pictures: number; embedded: number };
}

/** One of them. */
export interface Slide {
  readonly show: SlideShow;
  /** Of its part; read when they are first asked for. */
  readonly relations: () => Relations;
}

export function slideOf(show: SlideShow, part: string): Slide {
  let relations: Relations | undefined;
  return {
    show,
    relations: () => {
      relations ??= show.opened.relations(part);
      return relations;
    },
  };
}
