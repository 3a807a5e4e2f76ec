import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";

/** Servers of this machine that nobody must come to. */
export interface VisitedServers {
  readonly ports: { readonly tcp: number; readonly udp: number };
  readonly sockets: { readonly path: string; readonly abstract: string };
  /** How often somebody came. */
  readonly visits: Readonly<Record<"tcp" | "udp" | "path" | "abstract", number>>;
  close(): void;
}

export async function openServers(sockets: VisitedServers["sockets"]): Promise<VisitedServers> {
  const visits = { tcp: 0, udp: 0, path: 0, abstract: 0 };
  const counting = (name: keyof typeof visits) =>
    createServer((socket) => {
      visits[name] += 1;
      socket.destroy();
    });
  const servers: Server[] = [];
  const listen = async (server: Server, where: { readonly port: number } | { readonly path: string }) => {
    server.listen({ host: "127.0.0.1", ...where });
    await once(server, "listening");
    servers.push(server);
    return server;
  };
  const udp = createSocket("udp4").on("message", () => {
    visits.udp += 1;
  });
  const close = () => {
    for (const server of servers) server.close();
    udp.close();
  };
  try {
    const tcp = await listen(counting("tcp"), { port: 0 });
    await listen(counting("path"), { path: sockets.path });
    if (process.platform === "linux") await listen(counting("abstract"), { path: `\0${sockets.abstract}` });
    udp.bind(0, "127.0.0.1");
    await once(udp, "listening");
    const ports = { tcp: (tcp.address() as AddressInfo).port, udp: udp.address().port };
    return { ports, sockets, visits, close };
  } catch (error) {
    close();
    throw error;
  }
}
