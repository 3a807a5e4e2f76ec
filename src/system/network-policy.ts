import { lookup } from "node:dns/promises";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import type { Confinement } from "../contract/confinement.ts";
import { type HostAndPort, kindOfAddress, parseHost } from "../lib/network-address.ts";

// This is twice as many as a program can have, so that closing connections do not block new ones.
const mostConnections = 2048;
const connectMs = 20_000;
// This is long enough for a push or a slow build.
const idleMs = 15 * 60_000;

export interface Address {
  readonly address: string;
  readonly family: number;
}

export interface OutboundOptions {
  /** Whether a host or address is allowed; `name` is the allowed name that resolved to this address. */
  readonly mayConnect: NonNullable<Confinement["mayConnect"]>;
  /** Returns all addresses of a name. Default: asks the system. */
  readonly resolve?: ((host: string) => Promise<readonly Address[]>) | undefined;
  /** Returns the addresses of this machine. Default: those of its interfaces. */
  readonly own?: (() => ReadonlySet<string>) | undefined;
}

/** Opens a connection, or throws a ConnectionError. */
export type OpenConnection = (target: HostAndPort) => Promise<Socket>;

/** A failed connection. The message is for the program that requested it. */
export class ConnectionError extends Error {
  readonly reason: "refused" | "unknown" | "unreachable" | "slow" | "busy";
  /** The resolved address, if the rules refuse it. */
  readonly found: FoundAddress | undefined;

  constructor(reason: ConnectionError["reason"], message: string, found?: FoundAddress) {
    super(message);
    this.reason = reason;
    this.found = found;
  }
}

/** An address, its kind ("private", "this machine"), and the host that a rule would have to name. */
export interface FoundAddress {
  readonly address: string;
  readonly kind: string;
  readonly named: string;
}

/**
 * Opens the connections that the rules allow. Resolves a name once, checks every address and connects only to checked
 * addresses, so a later change of the name (DNS rebinding) has no effect.
 */
export class OutboundNetwork {
  readonly refusals: RefusedConnections = new RefusedConnections();
  readonly #mayConnect: OutboundOptions["mayConnect"];
  readonly #resolve: (host: string) => Promise<readonly Address[]>;
  readonly #own: () => ReadonlySet<string>;
  readonly #sockets = new Set<Socket>();
  #opening = 0;
  #isClosed = false;

  constructor({ mayConnect, resolve, own = ownAddresses }: OutboundOptions) {
    this.#mayConnect = mayConnect;
    this.#own = own;
    this.#resolve = resolve ?? ((host) => lookup(host, { all: true }));
  }

  async open(target: HostAndPort): Promise<Socket> {
    if (!(await this.#mayConnect(target.host, target.port))) throw this.#refused(target);
    if (this.#sockets.size + this.#opening >= mostConnections)
      throw new ConnectionError("busy", `This command already has ${mostConnections} open connections`);
    this.#opening++;
    try {
      return await this.#connect(target, await this.#allowedAddresses(target));
    } finally {
      this.#opening--;
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  async #allowedAddresses(target: HostAndPort): Promise<readonly Address[]> {
    const { host, port } = target;
    const family = isIP(host);
    const addresses = family === 0 ? await this.#addressesOf(host) : [{ address: host, family }];
    const own = new Set([...this.#own()].flatMap(spellings));
    const allowed: Address[] = [];
    for (const address of addresses) {
      const { kind, named } = describeAddress(address.address, own);
      if (kind !== "no address" && (await this.#mayConnect(named, port, host))) allowed.push(address);
    }
    const [first] = addresses;
    if (first === undefined) throw new ConnectionError("unknown", `${host} has no address`);
    if (allowed.length > 0) return allowed;
    throw this.#refused(target, describeAddress(first.address, own));
  }

  async #addressesOf(host: string): Promise<readonly Address[]> {
    try {
      return await this.#resolve(host);
    } catch (error) {
      throw new ConnectionError(
        "unknown",
        `${host} could not be resolved (${(error as NodeJS.ErrnoException).code})`,
      );
    }
  }

  #refused(target: HostAndPort, found?: FoundAddress): ConnectionError {
    this.refusals.add(target, found);
    const reason =
      found?.kind === "public"
        ? `: a rule denies ${found.address}`
        : `. To allow it, the user can add the rule: allow connect ${found?.named ?? target.host}`;
    const message = `Toolcrib refused the connection to ${target.host}:${target.port}${reason}`;
    return new ConnectionError("refused", message, found);
  }

  #connect({ host, port }: HostAndPort, addresses: readonly Address[]): Promise<Socket> {
    if (this.#isClosed) throw new ConnectionError("unreachable", "The command has ended");
    const given: LookupFunction = (_host, _options, answer) => answer(null, [...addresses]);
    // The lookup returns the checked addresses; a single address needs no lookup.
    const name = addresses.length === 1 ? addresses[0]!.address : host;
    const socket = connect({ host: name, port, lookup: given, autoSelectFamily: true, allowHalfOpen: true });
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new ConnectionError("slow", `${host}:${port} did not answer within ${connectMs / 1000} s`));
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
          new ConnectionError(
            "unreachable",
            `${host}:${port} could not be reached (${error.code ?? error.message})`,
          ),
        );
      });
      socket.once("close", () => reject(new ConnectionError("unreachable", "The command has ended")));
    });
  }
}

