import { readFileSync } from "node:fs";
import { isIPv4, type Server, type Socket } from "node:net";
import { ToolError } from "../../../contract/error.ts";
import { exhaustionError, isExhaustion } from "../../../lib/exhaustion.ts";
import { attempt } from "../../../system/attempt.ts";
import { type OutboundOptions, ownAddresses } from "../../../system/network-policy.ts";
import { perlProgram } from "../../../system/perl-program.ts";
import { type ChildProcess, startProgram } from "../../../system/start-program.ts";
import { FilteringProxy, type ProxyGrant } from "./filtering-proxy.ts";

/** The paths of the programs that hold a network namespace. Perl also joins it. */
export interface NamespacePrograms {
  readonly bubblewrap: string;
  readonly perl: string;
}

/** The port of the proxy inside. It is above the ports that the system assigns, so that no program uses it by chance. */
const proxyPort = 61_080;

/** The numbers of system calls. */
const sendmsg: Partial<Record<NodeJS.Architecture, number>> = { x64: 46, arm64: 211 };
const setns: Partial<Record<NodeJS.Architecture, number>> = { x64: 308, arm64: 268 };
const unshare: Partial<Record<NodeJS.Architecture, number>> = { x64: 272, arm64: 97 };

/** A network namespace with a loopback and a proxy, held by a process (netns.pl) that lives as long as this one. */
export class Namespace {
  readonly #perl: string;
  readonly #holder: ChildProcess;
  readonly #pid: number;
  readonly #server: Server;
  readonly #proxy = new FilteringProxy();
  readonly #waiting = new Map<number, (socket: Socket | undefined) => void>();
  #requests = 0;

  static async open({ bubblewrap, perl }: NamespacePrograms): Promise<Namespace> {
    // AppArmor allows user namespaces to bubblewrap only. With --dev, the network would belong to another namespace than
    // the one that commands join; with --disable-userns, no command could have a sandbox of its own inside.
    const setUp = "--unshare-user --unshare-net --cap-drop ALL --cap-add CAP_NET_ADMIN --die-with-parent";
    const mounts = "--ro-bind / / --dev-bind /dev /dev";
    const addresses = [...ownAddresses()].filter((address) => isIPv4(address) && !address.startsWith("127."));
    const args = [String(sendmsg[process.arch]), String(proxyPort), ...addresses];
    const program = perlProgram("netns.pl", import.meta.url);
    const holder = startProgram(
      bubblewrap,
      [...`${setUp} ${mounts} --`.split(" "), perl, "-e", program, ...args],
      // Otherwise Ctrl-C in the terminal would end it.
      { cwd: "/", env: {}, detached: true, stdio: ["ignore", "ignore", "pipe", "ipc"] },
    );
    return new Promise((resolve, reject) => {
      let output = "";
      holder.once("error", (error) => reject(isExhaustion(error) ? exhaustionError(error) : error));
      // Without a free descriptor there is no stream, and the error follows.
      holder.stderr?.on("data", (bytes) => {
        output += bytes;
      });
      holder.once("close", () => reject(notOpened(output.trim())));
      holder.once("message", (message: { readonly pid: number }, server) => {
        holder.stderr!.destroy();
        resolve(new Namespace(perl, holder, message.pid, server as Server));
      });
    });
  }

  private constructor(perl: string, holder: ChildProcess, pid: number, server: Server) {
    this.#perl = perl;
    this.#holder = holder;
    this.#pid = pid;
    this.#server = server;
    server.maxConnections = 1024;
    // An error means that no descriptor is free. The connection waits until one is.
    server.on("error", () => {});
    server.on("connection", (client: Socket) => {
      this.#proxy.serve(prepared(client));
    });
    holder.on("message", ({ id }: { readonly id: number }, socket) => this.#answer(id, socket as Socket));
    holder.once("exit", () => this.close());
    // The network alone does not keep this process running.
    server.unref();
    holder.unref();
    holder.channel?.unref();
  }

  /** Whether commands can still join it. */
  get isOpen(): boolean {
    return this.#server.listening;
  }

  /** Returns the command that runs another one in this network, where only the `writable` directories can be written. */
  joining(
    file: string,
    args: readonly string[],
    writable: readonly string[],
  ): { readonly file: string; readonly args: readonly string[] } {
    const numbers = [this.#pid, setns[process.arch], unshare[process.arch], writable.length].map(String);
    const program = perlProgram("join.pl", import.meta.url);
    return { file: this.#perl, args: ["-e", program, ...numbers, ...writable, file, ...args] };
  }

  /** Reads the table of unix sockets inside (/proc/net/unix); empty when it is not available. */
  unixSockets(): string {
    return this.isOpen ? (attempt(() => readFileSync(`/proc/${this.#pid}/net/unix`, "utf8")) ?? "") : "";
  }

  /** Lets one command connect to what its rules allow. */
  grant(outbound: OutboundOptions): ProxyGrant {
    return this.#proxy.grant({ ...outbound, port: proxyPort, inside: (port) => this.connect(port) });
  }

  /** Connects to a server inside; undefined while none listens on this port. */
  connect(port: number): Promise<Socket | undefined> {
    // The proxy must not connect to itself.
    if (!this.isOpen || port === proxyPort) return Promise.resolve(undefined);
    const id = this.#requests++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#holder.channel?.ref();
      this.#holder.send({ id, port }, (error) => {
        if (error) this.#answer(id, undefined);
      });
    });
  }

  close(): void {
    this.#server.close();
    this.#holder.kill("SIGKILL");
    for (const id of this.#waiting.keys()) this.#answer(id, undefined);
  }

  #answer(id: number, socket: Socket | undefined): void {
    const resolve = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#holder.channel?.unref();
    resolve?.(socket && prepared(socket));
  }
}

function notOpened(output: string): ToolError {
  if (output.includes("too many open files"))
    return exhaustionError(Object.assign(new Error(output), { code: "EMFILE" }));
  const reason = output || "the process that holds it ended";
  return new ToolError("unavailable", `The network of the commands could not be opened: ${reason}`);
}

/** Sets what sockets from another process do not inherit. */
function prepared(socket: Socket): Socket {
  socket.allowHalfOpen = true;
  socket.setNoDelay(true);
  return socket.on("error", () => {});
}
