import { byteOrderMarkLength, decodeText, detectEncoding, detectionBytes } from "../../../text/encoding.ts";
import { wholeText } from "../../anchors.ts";
import type { DocumentReader } from "../../reader.ts";

/** A drawing that is text: shown as such. */
export const readSvg: DocumentReader = ({ name, bytes }, wanted) => {
  const head = bytes.subarray(0, detectionBytes);
  const encoding = detectEncoding(head, { complete: head.length === bytes.length });
  const { text } = decodeText(
    bytes.subarray(byteOrderMarkLength(head)),
    encoding === "binary" ? "latin1" : encoding,
  );
  const [root = ""] = /<svg\b[^>]*>/i.exec(text.slice(0, 100_000)) ?? [];
  const attribute = (wantedName: string) =>
    new RegExp(`\\s${wantedName}\\s*=\\s*["']([^"']*)["']`).exec(root)?.[1];
  const [width, height, box] = [attribute("width"), attribute("height"), attribute("viewBox")];
  return {
    format: "svg",
    description: "SVG drawing",
    properties: {
      ...(width !== undefined && height !== undefined ? { size: `${width} × ${height}` } : {}),
      ...(box === undefined ? {} : { viewBox: box }),
    },
    consistsOf: undefined,
    ...wholeText(text, wanted, name),
    notes: [],
    images: [],
  };
};
