import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { consoleCommands } from "../../../src/cli/console/console-commands.ts";
import type { ConsoleEvent, LoginAnswer } from "../../../src/console/api.ts";
import {
  type ConsoleOptions,
  type ServedConsole,
  serveConsole,
} from "../../../src/console/server/serve-console.ts";
import { openToolcrib, type Toolcrib, type ToolcribOptions } from "../../../src/toolcrib/index.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A console with its own state, workspaces whose calls it shows, and a client that can send anything. */
export interface OpenConsole extends AsyncDisposable {
  readonly port: number;
  readonly origin: string;
  readonly folder: string;
  readonly directories: { readonly state: string; readonly config: string };
  /** The listener for other devices, with `pair`. */
  readonly pairing: ServedConsole["pairing"];
  /** Returns a new one-time code. */
  newCode(): string;
  /** Opens an instance in a workspace of this name. It is closed with the console. */
  open(name: string, options?: ToolcribOptions): Promise<Toolcrib>;
  /** Sends a request with exactly these headers. */
  send(wanted: RawRequest): Promise<RawAnswer>;
  /** Signs in as the page does. */
  login(): Promise<SignedIn>;
  /** Ends the console. Its folders and the workspaces stay. */
  close(): Promise<void>;
}

interface RawRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
}

interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The parsed body. */
  readonly json: never;
}

interface SignedIn {
  readonly api: string;
  readonly cookie: string;
  /** The headers that a browser sends from the page. */
  readonly headers: Readonly<Record<string, string>>;
  get<Answer>(path: string): Promise<Answer>;
  /** Returns the answer, whatever its status is. */
  post(path: string, body: unknown): Promise<RawAnswer>;
  /** Streams events until it is closed. */
  events(from?: { readonly after?: string; readonly session?: string }): Promise<EventStream>;
}

interface EventStream extends AsyncDisposable {
  /** Everything so far. */
  readonly events: readonly { readonly id: string; readonly event: ConsoleEvent }[];
  /** Resolves with the first event, past or future, for which `isWanted` returns true. */
  until<Wanted extends ConsoleEvent>(isWanted: (event: ConsoleEvent) => event is Wanted): Promise<Wanted>;
  until(isWanted: (event: ConsoleEvent) => boolean): Promise<ConsoleEvent>;
}

/** `await using` closes it and removes everything. */
export async function openTestConsole({
  commands,
  home: given,
  ...options
}: Partial<Omit<ConsoleOptions, "directories" | "commands">> & {
  readonly commands?: Partial<ConsoleOptions["commands"]>;
  /** Default: a new folder. */
  readonly home?: string;
} = {}): Promise<OpenConsole> {
  const folder = temporaryFolder();
  // As `TOOLCRIB_HOME` sets them, for tests that run commands.
  const home = given ?? join(folder.path, "home");
  const directories = { state: home, config: join(home, "config") };
  const pageFolder = join(folder.path, "page");
  const served = await serveConsole({
    port: 0,
    version: "1.2.3",
    pageFolder,
    directories,
    // Counting needs `TOOLCRIB_HOME`, so a test that wants it passes the command.
    commands: { ...consoleCommands, countAnswered: async () => [], ...commands },
    ...options,
  });
  const { port } = served;
  const origin = `http://127.0.0.1:${port}`;
  const cribs: Toolcrib[] = [];
  const send = (wanted: RawRequest) => sendRaw(port, wanted);
  const newCode = () => served.newAddress().replace(/^.*#code=/, "");
  return {
    port,
    origin,
    folder: folder.path,
    directories,
    pairing: served.pairing,
    newCode,
    send,
    open: async (name, options) => {
      const workspace = join(folder.path, name);
      mkdirSync(workspace, { recursive: true });
      const crib = await openToolcrib({
        workspace,
        stateDirectory: directories.state,
        configDirectory: directories.config,
        ...options,
      });
      cribs.push(crib);
      return crib;
    },
    login: async () => {
      const headers = { host: `127.0.0.1:${port}`, origin, "sec-fetch-site": "same-origin" };
      const json = { ...headers, "content-type": "application/json" };
      const answer = await send({
        method: "POST",
        path: "/api/login",
        headers: json,
        body: JSON.stringify({ code: newCode() }),
      });
      const { api } = answer.json as LoginAnswer;
      const cookie = answer.headers["set-cookie"]![0]!.split(";")[0]!;
      const signed = { ...headers, cookie };
      return {
        api,
        cookie,
        headers: signed,
        get: async (path) => {
          const { status, body, json } = await send({ path: api + path, headers: signed });
          if (status !== 200) throw new Error(`${status}: ${body}`);
          return json;
        },
        post: (path, body) =>
          send({
            method: "POST",
            path: api + path,
            headers: { ...signed, "content-type": "application/json" },
            body: JSON.stringify(body),
          }),
        events: ({ after, session } = {}) => {
          const path = `${api}/events${session === undefined ? "" : `?session=${session}`}`;
          return openStream(port, path, { ...signed, ...(after && { "last-event-id": after }) });
        },
      };
    },
    close: () => served.close(),
    [Symbol.asyncDispose]: async () => {
      await served.close();
      for (const crib of cribs) await crib.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function sendRaw(
  port: number,
  { method = "GET", path, headers = {}, body }: RawRequest,
): Promise<RawAnswer> {
  const client = request({
    host: "127.0.0.1",
    port,
    method,
    path,
    headers: headers as Record<string, string>,
    setHost: false,
    agent: false,
  });
  client.end(body);
  const [answer] = (await once(client, "response")) as [import("node:http").IncomingMessage];
  const whole = await text(answer);
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    body: whole,
    get json() {
      return JSON.parse(whole) as never;
    },
  };
}

async function openStream(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<EventStream> {
  const client = request({ host: "127.0.0.1", port, path, headers, setHost: false, agent: false });
  client.end();
  const [answer] = (await once(client, "response")) as [import("node:http").IncomingMessage];
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${await text(answer)}`);
  const events: { id: string; event: ConsoleEvent }[] = [];
  const waiting = new Set<() => void>();
  let unread = "";
  answer.setEncoding("utf8").on("data", (piece: string) => {
    const parts = (unread + piece).split("\n\n");
    unread = parts.pop() ?? "";
    for (const part of parts) {
      const data = /^data: (.*)$/m.exec(part)?.[1];
      const id = /^id: (.*)$/m.exec(part)?.[1];
      if (data !== undefined && id !== undefined) events.push({ id, event: JSON.parse(data) });
    }
    for (const check of waiting) check();
  });
  answer.on("error", () => {});
  return {
    events,
    until: (isWanted: (event: ConsoleEvent) => boolean) =>
      new Promise<never>((resolve) => {
        const check = () => {
          const found = events.find(({ event }) => isWanted(event));
          if (found === undefined) return;
          waiting.delete(check);
          resolve(found.event as never);
        };
        waiting.add(check);
        check();
      }),
    [Symbol.asyncDispose]: async () => {
      client.destroy();
    },
  };
}
