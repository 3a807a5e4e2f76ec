import { byteOrderMarkLength, decodeText, detectEncoding, detectionBytes } from "../../../text/encoding.ts";
import { wholeText } from "../../anchors.ts";
import type { DocumentReader } from "../../reader.ts";

/** Plain text of any family, in the encodings of file.read. */
export const readText: DocumentReader = ({ name, bytes }, wanted) => {
  const head = bytes.subarray(0, detectionBytes);
  const encoding = detectEncoding(head, { complete: head.length === bytes.length });
  const { text } = decodeText(
    bytes.subarray(byteOrderMarkLength(head)),
    encoding === "binary" ? "latin1" : encoding,
  );
  return {
    format: "text",
    description: "text",
    properties: {},
    consistsOf: undefined,
    ...wholeText(text, wanted, name),
    notes: [],
    images: [],
  };
};
