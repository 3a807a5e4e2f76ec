import type { ToolImage, ToolOutput } from "../contract/tool.ts";
import { imageProblem } from "../lib/bytes/check-image.ts";
import { counted } from "../lib/text/format-quantity.ts";

/** Leaves out images that providers would refuse, and says why in the text. */
export function checkImages({ text, images = [] }: Pick<ToolOutput, "text" | "images">): {
  readonly text: string;
  readonly images: readonly ToolImage[];
} {
  if (images.length === 0) return { text, images };
  const problems = images.map(imageProblem);
  const [first, ...others] = problems.filter((problem) => problem !== undefined);
  if (first === undefined) return { text, images };
  const more =
    others.length === 0 ? "" : ` ${counted(others.length, "more image is", "more images are")} not shown.`;
  const note = `[An image is not shown: ${first}. Make a smaller or valid copy with a command to see it.${more}]`;
  return {
    text: text === "" ? note : `${text}\n${note}`,
    images: images.filter((_, index) => problems[index] === undefined),
  };
}
