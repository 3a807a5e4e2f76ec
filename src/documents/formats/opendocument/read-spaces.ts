import type { XmlReader } from "../../xml/xml-reader.ts";

/** Several blanks, which are written as how many they are. The reader stands at them. */
export function readSpaces(reader: XmlReader): string {
  const count = Number(reader.attribute("text:c") ?? "1");
  return " ".repeat(count >= 1 ? Math.min(count, mostSpaces) : 1);
}

/** More are only layout. */
const mostSpaces = 40;
