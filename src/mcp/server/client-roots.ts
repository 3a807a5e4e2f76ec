import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Server } from "@modelcontextprotocol/server";
import { attempt } from "../../system/attempt.ts";

/** Returns the folder to work in, out of the client's roots, which are paths; undefined for the default one. */
export type ChooseRoot = (roots: readonly string[]) => string | undefined;

/** Asks a client of the 2025 era for its roots, and again when it reports a change. Later clients are not asked. */
export class ClientRoots {
  readonly #choose: ChooseRoot;
  readonly #onChange: () => void;
  readonly #known = Promise.withResolvers<void>();
  #root: string | undefined;
  #isUsed = false;

  /** Calls `onChange` when another folder is chosen than the one that was returned. */
  constructor(choose: ChooseRoot, onChange: () => void) {
    this.#choose = choose;
    this.#onChange = onChange;
  }

  /** Returns the chosen folder. Does not wait long for the client: a later answer is a change. */
  async chosen(): Promise<string | undefined> {
    const patience = new AbortController();
    const late = pause(patienceMs, undefined, { signal: patience.signal, ref: false }).catch(() => {});
    await Promise.race([this.#known.promise, late]);
    patience.abort();
    this.#isUsed = true;
    return this.#root;
  }

  /** Follows the roots of the current client; `undefined` for one of a later era, which has no handshake. */
  follow(server: Server | undefined): void {
    if (server === undefined) {
      this.#known.resolve();
      return;
    }
    // One request at a time, so that the last answer counts.
    let asking = Promise.resolve();
    const ask = () => {
      asking = asking.then(() => this.#ask(server));
    };
    const { oninitialized } = server;
    server.oninitialized = () => {
      oninitialized?.();
      ask();
    };
    server.setNotificationHandler("notifications/roots/list_changed", ask);
  }

  async #ask(server: Server): Promise<void> {
    const hasRoots = server.getClientCapabilities()?.roots !== undefined;
    const answer = hasRoots ? await server.listRoots().catch(() => undefined) : undefined;
    const root = answer && this.#choose(answer.roots.slice(0, maxRoots).flatMap(({ uri }) => pathOf(uri)));
    const isChanged = this.#isUsed && root !== this.#root && answer !== undefined;
    if (answer !== undefined) this.#root = root;
    this.#known.resolve();
    if (isChanged) this.#onChange();
  }
}

const patienceMs = 1_000;
const maxRoots = 100;

/** Returns the path of a folder of this machine; empty for other addresses. */
function pathOf(uri: string): readonly string[] {
  const url = URL.parse(uri);
  if (url === null || url.protocol !== "file:" || url.hostname !== "") return [];
  const path = attempt(() => fileURLToPath(url));
  return path === undefined || path.includes("\0") ? [] : [path];
}
