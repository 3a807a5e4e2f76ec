import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { HttpProxy } from "../../../src/engine/sandbox/network/http-proxy.ts";
import { OutboundNetwork, type OutboundOptions } from "../../../src/system/network-policy.ts";

/** A server on the loopback interface that is closed with all its connections. */
export interface Listening extends AsyncDisposable {
  readonly port: number;
}

export async function listen(
  onConnection: (socket: Socket) => void,
  options: { readonly host?: string } = {},
): Promise<Listening> {
  const server = createServer({ allowHalfOpen: true }, onConnection);
  return listening(server, options.host ?? "127.0.0.1");
}

export async function listening(server: Server, host = "127.0.0.1"): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    socket.on("error", () => {});
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Answers the first request with the data received so far, and closes. */
export function mirror(): Promise<Listening> {
  return listen((socket) => {
    socket.once("end", () => socket.end());
    socket.once("data", (bytes) => {
      const length = `Content-Length: ${bytes.length}`;
      socket.end(
        `HTTP/1.1 200 OK\r\nX-Name: a\r\nx-name: b\r\n${length}\r\nConnection: close\r\n\r\n${bytes}`,
      );
    });
  });
}

/** Returns everything it has received when the other side has ended. */
export function echo(before = ""): Promise<Listening> {
  return listen((socket) => {
    const received: Buffer[] = [];
    socket.on("data", (bytes) => received.push(bytes));
    socket.on("end", () => socket.end(Buffer.concat([Buffer.from(before), ...received])));
  });
}

export interface ProxyLab extends AsyncDisposable {
  readonly port: number;
  /** Sends this to the proxy, and returns the whole answer. */
  ask(...messages: readonly (string | Uint8Array)[]): Promise<string>;
  remarks(): readonly string[];
}

export async function openProxyLab(
  options: OutboundOptions & { readonly secret?: string },
): Promise<ProxyLab> {
  const network = new OutboundNetwork(options);
  const wanted = options.secret && `Basic ${Buffer.from(`toolcrib:${options.secret}`).toString("base64")}`;
  const proxy = new HttpProxy((authorization) =>
    wanted === undefined || authorization === wanted ? (target) => network.open(target) : undefined,
  );
  const server = await listen((client) => proxy.serve(client));
  return {
    port: server.port,
    ask: async (...messages) => {
      const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
      socket.on("error", () => {});
      const answer = buffer(socket);
      for (const bytes of messages) socket.write(bytes);
      socket.end();
      return (await answer).toString("latin1");
    },
    remarks: () => network.refusals.remarks(),
    [Symbol.asyncDispose]: async () => {
      network.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
