import type { Client } from "@modelcontextprotocol/client";
import * as z from "zod/mini";
import { isRecord } from "../../../lib/json/is-record.ts";
import type { OfferedPrompt, OfferedResource, OfferedTemplate } from "../../types.ts";
import { cleanLine } from "../clean-text.ts";
import { longest, readPages } from "../list-tools.ts";
import { isOwnUri } from "./offer-names.ts";

/** The lists that a server has besides its tools. */
export interface OfferLists {
  readonly resources: Omit<OfferedResource, "server">;
  readonly templates: Omit<OfferedTemplate, "server">;
  /** Not yet named for the hub. */
  readonly prompts: Omit<OfferedPrompt, "server" | "name">;
}

/** Lists one kind of offers, page by page. Skips invalid ones and all above the limits. */
export async function listOffers<Kind extends keyof OfferLists>(
  client: Client,
  kind: Kind,
  signal: AbortSignal,
): Promise<readonly OfferLists[Kind][]> {
  const { method, key, read } = lists[kind];
  const offers: OfferLists[Kind][] = [];
  let chars = 0;
  const take = (given: unknown) => {
    const offer = isRecord(given) ? read(given) : undefined;
    if (offer === undefined || offers.length >= maxOffers) return;
    chars += JSON.stringify(offer).length;
    if (chars <= maxChars) offers.push(offer as OfferLists[Kind]);
  };
  const readPage = async (cursor: string | undefined) => {
    const params = cursor === undefined ? undefined : { cursor };
    const page = await client.request({ method, params }, anyPage, { signal, timeout: longest });
    const items = page[key];
    return { items: Array.isArray(items) ? items : [], nextCursor: page.nextCursor };
  };
  await readPages(readPage, take, () => offers.length >= maxOffers || chars > maxChars);
  return offers;
}

const maxOffers = 1_000;
const maxChars = 2 * 1024 * 1024;

const anyPage = z.looseObject({ nextCursor: z.optional(z.unknown()) });

type Given = Readonly<Record<string, unknown>>;

const lists = {
  resources: { method: "resources/list", key: "resources", read: readResource },
  templates: { method: "resources/templates/list", key: "resourceTemplates", read: readTemplate },
  prompts: { method: "prompts/list", key: "prompts", read: readPrompt },
} as const;

function readResource({ uri, size, ...given }: Given): OfferLists["resources"] | undefined {
  if (!isOwnUri(uri)) return undefined;
  const isSize = typeof size === "number" && Number.isSafeInteger(size) && size >= 0;
  return { uri, ...descriptionOf(given, uri), ...(isSize && { size }) };
}

function readTemplate({ uriTemplate, ...given }: Given): OfferLists["templates"] | undefined {
  return isOwnUri(uriTemplate) ? { uriTemplate, ...descriptionOf(given, uriTemplate) } : undefined;
}

function readPrompt({
  name,
  title,
  description,
  arguments: given,
}: Given): OfferLists["prompts"] | undefined {
  if (!isName(name)) return undefined;
  const parameters = (Array.isArray(given) ? given : []).slice(0, maxParameters).flatMap((one) => {
    if (!isRecord(one) || !isName(one.name)) return [];
    const about = cleanLine(one.description, 500);
    return [{ name: one.name, ...(about && { description: about }), required: one.required === true }];
  });
  const texts = { title: cleanLine(title, 200), description: cleanLine(description, 500) };
  return { ownName: name, ...filled(texts), arguments: parameters };
}

/** Names are shown to users and sent back to the server unchanged, so those with control characters are refused. */
function isName(given: unknown): given is string {
  return typeof given === "string" && given !== "" && cleanLine(given, maxNameChars) === given;
}

const maxNameChars = 256;
const maxParameters = 50;

function descriptionOf({ name, title, description, mimeType }: Given, uri: string) {
  const texts = {
    title: cleanLine(title, 200),
    description: cleanLine(description, 500),
    mimeType: cleanLine(mimeType, 80),
  };
  return { name: cleanLine(name, 200) || cleanLine(uri, 200), ...filled(texts) };
}

function filled<Texts extends Record<string, string>>(texts: Texts): Partial<Texts> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== "")) as Partial<Texts>;
}
