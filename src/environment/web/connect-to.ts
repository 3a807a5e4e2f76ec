import { isIP, type Socket } from "node:net";
import { connect as connectSecurely, type TLSSocket } from "node:tls";
import type { WebRequest } from "../../contract/web.ts";
import { NoWay, WayOut, type WayOutOptions } from "../../system/network/way-out.ts";
import { noTrust, noWay } from "./failures.ts";
import type { Watch } from "./watch.ts";
import type { WebPlace } from "./web-place.ts";

/** Whose word counts for names and certificates. */
export interface Trust {
  /** All addresses of a name; the system's own answer if not said. */
  readonly resolve?: WayOutOptions["resolve"];
  /** Who signs certificates, instead of those that Node trusts. */
  readonly ca?: string | undefined;
}

interface Connection extends AsyncDisposable {
  readonly socket: Socket | TLSSocket;
}

/** Connects to an address that was judged; a certificate must be for the host that was asked for. */
export async function connectTo(
  place: WebPlace,
  { at, mayConnect = () => false }: Pick<WebRequest, "at" | "mayConnect">,
  { resolve, ca }: Trust,
  watch: Watch,
): Promise<Connection> {
  const wayOut = new WayOut({ mayConnect, resolve });
  try {
    if (at !== undefined && !mayConnect(place.host, place.port))
      throw noWay(place, new NoWay("refused", "Not named"));
    const plain = await watch.during(open(wayOut, { ...place, ...at }));
    const socket = place.isSecure ? await watch.during(secure(plain, place, ca)) : plain;
    return { socket, [Symbol.asyncDispose]: async () => wayOut.close() };
  } catch (error) {
    wayOut.close();
    throw error;
  }
}

async function open(wayOut: WayOut, place: WebPlace): Promise<Socket> {
  try {
    return await wayOut.open(place);
  } catch (error) {
    throw error instanceof NoWay ? noWay(place, error) : error;
  }
}

function secure(plain: Socket, { host, name }: WebPlace, ca: string | undefined): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectSecurely({
      socket: plain,
      // By which its certificate is judged; the connection is there already.
      host,
      ...(isIP(host) === 0 && { servername: host }),
      ...(ca !== undefined && { ca }),
      ALPNProtocols: ["http/1.1"],
      rejectUnauthorized: true,
    });
    socket.once("secureConnect", () => resolve(socket));
    socket.on("error", (error) => reject(noTrust(name, error)));
    socket.once("close", () => reject(noTrust(name, new Error("the connection was closed"))));
  });
}
