import { wholeText } from "../../anchors.ts";
import type { DocumentReader } from "../../reader.ts";
import { textOf } from "../../text-of.ts";

/** Plain text of any family, in the encodings of file.read. */
export const readText: DocumentReader = ({ name, bytes }, wanted) => ({
  format: "text",
  description: "text",
  properties: {},
  consistsOf: undefined,
  ...wholeText(textOf(bytes) ?? "", wanted, name),
  notes: [],
  images: [],
});
