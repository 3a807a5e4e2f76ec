import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { hostname } from "node:os";
import type { Duplex } from "node:stream";
import { loadOnce } from "../../../lib/async/load-once.ts";
import {
  isThisMachine,
  type OpenConnection,
  OutboundNetwork,
  type OutboundOptions,
  ownAddresses,
} from "../../../system/network-policy.ts";

/** The right of one command to connect through the proxy. */
export interface ProxyGrant {
  /** The variables of the command, by which most programs find the proxy. They contain the secret of this grant. */
  readonly variables: Readonly<Record<string, string>>;
  /** Withdraws the grant, and ends its connections. Returns remarks on refused ones. */
  close(): readonly string[];
}

interface GrantOptions extends OutboundOptions {
  /** The port of the proxy, as the command sees it. */
  readonly port: number;
  /** Connects to a server of the command's own network. It comes before a server of this machine with the same port. */
  readonly inside?: ((port: number) => Promise<Socket | undefined>) | undefined;
}

/**
 * Connects programs to the hosts that rules allow, by HTTP. Every command has a grant with a secret of its own, so the rules
 * of one command never count for another one that uses the same proxy.
 */
export class FilteringProxy {
  /** How each grant connects, by the header that a program must send. */
  readonly #grants = new Map<string, OpenConnection>();
  readonly #http = loadOnce(
    async () => new (await import("./http-proxy.ts")).HttpProxy((header) => this.#grants.get(header)),
  );

  serve(client: Duplex): void {
    client.on("error", () => {});
    void this.#http.load().then((proxy) => proxy.serve(client));
  }

  grant({ port, inside, ...outbound }: GrantOptions): ProxyGrant {
    const network = new OutboundNetwork(outbound);
    const secret = randomBytes(24).toString("hex");
    const header = `Basic ${Buffer.from(`toolcrib:${secret}`).toString("base64")}`;
    this.#grants.set(header, async (target) => {
      const own = isThisMachine(target.host) ? await inside?.(target.port) : undefined;
      return own ?? network.open(target);
    });
    return {
      variables: proxyVariables(`http://toolcrib:${secret}@127.0.0.1:${port}`, outbound.mayConnect, port),
      close: () => {
        this.#grants.delete(header);
        network.close();
        return network.refusals.remarks();
      },
    };
  }
}

function proxyVariables(
  proxy: string,
  mayConnect: OutboundOptions["mayConnect"],
  port: number,
): Readonly<Record<string, string>> {
  // A command reaches the servers of its own network directly, unless a rule allows those of this machine. On a target the
  // answer comes later, so there it always does.
  const direct = ["localhost", "127.0.0.1", "::1", "0.0.0.0", hostname(), ...ownAddresses()].filter(
    (host) => mayConnect(host, port) !== true,
  );
  // all_proxy is HTTP, because some programs fail on socks5 when a library for it is missing.
  const variables = {
    http_proxy: proxy,
    https_proxy: proxy,
    all_proxy: proxy,
    no_proxy: [...new Set(direct)].join(","),
  };
  const upper = Object.entries(variables).map(([name, value]) => [name.toUpperCase(), value]);
  return { ...variables, ...Object.fromEntries(upper), NODE_USE_ENV_PROXY: "1" };
}
