import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { openLocalEnvironment } from "../../src/environment/local/local-environment.ts";
import type { ExchangeOptions } from "../../src/environment/web/exchange.ts";
import { openToolcrib, type Toolcrib, type ToolcribOptions } from "../../src/toolcrib/index.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A server on loopback that records its requests. */
export interface WebServer extends AsyncDisposable {
  readonly port: number;
  readonly origin: string;
  /** "GET /path", in order. */
  readonly asked: string[];
  readonly requests: IncomingMessage[];
}

export async function serve(answer: RequestListener, host = "127.0.0.1"): Promise<WebServer> {
  const asked: string[] = [];
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    requests.push(request);
    answer(request, response);
  });
  server.listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://${host}:${port}`,
    asked,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export interface WebFixture extends AsyncDisposable {
  readonly crib: Toolcrib;
}

/** A whole instance on this machine, with its own name resolution and certificates. */
export async function webFixture(
  options: Pick<ToolcribOptions, "mode" | "rules" | "approve" | "search" | "dialect"> & {
    readonly web?: ExchangeOptions;
  } = {},
): Promise<WebFixture> {
  const { web, ...others } = options;
  const folder = temporaryFolder();
  const workspace = join(folder.path, "work space");
  mkdirSync(workspace);
  const environment = openLocalEnvironment({ workspace, ...(web && { web }) });
  const crib = await openToolcrib({
    ...others,
    environment,
    sandbox: "none",
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
  });
  return {
    crib,
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      await environment.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
