import { once } from "node:events";
import { createServer, type Server } from "node:net";
import type { Duplex } from "node:stream";
import type { OutboundOptions } from "../../system/network-policy.ts";
import { perlProgram } from "../../system/perl-program.ts";
import type { PreparedLaunch } from "../sandbox.ts";
import { FilteringProxy, proxyVariables } from "./proxy/filtering-proxy.ts";
import { joinStreams } from "./proxy/join-streams.ts";
import { RelayChannel } from "./relay-channel.ts";

/** The proxy's port inside. It is above the ports that the system assigns, so that no program uses it by chance. */
const innerPort = 61_080;

/** The connections into and out of a network namespace in which one command runs. */
export interface Network {
  /** Returns the program to run inside instead of `command`. It starts the relay and becomes the command. */
  wrap(
    command: readonly string[],
    env: Variables,
  ): { readonly command: readonly string[]; readonly env: Variables };
  /** Connects this end of the channel. */
  attach(channel: Duplex): void;
  /** Returns the ports that programs inside listen on. */
  listening(): Promise<readonly number[]>;
  reach: PreparedLaunch["reach"];
  /** Closes every connection. Returns remarks on refused ones. */
  close(): Promise<readonly string[]>;
}

type Variables = Readonly<Record<string, string>>;

/** Options of a network. Without `mayConnect` the command has no outbound network. */
interface NetworkOptions extends Partial<Pick<OutboundOptions, "mayConnect" | "resolve">> {
  readonly perl: string;
  /** The descriptor of the channel that the command inherits. */
  readonly descriptor: number;
}

export function openNetwork({ perl, descriptor, mayConnect, resolve }: NetworkOptions): Network {
  const proxy = mayConnect && new FilteringProxy({ mayConnect, resolve });
  const servers = new Map<number, Promise<Server | undefined>>();
  let relay: RelayChannel | undefined;
  return {
    wrap: (command, env) => {
      const variables = { ...env, ...(mayConnect && proxyVariables({ port: innerPort, mayConnect })) };
      const { forPerl = [], others = [] } = Object.groupBy(Object.entries(variables), ([name]) =>
        name.startsWith("PERL") ? "forPerl" : "others",
      );
      return {
        command: [
          ...[perl, "-e", perlProgram("relay-starter.pl", import.meta.url)],
          ...[descriptor, relayProgram().length, proxy ? innerPort : 0].map(String),
          ...[...forPerl.map(([name, value]) => `${name}=${value}`), "--", ...command],
        ],
        // The relay must not load modules or a locale of the command.
        env: { ...Object.fromEntries(others), PERL_BADLANG: "0" },
      };
    },
    attach: (channel) => {
      channel.write(relayProgram());
      relay = new RelayChannel(channel, (client) => (proxy ? proxy.serve(client) : client.destroy()));
    },
    listening: async () => (await relay?.listening()) ?? [],
    reach: async (port) => {
      if (!(await relay?.listening())?.includes(port)) return undefined;
      if (!servers.has(port)) servers.set(port, listenFor(port, relay!));
      const server = await servers.get(port);
      const address = server?.address();
      return typeof address === "object" && address ? { host: "127.0.0.1", port: address.port } : undefined;
    },
    close: async () => {
      relay?.close();
      proxy?.close();
      for (const server of servers.values()) (await server)?.close();
      return proxy?.remarks() ?? [];
    },
  };
}

function relayProgram(): string {
  return perlProgram("relay.pl", import.meta.url);
}

/** Listens on the same port of the machine's loopback interface if it is free, else on any port. */
async function listenFor(port: number, relay: RelayChannel): Promise<Server | undefined> {
  for (const wanted of [port, 0]) {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
      client.on("error", () => {});
      void relay.connect(port).then((inner) => (inner ? joinStreams(client, inner) : client.destroy()));
    });
    // An error means that no descriptor is free. The connection waits until one is.
    server.on("error", () => {});
    try {
      server.listen(wanted, "127.0.0.1");
      await once(server, "listening");
      server.unref();
      return server;
    } catch {
      // The port is taken, or only root may listen on it.
    }
  }
  return undefined;
}
