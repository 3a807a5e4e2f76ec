import { join } from "node:path";
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import * as z from "zod/mini";
import { contentHash } from "../../../lib/bytes/content-hash.ts";
import { attempt } from "../../../system/attempt.ts";
import { makePrivateDirectory } from "../../../system/directories.ts";
import { PrivateFolder } from "../../../system/private-folder.ts";
import { withProcessLock } from "../../../system/process-lock.ts";
import { type DpopKey, dpopKey, isBound } from "./dpop.ts";

/** The server of a login. A login counts only for this name and this address. */
export interface LoginServer {
  readonly name: string;
  readonly url: URL;
}

/** A login at one server, with everything that a refresh needs, so that a refresh asks the server nothing. */
export interface Login {
  readonly server: string;
  readonly url: string;
  /** The authorization server that issued the tokens. */
  readonly issuer: string;
  readonly discovery: OAuthDiscoveryState;
  readonly client: StoredOAuthClientInformation;
  readonly tokens: StoredOAuthTokens;
  /** Signs the requests to the token endpoint, and those with a token that is bound to this key. */
  readonly dpopKey?: DpopKey | undefined;
  /** The scope that the server demanded for a call; the next login asks for it. */
  readonly wantedScope?: string | undefined;
}

/** The user's logins at MCP servers: private files in the state directory, one per server and issuer. */
export class LoginStore {
  readonly #folder: string;
  readonly #files: PrivateFolder;

  constructor(stateDirectory: string) {
    this.#folder = join(stateDirectory, "mcp-logins");
    this.#files = new PrivateFolder(this.#folder);
  }

  read(server: LoginServer): Login | undefined {
    for (const name of this.#filesOf(server)) {
      const login = this.#parse(name);
      if (login?.server === server.name && login.url === server.url.href) return login;
    }
    return undefined;
  }

  /** Stores a login instead of an earlier one at the same server. Call it in `alone`. */
  write(login: Login): void {
    const server = { name: login.server, url: new URL(login.url) };
    const file = `${prefixOf(server)}${shortHash(login.issuer)}.json`;
    this.#files.write(file, JSON.stringify(login));
    for (const other of this.#filesOf(server)) if (other !== file) this.#files.remove(other);
  }

  remove(server: LoginServer): void {
    for (const file of this.#filesOf(server)) this.#files.remove(file);
  }

  /** Removes the logins of all servers that had this name. Returns their addresses. */
  async removeNamed(name: string, signal: AbortSignal): Promise<readonly string[]> {
    const urls = new Set<string>();
    for (const file of this.#names) {
      const login = this.#parse(file);
      if (login?.server !== name) continue;
      this.#files.remove(file);
      urls.add(login.url);
    }
    // A process that is refreshing a login may write it once more before it releases the lock.
    for (const url of urls) {
      const server = { name, url: new URL(url) };
      await this.alone(server, signal, async () => this.remove(server));
    }
    return [...urls];
  }

  /** Runs `act` while no other process changes the login of this server. Throws when `signal` aborts before. */
  alone<Result>(server: LoginServer, signal: AbortSignal, act: () => Promise<Result>): Promise<Result> {
    makePrivateDirectory(this.#folder);
    return withProcessLock(join(this.#folder, `${prefixOf(server)}lock`), signal, act);
  }

  /** Returns a text that changes with the login of this server. */
  versionOf(server: LoginServer): string {
    const login = this.read(server);
    return login === undefined ? "" : shortHash(JSON.stringify(login));
  }

  get #names(): readonly string[] {
    return (attempt(() => this.#files.names()) ?? []).filter((name) => name.endsWith(".json"));
  }

  #filesOf(server: LoginServer): readonly string[] {
    return this.#names.filter((name) => name.startsWith(prefixOf(server)));
  }

  #parse(file: string): Login | undefined {
    const value = attempt(() => JSON.parse(this.#files.read(file) ?? ""));
    if (!stored.safeParse(value).success) return undefined;
    const login = value as Login;
    return isBound(login.tokens) && login.dpopKey === undefined ? undefined : login;
  }
}

const stored = z.looseObject({
  server: z.string(),
  url: z.string(),
  issuer: z.string(),
  discovery: z.looseObject({ authorizationServerUrl: z.string() }),
  client: z.looseObject({ client_id: z.string() }),
  tokens: z.looseObject({
    access_token: z.string(),
    token_type: z.string(),
    refresh_token: z.optional(z.string()),
  }),
  dpopKey: z.optional(dpopKey),
  wantedScope: z.optional(z.string()),
});

function prefixOf({ name, url }: LoginServer): string {
  return `${shortHash(JSON.stringify([name, url.href]))}-`;
}

function shortHash(text: string): string {
  return contentHash(text).slice(0, 32);
}
