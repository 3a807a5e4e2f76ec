import type { DocumentPart } from "../../../contract/document.ts";
import { append, type Block, cellText, showBlocks } from "./blocks.ts";

/** What a slide consists of, each in reading order. */
export interface SlideContent {
  readonly titles: readonly (readonly Block[])[];
  readonly others: readonly (readonly Block[])[];
  /** What is said of it: speaker notes, comments. */
  readonly remarks: readonly (readonly Block[])[];
  readonly isHidden: boolean;
}

/** A slide as a part: its title, what stands on it, what is said of it. */
export function showSlide(anchor: string, { titles, others, remarks, isHidden }: SlideContent): DocumentPart {
  const title = titles
    .map((blocks) => cellText(blocks).replaceAll(/\s*\n\s*/g, " "))
    .join(" ")
    .trim();
  const blocks: Block[] = title === "" ? [] : [{ kind: "heading", level: 1, text: title }];
  for (const list of [...others, ...remarks]) append(blocks, list);
  const shown = isHidden ? `${title} (hidden)`.trim() : title;
  return { anchor, title: shown || undefined, text: showBlocks(blocks) };
}
