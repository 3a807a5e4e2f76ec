import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { OutboundOptions } from "../../../system/network-policy.ts";
import { FilteringProxy } from "./filtering-proxy.ts";

/** The proxy of a command that shares the machine's network but may connect to one port only. */
export interface LoopbackNetwork {
  readonly port: number;
  /** Variables with a secret, so that no other program of this machine can use the proxy. */
  readonly variables: Readonly<Record<string, string>>;
  /** Closes every connection. Returns remarks on refused ones. */
  close(): Promise<readonly string[]>;
}

export async function openLoopbackNetwork({
  mayConnect,
}: Pick<OutboundOptions, "mayConnect">): Promise<LoopbackNetwork> {
  const proxy = new FilteringProxy();
  const clients = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    clients.add(client);
    client.once("close", () => clients.delete(client));
    proxy.serve(client);
  });
  server.maxConnections = 1024;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // An error means that no descriptor is free. The connection waits until one is.
  server.on("error", () => {});
  server.unref();
  const { port } = server.address() as AddressInfo;
  const { variables, close } = proxy.grant({ port, mayConnect });
  return {
    port,
    variables,
    close: async () => {
      server.close();
      for (const client of clients) client.destroy();
      return close();
    },
  };
}
