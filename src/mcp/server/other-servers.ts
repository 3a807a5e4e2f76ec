import {
  type GetPromptResult,
  type InputRequiredResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplateType,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { printableLine } from "../../lib/text/printable.ts";
import type { CallResult } from "../../toolcrib/index.ts";
import {
  linkUri,
  offersOf,
  offerUri,
  parseOfferUri,
  type RequestName,
  requestTool,
} from "../hub/offers/offer-names.ts";
import type { PromptMessage, PromptText, ReadResource } from "../hub/offers/read-contents.ts";
import type { OfferedPrompt, Offers } from "../types.ts";
import type { ApprovalQuestions } from "./approvals.ts";
import { type ClientAbilities, completeCall, isReadOnly } from "./call-tool.ts";
import type { ServedToolcrib } from "./served-toolcrib.ts";

interface RequestParts {
  readonly served: ServedToolcrib;
  readonly questions: ApprovalQuestions;
  readonly client: ClientAbilities;
  readonly context: ServerContext;
}

/** Lists the resources of other servers that rules do not deny altogether. */
export async function listOfferedResources(
  served: ServedToolcrib,
  context: ServerContext,
): Promise<Resource[]> {
  const listed = await readable(served, context, "resources/read", (offers) => offers.resources());
  return listed.map(({ server, uri, ...resource }) => ({
    ...resource,
    uri: offerUri(server, uri),
    description: ofServer(server, resource.description),
  }));
}

export async function listOfferedTemplates(
  served: ServedToolcrib,
  context: ServerContext,
): Promise<ResourceTemplateType[]> {
  const listed = await readable(served, context, "resources/read", (offers) => offers.templates());
  return listed.map(({ server, uriTemplate, ...template }) => ({
    ...template,
    uriTemplate: offerUri(server, uriTemplate),
    description: ofServer(server, template.description),
  }));
}

export async function listOfferedPrompts(served: ServedToolcrib, context: ServerContext): Promise<Prompt[]> {
  return (await offeredPrompts(served, context)).map(
    ({ server, ownName: _, arguments: given, ...prompt }) => ({
      ...prompt,
      description: ofServer(server, prompt.description),
      arguments: given.map((parameter) => ({ ...parameter })),
    }),
  );
}

/** Reads a resource of another server, as a call; undefined for other addresses. */
export async function readOffered(
  uri: string,
  parts: RequestParts,
): Promise<ReadResourceResult | InputRequiredResult | undefined> {
  const found = parseOfferUri(uri);
  if (found === undefined) return undefined;
  const { server } = found;
  const { served } = parts;
  if (!offersOf(await served.crib()).some((offers) => offers.has(server)))
    throw invalid(`Resource not found: there is no MCP server ${printableLine(server)}`, { uri });
  const made = await request(server, "resources/read", { uri: found.uri }, parts);
  if (made.kind === "asked") return made.question;
  const { contents } = dataOf<ReadResource>(made.result, { uri });
  return {
    contents: contents.map((part) => ({ ...part, uri: offerUri(server, part.uri) })),
    // Unlike stored outputs, resources of other servers change.
    ...(parts.context.mcpReq.envelope !== undefined && { ttlMs: 0, cacheScope: "private" as const }),
  };
}

/** Gets a prompt of another server, as a call; undefined when no server has it. */
export async function getOffered(
  name: string,
  given: Readonly<Record<string, string>>,
  parts: RequestParts,
): Promise<GetPromptResult | InputRequiredResult | undefined> {
  const found = (await offeredPrompts(parts.served, parts.context)).find((prompt) => prompt.name === name);
  if (found === undefined) return undefined;
  const { server, ownName } = found;
  const made = await request(server, "prompts/get", { name: ownName, arguments: given }, parts);
  if (made.kind === "asked") return made.question;
  const { messages, description } = dataOf<PromptText>(made.result, { name });
  return {
    description: ofServer(server, description ?? found.description),
    messages: messages.map((message) => toMessage(message, server)),
  };
}

/** Subscribes to a resource of another server that rules allow to read without asking, or that was read before. */
export async function subscribeOffered(
  { served, context }: Pick<RequestParts, "served" | "context">,
  uri: string,
  wasRead: boolean,
  listener: () => void,
): Promise<() => void> {
  const found = parseOfferUri(uri);
  const crib = await served.crib();
  const caller = await served.caller({ readOnly: isReadOnly(context) });
  if (found === undefined) throw invalid("Only changes of resources of other servers are reported", { uri });
  const name = requestTool(found.server, "resources/read");
  const { verdict, explanation } = await caller.check(name, { uri: found.uri });
  if (verdict === "deny" || (verdict === "ask" && !wasRead)) throw invalid(explanation, { uri });
  const offers = offersOf(crib).find((each) => each.has(found.server));
  if (offers === undefined) throw invalid(`There is no MCP server ${printableLine(found.server)}`, { uri });
  return offers.subscribe(found.server, found.uri, listener);
}

async function offeredPrompts(
  served: ServedToolcrib,
  context: ServerContext,
): Promise<readonly OfferedPrompt[]> {
  return readable(served, context, "prompts/get", (offers) => offers.prompts());
}

/** Returns the offers of the servers to which neither rules nor the access token deny the request altogether. */
async function readable<Offer extends { readonly server: string }>(
  served: ServedToolcrib,
  context: ServerContext,
  request: RequestName,
  list: (offers: Offers) => Promise<readonly Offer[]>,
): Promise<readonly Offer[]> {
  const crib = await served.crib();
  const caller = await served.caller({ readOnly: isReadOnly(context) });
  const all = (await Promise.all(offersOf(crib).map(list))).flat();
  const sample = request === "resources/read" ? { uri: "any:" } : { name: "any" };
  const servers = [...new Set(all.map(({ server }) => server))];
  const denied = new Set<string>();
  for (const server of servers) {
    const { verdict } = await caller.check(requestTool(server, request), sample);
    if (verdict === "deny") denied.add(server);
  }
  return all.filter(({ server }) => !denied.has(server));
}

async function request(
  server: string,
  request: RequestName,
  input: Readonly<Record<string, unknown>>,
  { served, questions, client, context }: RequestParts,
) {
  const wanted = { name: requestTool(server, request), input, isUnlisted: true };
  return served.busy(() => completeCall(wanted, { served, questions }, client, context));
}

/** Returns the data of a call. An error of the protocol has only a message. */
function dataOf<Data>({ data, error }: CallResult, about: Readonly<Record<string, unknown>>): Data {
  if (error === null) return data as Data;
  const hint = error.hint === null ? "" : `. ${error.hint}`;
  throw invalid(`${error.message}${hint}`, about);
}

function toMessage({ role, content }: PromptMessage, server: string): GetPromptResult["messages"][number] {
  if (content.type === "resource_link")
    return {
      role,
      content: { ...content, uri: linkUri(server, content.uri) ?? offerUri(server, "invalid:") },
    };
  if (content.type !== "resource") return { role, content };
  const { resource } = content;
  return {
    role,
    content: { type: "resource", resource: { ...resource, uri: offerUri(server, resource.uri) } },
  };
}

/** Marks a description as one that the server wrote. */
function ofServer(server: string, description: string | undefined): string {
  const from = `From the MCP server ${server}`;
  return description === undefined ? `${from}.` : `${from}: ${description}`;
}

function invalid(message: string, about: Readonly<Record<string, unknown>>): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, about);
}
