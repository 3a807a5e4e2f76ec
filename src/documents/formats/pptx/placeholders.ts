import type { XmlReader } from "../../xml/xml-reader.ts";
import type { Package } from "../office/open-package.ts";
import type { Place } from "../office/reading-order.ts";
import { type Placeholders, readPlace } from "./read-shapes.ts";
import type { Slide } from "./slide-show.ts";

/** Where the layout of a slide puts what does not say its place itself; looked up only then. */
export function placeholdersOf({ show, relations }: Slide): Placeholders {
  return () => {
    const layout = [...relations().values()].find(({ type }) => type === "slideLayout")?.target;
    if (layout === undefined) return new Map();
    const known = show.layouts.get(layout) ?? readLayout(show.opened, layout);
    show.layouts.set(layout, known);
    return known;
  };
}

/** What a layout does not place is placed by its master. */
function readLayout(opened: Package, layout: string): ReadonlyMap<string, Place> {
  const master = [...opened.relations(layout).values()].find(({ type }) => type === "slideMaster")?.target;
  return new Map([
    ...(master === undefined ? [] : readPlaces(opened, master)),
    ...readPlaces(opened, layout),
  ]);
}

function readPlaces(opened: Package, part: string): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  const reader = opened.open(part);
  if (reader?.child(0)) lookForPlaces(reader, places);
  return places;
}

function lookForPlaces(reader: XmlReader, places: Map<string, Place>): void {
  const { depth } = reader;
  let names: readonly string[] = [];
  while (reader.child(depth)) {
    if (reader.name === "p:nvSpPr") names = readNames(reader);
    else if (reader.name === "p:spPr") {
      const place = readPlace(reader);
      if (place) for (const name of names) places.set(name, place);
    } else if (/^p:(?:cSld|spTree|sp)$/.test(reader.name)) lookForPlaces(reader, places);
  }
}

/** The kind and the number of a placeholder. */
function readNames(reader: XmlReader): readonly string[] {
  const names: string[] = [];
  const { depth } = reader;
  while (reader.child(depth)) {
    if (!reader.is("p:nvPr")) continue;
    const inside = reader.depth;
    while (reader.child(inside)) {
      if (!reader.is("p:ph")) continue;
      names.push(reader.attribute("type") ?? "", reader.attribute("idx") ?? "");
    }
  }
  return names;
}
