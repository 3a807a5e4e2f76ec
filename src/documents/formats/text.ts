import { wholeText } from "../anchors.ts";
import { type DocumentReader, textOf } from "../reader.ts";

/** Reads plain text in the encodings of file.read. */
export const readText: DocumentReader = ({ name, bytes }, wanted) => ({
  format: "text",
  description: "text",
  properties: {},
  ...wholeText(textOf(bytes) ?? "", wanted, name),
});

/** Reads SVG, a drawing format that is shown as text. */
export const readSvg: DocumentReader = ({ name, bytes }, wanted) => {
  const text = textOf(bytes) ?? "";
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
    ...wholeText(text, wanted, name),
  };
};
