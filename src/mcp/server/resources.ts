import { ProtocolError, ProtocolErrorCode, type Server } from "@modelcontextprotocol/server";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import type { ApprovalQuestions } from "./approvals.ts";
import { abilitiesOf } from "./call-tool.ts";
import { changesApp, readChangesApp } from "./changes-app.ts";
import {
  listOfferedResources,
  listOfferedTemplates,
  readOffered,
  subscribeOffered,
} from "./other-servers.ts";
import { listOutputs, outputTemplate, readOutput } from "./outputs.ts";
import type { ServedToolcrib } from "./served-toolcrib.ts";
import { changes, fileTemplate, readOfWorkspace } from "./workspace-resources.ts";

interface ResourceParts {
  readonly served: ServedToolcrib;
  readonly questions: ApprovalQuestions;
  readonly era: "legacy" | "modern";
}

/** Answers requests for resources: changes, stored outputs, files, and the resources of other servers. */
export function serveResources(server: Server, { served, questions, era }: ResourceParts): void {
  const wereRead = new BoundedCache<string, true>({ maxEntries: maxRemembered });
  server.setRequestHandler("resources/list", async ({ params }, context) => {
    const apps = abilitiesOf(server, context).hasApps ? [changesApp] : [];
    const others = await listOfferedResources(served, context);
    return toPage("resources", [changes, ...apps, ...listOutputs(served), ...others], params?.cursor);
  });
  server.setRequestHandler("resources/templates/list", async ({ params }, context) => {
    const own = [outputTemplate, fileTemplate((await served.crib()).workspace)];
    const others = await listOfferedTemplates(served, context);
    return toPage("resourceTemplates", [...own, ...others], params?.cursor);
  });
  server.setRequestHandler("resources/read", async ({ params: { uri } }, context) => {
    const own = await readOfWorkspace(served, uri, context);
    if (own !== undefined) return own;
    const client = abilitiesOf(server, context);
    if (client.hasApps && uri === changesApp.uri) return readChangesApp();
    const offered = await readOffered(uri, { served, questions, client, context });
    if (offered === undefined) return readOutput(served, uri);
    if ("contents" in offered) wereRead.set(uri, true);
    return offered;
  });
  if (era === "legacy") serveSubscriptions(server, served, (uri) => wereRead.has(uri));
}

/** Answers the subscriptions of 2025-era clients. In the later era, the SDK answers them and reports none. */
function serveSubscriptions(server: Server, served: ServedToolcrib, wasRead: (uri: string) => boolean): void {
  const stops = new Map<string, () => void>();
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }, context) => {
    if (stops.has(uri)) return {};
    const report = () => void server.sendResourceUpdated({ uri }).catch(() => {});
    const stop = await subscribeOffered({ served, context }, uri, wasRead(uri), report);
    // The client may have subscribed twice at once.
    stops.get(uri)?.();
    stops.set(uri, stop);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    stops.get(uri)?.();
    stops.delete(uri);
    return {};
  });
  served.beforeClose(() => {
    for (const stop of stops.values()) stop();
  });
}

const maxRemembered = 1_000;

/** Returns one page of a list. A cursor is the index of the page's first item. */
export function toPage<Key extends string, Item>(
  key: Key,
  items: readonly Item[],
  cursor: string | undefined,
): Record<Key, Item[]> & { nextCursor?: string } {
  const start = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isSafeInteger(start) || start < 0)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The cursor is not one of this server");
  const end = start + pageItems;
  const page = { [key]: items.slice(start, end) } as Record<Key, Item[]>;
  return end < items.length ? { ...page, nextCursor: `${end}` } : page;
}

const pageItems = 200;
