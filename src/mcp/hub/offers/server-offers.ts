import type { Client } from "@modelcontextprotocol/client";
import { ToolError } from "../../../contract/error.ts";
import { untilAborted } from "../../../lib/async/abort.ts";
import { Listeners } from "../../../lib/async/listeners.ts";
import { monotonicMs } from "../../../lib/clock.ts";
import { listOffers, type OfferLists } from "./list-offers.ts";

interface KnownList {
  readonly client: Client;
  readonly listedMs: number;
  readonly list: Promise<readonly unknown[]>;
}

/** Lists the resources and prompts of one server when they are needed, and follows resources for subscribers. */
export class ServerOffers {
  readonly #name: string;
  readonly #client: () => Client | undefined;
  readonly #known = new Map<keyof OfferLists, KnownList>();
  readonly #followed = new Map<string, Followed>();
  readonly #listMs: number;
  /** The last connection that did not list in time, and when. */
  #slow: { readonly client: Client; readonly sinceMs: number } | undefined;

  /** `listMs` is how long a list may take. */
  constructor(name: string, client: () => Client | undefined, listMs = 5_000) {
    this.#name = name;
    this.#client = client;
    this.#listMs = listMs;
  }

  /** Never rejects: the list of a server that is not ready, or does not list in time, is empty. */
  async list<Kind extends keyof OfferLists>(kind: Kind): Promise<readonly OfferLists[Kind][]> {
    const client = this.#client();
    const capability = client && capabilityOf(client, kind);
    if (client === undefined || capability === undefined) return [];
    const known = this.#known.get(kind);
    const isFresh = capability.listChanged === true || monotonicMs() - (known?.listedMs ?? 0) < freshMs;
    if (known?.client === client && isFresh) return known.list as Promise<readonly OfferLists[Kind][]>;
    // A server that hangs must not delay every list.
    if (this.#slow?.client === client && monotonicMs() - this.#slow.sinceMs < slowMs) return [];
    const late = AbortSignal.timeout(this.#listMs);
    const list = untilAborted(listOffers(client, kind, late), late).catch(() => {
      this.#known.delete(kind);
      if (late.aborted) this.#slow = { client, sinceMs: monotonicMs() };
      return [];
    });
    this.#known.set(kind, { client, listedMs: monotonicMs(), list });
    return list;
  }

  /** Lists again at the next request. */
  forget(kind: "resources" | "prompts"): void {
    this.#slow = undefined;
    this.#known.delete(kind);
    if (kind === "resources") this.#known.delete("templates");
  }

  /** Calls `listener` when the server reports that a resource has changed. Returns a function that stops it. */
  async subscribe(uri: string, listener: () => void): Promise<() => void> {
    const known = this.#followed.get(uri);
    if (known === undefined && this.#followed.size >= maxFollowed)
      throw new ToolError(
        "unavailable",
        `Too many resources of the MCP server ${this.#name} are subscribed to`,
        {
          hint: "Unsubscribe from others first.",
        },
      );
    const followed = known ?? new Followed();
    this.#followed.set(uri, followed);
    const stop = followed.listeners.on(listener);
    const leave = () => {
      stop();
      if (!followed.listeners.idle || this.#followed.get(uri) !== followed) return;
      this.#followed.delete(uri);
      followed.end?.();
    };
    try {
      followed.following ??= this.#follow(uri, followed);
      await followed.following;
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  /** Subscribes again after the server was restarted. */
  resume(): void {
    for (const [uri, followed] of this.#followed) this.#follow(uri, followed).catch(() => {});
  }

  updated(uri: string): void {
    this.#followed.get(uri)?.report();
  }

  async #follow(uri: string, followed: Followed): Promise<void> {
    const client = this.#client();
    if (client?.getServerCapabilities()?.resources?.subscribe !== true)
      throw new ToolError("unsupported", `The MCP server ${this.#name} does not report changes of resources`);
    const options = { timeout: this.#listMs };
    if (client.getProtocolEra() === "modern") {
      const stream = await client.listen({ resourceSubscriptions: [uri] }, options);
      followed.end = () => void stream.close().catch(() => {});
      return;
    }
    await client.subscribeResource({ uri }, options);
    followed.end = () => void client.unsubscribeResource({ uri }, options).catch(() => {});
  }
}

const freshMs = 30_000;
/** How long the lists of a server that did not answer in time stay empty, unless it reports a change. */
const slowMs = 60_000;
const maxFollowed = 100;
/** The shortest time between two reports about one resource. */
const reportMs = 250;

class Followed {
  readonly listeners = new Listeners<void>();
  /** Settles when the server has accepted or refused the subscription. */
  following: Promise<void> | undefined;
  end: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** Reports a change, later when changes come fast. */
  report(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.listeners.emit();
    }, reportMs).unref();
  }
}

function capabilityOf(client: Client, kind: keyof OfferLists) {
  const { resources, prompts } = client.getServerCapabilities() ?? {};
  return kind === "prompts" ? prompts : resources;
}
