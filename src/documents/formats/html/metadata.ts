import type { ParsedHtml } from "./tree.ts";

/** What a page says of itself, in the order worth telling. */
export function propertiesOf({ head, title }: ParsedHtml): Readonly<Record<string, string>> {
  const said = new Map<string, string>();
  for (const { name, attributes } of head) {
    const key = attributes.property ?? attributes.name ?? attributes.itemprop;
    if (name === "meta" && key !== undefined) note(said, key.toLowerCase(), attributes.content);
    if (name === "html") note(said, "lang", attributes.lang ?? attributes["xml:lang"]);
    if (name === "link" && attributes.rel === "canonical") note(said, "canonical", attributes.href);
  }
  note(said, "title", title);
  const properties: Record<string, string> = {};
  for (const [property, keys] of Object.entries(sources)) {
    const found = keys.map((key) => said.get(key)).find((value) => value !== undefined);
    if (found !== undefined) properties[property] = found;
  }
  return properties;
}

const sources = {
  title: ["title", "og:title", "twitter:title", "dc.title"],
  description: ["description", "og:description", "twitter:description", "dc.description"],
  author: ["author", "article:author", "dc.creator", "twitter:creator"],
  site: ["og:site_name", "application-name"],
  published: ["article:published_time", "datepublished", "date", "dc.date", "pubdate", "publish_date"],
  modified: ["article:modified_time", "datemodified", "last-modified", "og:updated_time"],
  language: ["lang", "og:locale", "language"],
  address: ["canonical", "og:url"],
  software: ["generator"],
} as const;

const maxLength = 500;

function note(said: Map<string, string>, key: string, value: string | undefined): void {
  const text = value
    ?.slice(0, maxLength * 4)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, maxLength);
  if (text !== undefined && text !== "" && !said.has(key)) said.set(key, text);
}
