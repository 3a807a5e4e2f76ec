import type { Duplex } from "node:stream";
import { loadOnce } from "../../../lib/async/load-once.ts";
import { OutboundNetwork, type OutboundOptions } from "../../../system/network-policy.ts";

interface Proxy extends Pick<OutboundOptions, "mayConnect"> {
  readonly port: number;
  readonly secret?: string;
}

/** Returns the variables by which most programs find a proxy. */
export function proxyVariables({ port, secret, mayConnect }: Proxy): Readonly<Record<string, string>> {
  const login = secret === undefined ? "" : `toolcrib:${secret}@`;
  const proxy = `http://${login}127.0.0.1:${port}`;
  // A command's own servers are on its own loopback, unless a rule allows that of the machine. On a target the answer
  // comes later, so there they always are.
  const isAllowed = (host: string) => mayConnect(host, port) === true;
  const direct = ["localhost", "127.0.0.1", "::1"].filter((host) => !isAllowed(host)).join(",");
  // all_proxy is HTTP, because some programs fail on socks5 when a library for it is missing.
  const variables = { http_proxy: proxy, https_proxy: proxy, all_proxy: proxy, no_proxy: direct };
  const upper = Object.entries(variables).map(([name, value]) => [name.toUpperCase(), value]);
  return { ...variables, ...Object.fromEntries(upper), NODE_USE_ENV_PROXY: "1" };
}

/** Connects programs to the hosts that rules allow. The first byte of a connection tells HTTP from SOCKS 5. */
export class FilteringProxy {
  readonly #network: OutboundNetwork;
  readonly #secret: string | undefined;
  readonly #http = loadOnce(
    async () => new (await import("./http-proxy.ts")).HttpProxy(this.#network, this.#secret),
  );

  constructor(options: OutboundOptions & { readonly secret?: string }) {
    this.#network = new OutboundNetwork(options);
    this.#secret = options.secret;
  }

  serve(client: Duplex): void {
    client.on("error", () => {});
    client.once("readable", () => {
      const first: Buffer | null = client.read();
      if (first === null) return void client.destroy();
      client.unshift(first);
      void (first[0] === 5 ? this.#serveSocks(client) : this.#serveHttp(client));
    });
  }

  remarks(): readonly string[] {
    return this.#network.refusals.remarks();
  }

  close(): void {
    this.#network.close();
  }

  async #serveSocks(client: Duplex): Promise<void> {
    const { serveSocks } = await import("./socks-proxy.ts");
    await serveSocks(client, this.#network, this.#secret);
  }

  async #serveHttp(client: Duplex): Promise<void> {
    (await this.#http.load()).serve(client);
  }
}
