import { lookup } from "node:dns/promises";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { kindOfAddress } from "../../lib/net/kind-of-address.ts";
import { type HostAndPort, parseHost } from "../../lib/net/parse-host.ts";
import { Refusals } from "./refusals.ts";

// Twice as many as programs can have, so that those that are being closed are in nobody's way.
const mostConnections = 2048;
const connectMs = 20_000;
// Long enough for whoever waits for a push or a slow build, short enough that nothing is held for ever.
const idleMs = 15 * 60_000;

export interface Address {
  readonly address: string;
  readonly family: number;
}

export interface WayOutOptions {
  /** `name`: the name that has led to this address, and may be connected to. */
  readonly mayConnect: (host: string, port: number, name?: string) => boolean;
  /** All addresses of a name; the system's own answer if not said. */
  readonly resolve?: ((host: string) => Promise<readonly Address[]>) | undefined;
  /** Addresses of this machine; those that it has if not said. */
  readonly own?: (() => ReadonlySet<string>) | undefined;
}

/** Why there is no connection: what the program inside is told. */
export class NoWay extends Error {
  readonly reason: "refused" | "unknown" | "unreachable" | "slow" | "busy";
  /** Where the host was found, if that is what was refused. */
  readonly place: Found | undefined;

  constructor(reason: NoWay["reason"], message: string, place?: Found) {
    super(message);
    this.reason = reason;
    this.place = place;
  }
}

/** An address, what stands behind it ("private", "this machine"), and what a rule would have to name. */
export interface Found {
  readonly address: string;
  readonly kind: string;
  readonly named: string;
}

/**
 * Connections to the outside that rules allow. A name is resolved once, every address is judged, and only those judged
 * are connected to: what the name says a moment later makes no difference.
 */
export class WayOut {
  readonly refusals: Refusals = new Refusals();
  readonly #mayConnect: WayOutOptions["mayConnect"];
  readonly #resolve: (host: string) => Promise<readonly Address[]>;
  readonly #own: () => ReadonlySet<string>;
  readonly #sockets = new Set<Socket>();
  #opening = 0;
  #isClosed = false;

  constructor({ mayConnect, resolve, own = ownAddresses }: WayOutOptions) {
    this.#mayConnect = mayConnect;
    this.#own = own;
    this.#resolve = resolve ?? ((host) => lookup(host, { all: true }));
  }

  async open(target: HostAndPort): Promise<Socket> {
    if (!this.#mayConnect(target.host, target.port)) throw this.#refused(target);
    if (this.#sockets.size + this.#opening >= mostConnections)
      throw new NoWay("busy", `This command has ${mostConnections} connections open already`);
    this.#opening++;
    try {
      return await this.#connect(target, await this.#judged(target));
    } finally {
      this.#opening--;
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  async #judged(target: HostAndPort): Promise<readonly Address[]> {
    const { host, port } = target;
    const family = isIP(host);
    const addresses = family === 0 ? await this.#addressesOf(host) : [{ address: host, family }];
    const own = new Set([...this.#own()].flatMap(spellings));
    const allowed = addresses.filter(({ address }) => {
      const { kind, named } = found(address, own);
      return kind !== "no address" && this.#mayConnect(named, port, host);
    });
    const [first] = addresses;
    if (first === undefined) throw new NoWay("unknown", `${host} has no address`);
    if (allowed.length > 0) return allowed;
    throw this.#refused(target, found(first.address, own));
  }

  async #addressesOf(host: string): Promise<readonly Address[]> {
    try {
      return await this.#resolve(host);
    } catch (error) {
      throw new NoWay("unknown", `${host} could not be resolved (${(error as NodeJS.ErrnoException).code})`);
    }
  }

  #refused(target: HostAndPort, place?: Found): NoWay {
    this.refusals.add(target, place);
    const where = `${target.host}:${target.port}`;
    const remedy =
      place?.kind === "public"
        ? `A rule denies ${place.address}, where ${where} is`
        : `For ${where} a person would add: allow connect ${place?.named ?? target.host}`;
    return new NoWay(
      "refused",
      `Toolcrib lets this command connect only where rules allow it. ${remedy}`,
      place,
    );
  }

  #connect({ host, port }: HostAndPort, addresses: readonly Address[]): Promise<Socket> {
    if (this.#isClosed) throw new NoWay("unreachable", "The command has ended");
    const given: LookupFunction = (_host, _options, answer) => answer(null, [...addresses]);
    // The name stands for the addresses judged; an address of its own needs no answer.
    const name = addresses.length === 1 ? addresses[0]!.address : host;
    const socket = connect({ host: name, port, lookup: given, autoSelectFamily: true, allowHalfOpen: true });
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new NoWay("slow", `${host}:${port} did not answer within ${connectMs / 1000} s`));
        socket.destroy();
      }, connectMs);
      socket.once("connect", () => {
        clearTimeout(timer);
        socket.setNoDelay(true);
        socket.setTimeout(idleMs, () => socket.destroy());
        resolve(socket);
      });
      socket.on("error", (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        reject(
          new NoWay("unreachable", `${host}:${port} could not be reached (${error.code ?? error.message})`),
        );
      });
      socket.once("close", () => reject(new NoWay("unreachable", "The command has ended")));
    });
  }
}

/** A public address of this machine is this machine, whoever may connect to the internet. */
function found(address: string, own: ReadonlySet<string>): Found {
  const kind = kindOfAddress(address) ?? "no address";
  if (!own.has(parseHost(address) ?? address)) return { address, kind, named: address };
  return { address, kind: "this machine", named: kind === "public" ? "localhost" : address };
}

/** An address of version 4 is reached by one of version 6 as well. */
function spellings(address: string): readonly string[] {
  const mapped = isIP(address) === 4 ? [`::ffff:${address}`] : [];
  return [address, ...mapped].map((one) => parseHost(one) ?? one);
}

/** What listens on an address of this machine, also a public one, listens for its own people. */
function ownAddresses(): ReadonlySet<string> {
  return new Set(
    Object.values(networkInterfaces()).flatMap((addresses) => addresses?.map(({ address }) => address) ?? []),
  );
}
