import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { joinStreams } from "./join-streams.ts";
import { Namespace, type NamespacePrograms } from "./namespace.ts";

interface InstanceNetworkOptions extends NamespacePrograms {
  /** The ports whose servers inside programs of this machine can reach, too. */
  readonly exposed?: readonly number[] | undefined;
}

/**
 * The network that all commands of an instance share: their servers, and a proxy to the hosts that the rules of each command
 * allow. It is opened with the first command, and again when the process that holds it has ended.
 */
export class InstanceNetwork {
  readonly #options: InstanceNetworkOptions;
  #namespace: Promise<Namespace> | undefined;
  #exposing: Promise<readonly ExposedPort[]> | undefined;

  constructor(options: InstanceNetworkOptions) {
    this.#options = options;
  }

  /** The program by which commands join it. */
  get perl(): string {
    return this.#options.perl;
  }

  /** Returns the network for a command, and remarks on it. */
  async join(): Promise<{ readonly namespace: Namespace; readonly remarks: readonly string[] }> {
    const before = this.#namespace;
    const last = await before?.catch(() => undefined);
    if (last?.isOpen) return { namespace: last, remarks: [] };
    if (this.#namespace === before) this.#namespace = Namespace.open(this.#options);
    const namespace = await this.#namespace!;
    return { namespace, remarks: last === undefined ? await this.#expose() : [lostRemark] };
  }

  /** Connects to a server of a command; undefined while none listens on this port. */
  async connect(port: number): Promise<Socket | undefined> {
    return (await this.#namespace?.catch(() => undefined))?.connect(port);
  }

  async close(): Promise<void> {
    for (const { close } of (await this.#exposing) ?? []) close?.();
    (await this.#namespace?.catch(() => undefined))?.close();
  }

  /** Exposes the ports once. Returns remarks on those that are in use. */
  async #expose(): Promise<readonly string[]> {
    const { exposed = [] } = this.#options;
    if (exposed.length === 0 || this.#exposing !== undefined) return [];
    this.#exposing = Promise.all(exposed.map((port) => exposePort(port, () => this.connect(port))));
    return (await this.#exposing).flatMap(({ remark }) => remark ?? []);
  }
}

const lostRemark =
  "The network of earlier commands was lost, because the process that held it has ended. This command has a new one: start servers again.";

interface ExposedPort {
  readonly close?: () => void;
  readonly remark?: string;
}

/** Listens on this machine's loopback, and passes connections on to the server inside. */
async function exposePort(port: number, connect: () => Promise<Socket | undefined>): Promise<ExposedPort> {
  const clients = new Set<Socket>();
  const server: Server = createServer({ allowHalfOpen: true, noDelay: true }, async (client) => {
    clients.add(client.on("error", () => {}));
    client.once("close", () => clients.delete(client));
    const inner = await connect();
    if (inner === undefined) client.resetAndDestroy();
    else joinStreams(client, inner);
  });
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch (error) {
    return { remark: `Port ${port} is not exposed on this machine: ${(error as Error).message}` };
  }
  server.on("error", () => {});
  server.unref();
  return {
    close: () => {
      server.close();
      for (const client of clients) client.destroy();
    },
  };
}
