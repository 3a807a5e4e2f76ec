import type { XmlReader } from "../../xml/xml-reader.ts";
import { append } from "../office/blocks.ts";
import { picture } from "../office/link.ts";
import { resolvePart } from "../office/open-package.ts";
import { readBlock } from "./read-blocks.ts";
import { readMath } from "./read-math.ts";
import type { Line, Story } from "./story.ts";

export function isShape(name: string): boolean {
  return name.startsWith("draw:");
}

/** Frames, pictures and drawn shapes: what is written in them follows the paragraph, a picture stands where it is. */
export function readShape(reader: XmlReader, story: Story, line: Line): void {
  const { depth } = reader;
  let description: string | undefined;
  let hasPicture = reader.name === "draw:image";
  let hasObject = false;
  while (reader.child(depth)) {
    switch (reader.name) {
      case "draw:image":
        hasPicture = true;
        break;
      case "table:table":
        hasObject = true;
        readBlock(reader, story, line.boxes);
        break;
      case "draw:object":
      case "draw:object-ole":
        hasObject = true;
        readObject(reader, story, line);
        break;
      case "svg:title":
        description ??= reader.content();
        break;
      case "svg:desc":
        description = reader.content();
        break;
      default:
        if (isShape(reader.name)) readShape(reader, story, line);
        else {
          readBlock(reader, story, line.boxes);
          append(line.boxes, story.cited.splice(0));
        }
    }
  }
  // An object has a picture of itself beside it.
  if (!hasPicture || hasObject) return;
  story.tally.pictures += 1;
  line.text += picture(description);
}

/** An equation is shown; of other objects it is only said that they are there. */
function readObject(reader: XmlReader, { opened, tally }: Story, line: Line): void {
  const folder = reader.attribute("xlink:href");
  const content = folder === undefined ? undefined : opened.open(resolvePart("", `${folder}/content.xml`));
  if (content?.child(0) && content.name === "math:math") line.text += readMath(content);
  else tally.embedded += 1;
}
