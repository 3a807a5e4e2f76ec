import { ToolError } from "../../../contract/error.ts";
import { Listeners } from "../../../lib/async/listeners.ts";
import type { OfferedPrompt, OfferedResource, OfferedTemplate, Offers } from "../../types.ts";
import type { HubServer } from "../hub-server.ts";
import { nameTools } from "../tool-names.ts";

type Kind = "resources" | "prompts";

/** The resources and prompts of all servers of a hub. */
export class HubOffers implements Offers {
  readonly #servers: () => readonly HubServer[];
  readonly #listeners = new Listeners<Kind>();
  readonly #announced = new Map<Kind, NodeJS.Timeout>();

  constructor(servers: () => readonly HubServer[]) {
    this.#servers = servers;
  }

  has(server: string): boolean {
    return this.#find(server) !== undefined;
  }

  resources(): Promise<readonly OfferedResource[]> {
    return this.#all("resources");
  }

  templates(): Promise<readonly OfferedTemplate[]> {
    return this.#all("templates");
  }

  async prompts(): Promise<readonly OfferedPrompt[]> {
    const all = await this.#all("prompts");
    const lists = this.#servers().map(({ settings: { name: server } }) => ({
      server,
      tools: all.flatMap((prompt) => (prompt.server === server ? [prompt.ownName] : [])),
    }));
    const names = nameTools(lists).tools.map(({ longName }) => longName);
    return all.map((prompt, index) => ({ ...prompt, name: names[index]! }));
  }

  async subscribe(server: string, uri: string, listener: () => void): Promise<() => void> {
    const found = this.#find(server);
    if (found === undefined) throw new ToolError("not-found", `There is no MCP server ${server}`);
    return found.offers.subscribe(uri, listener);
  }

  onChange(listener: (kind: Kind) => void): () => void {
    return this.#listeners.on(listener);
  }

  /** Tells the listeners, at most once per `pauseMs` for each kind: a server may announce changes endlessly. */
  announce(kind: Kind): void {
    if (this.#announced.has(kind)) return;
    const tell = () => {
      this.#announced.delete(kind);
      this.#listeners.emit(kind);
    };
    this.#announced.set(kind, setTimeout(tell, pauseMs).unref());
  }

  close(): void {
    for (const timer of this.#announced.values()) clearTimeout(timer);
    this.#listeners.clear();
  }

  #find(server: string): HubServer | undefined {
    return this.#servers().find(({ settings }) => settings.name === server);
  }

  async #all<List extends "resources" | "templates" | "prompts">(kind: List) {
    const lists = this.#servers().map(async ({ settings: { name: server }, offers }) => {
      const listed = await offers.list(kind);
      return listed.map((offer) => ({ ...offer, server }));
    });
    return (await Promise.all(lists)).flat();
  }
}

const pauseMs = 500;