/** Describes an address. A public address of this machine counts as "this machine", even when all hosts are allowed. */
function describeAddress(address: string, own: ReadonlySet<string>): FoundAddress {
  const kind = kindOfAddress(address) ?? "no address";
  if (!own.has(parseHost(address) ?? address)) return { address, kind, named: address };
  return { address, kind: "this machine", named: kind === "public" ? "localhost" : address };
}

/** Returns the spellings of an address: an IPv4 address can also be written as an IPv6 address. */
function spellings(address: string): readonly string[] {
  const mapped = isIP(address) === 4 ? [`::ffff:${address}`] : [];
  return [address, ...mapped].map((one) => parseHost(one) ?? one);
}

/** Whether a host always means the loopback: `localhost`, `127.0.0.1`, `0.0.0.0`. */
export function isLoopback(host: string): boolean {
  const kind = kindOfAddress(host);
  return kind === "loopback" || kind === "unspecified" || /(?:^|\.)localhost\.?$/.test(host);
}

/** Whether a host always means this machine: its loopback, its name, or one of its addresses. */
export function isThisMachine(host: string): boolean {
  return isLoopback(host) || host === hostname().toLowerCase() || ownAddresses().has(host);
}

/** Returns all addresses of this machine: a server even on a public one may be intended only for its users. */
export function ownAddresses(): ReadonlySet<string> {
  return new Set(
    Object.values(networkInterfaces()).flatMap((addresses) => addresses?.map(({ address }) => address) ?? []),
  );
}

const mostRemarks = 20;

/** Collects refused connections. Its remarks go to the user, who can change the rules. */
export class RefusedConnections {
  readonly #counts = new Map<string, { readonly reason: string; times: number }>();
  #others = 0;

  /** `found`: the resolved address, if the rules refuse it. */
  add({ host, port }: HostAndPort, found?: FoundAddress): void {
    const where = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    const what =
      found === undefined || found.address === host
        ? where
        : `${where}, which is at ${found.address} (${found.kind})`;
    const known = this.#counts.get(what);
    if (known) known.times++;
    else if (this.#counts.size < mostRemarks)
      this.#counts.set(what, { reason: reasonFor(found?.named ?? host, found?.kind), times: 1 });
    else this.#others++;
  }

  remarks(): readonly string[] {
    const remarks = [...this.#counts].map(
      ([what, { reason, times }]) => `refused ${what}${times > 1 ? ` (${times} times)` : ""}: ${reason}`,
    );
    return this.#others === 0 ? remarks : [...remarks, `refused ${this.#others} more connections`];
  }
}

/** Says why a host is refused. A rule for a name allows its public addresses, except those that another rule denies. */
function reasonFor(named: string, kind: string | undefined): string {
  return kind === "public"
    ? `one of your rules denies ${named}`
    : `to allow it, add the rule "allow connect ${named}"`;
}
