import { tmpdir } from "node:os";
import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { WebRequest } from "../contract/web.ts";
import { openLocalEnvironment } from "../environment/local/local-environment.ts";
import { connectTarget, manageTarget, newServerId } from "../environment/remote/connect-target.ts";
import type { Link } from "../environment/remote/link.ts";
import { openRemoteEnvironment, type TargetEnvironment } from "../environment/remote/remote-environment.ts";
import { ServerRecords } from "../environment/remote/server-records.ts";
import { parseTarget } from "../environment/remote/target.ts";
import { overrideEnvironment } from "../lib/override-environment.ts";
import { isLoopback } from "../system/network-policy.ts";
import type { SandboxSetting, TargetOptions } from "./options.ts";

interface OpenTargetOptions {
  readonly sandbox: SandboxSetting | undefined;
  /** The folder for records of servers. Default: the server is not recorded, and those of killed clients are not ended. */
  readonly servers?: string | undefined;
}

/**
 * Ends the servers of killed clients, connects to a target, and returns the environment there. Web pages are fetched by this
 * machine.
 */
export async function openTarget(
  target: string | TargetOptions,
  { sandbox, servers }: OpenTargetOptions,
): Promise<Environment> {
  const parsed = parseTarget(nameOf(target));
  // The new server settles interrupted changes when it starts, so the others must have ended.
  if (servers !== undefined) await endAllAbandoned(target, servers);
  const records = servers === undefined ? undefined : new ServerRecords(servers);
  const session = newServerId();
  records?.add(session);
  const { link, remote } = await connect(target, { sandbox, session }).catch((error: unknown) => {
    records?.remove(session);
    throw error;
  });
  // Only for requests: its files are not used.
  const here = openLocalEnvironment({ workspace: tmpdir() });
  const exchange = async (request: WebRequest) => {
    if (remote.exchange === undefined || !isLoopback(request.url.hostname)) return here.exchange!(request);
    return remote.exchange(request).catch((error: unknown) => {
      if (error instanceof ToolError && error.code === "denied") return here.exchange!(request);
      throw error;
    });
  };
  return overrideEnvironment(remote, {
    name: parsed.name,
    exchange,
    close: async () => {
      await Promise.all([here.close(), remote.close()]);
      if (link.peerHasClosed) records?.remove(session);
      else records?.abandon(session);
    },
  });
}

/** Connects to a temporary workspace on a target, which `doctor` attacks. */
export async function openAttackedTarget(
  target: string | TargetOptions,
  { sandbox }: Pick<OpenTargetOptions, "sandbox">,
): Promise<TargetEnvironment> {
  return (await connect(target, { sandbox, isLab: true })).remote;
}

/**
 * Ends the servers on a target whose clients were killed, with all their processes. A client that may run on another machine
 * is left to the next `openTarget`.
 */
export async function endAbandonedServers(target: string | TargetOptions, servers: string): Promise<void> {
  const records = new ServerRecords(servers);
  const sessions = records.abandoned().flatMap((one) => (one.mayBeElsewhere ? [] : [one.session]));
  // The terminal is in use.
  await stop({ ...optionsOf(target), mayAsk: false }, records, { sessions });
}

async function endAllAbandoned(target: string | TargetOptions, servers: string): Promise<void> {
  const records = new ServerRecords(servers);
  const all = records.abandoned();
  try {
    for (const sparesAttached of [false, true]) {
      const some = all.filter(({ mayBeElsewhere }) => mayBeElsewhere === sparesAttached);
      await stop(optionsOf(target), records, {
        sessions: some.map(({ session }) => session),
        sparesAttached,
      });
    }
  } catch (error) {
    // Node is sent with the next connection.
    const lacksNode = error instanceof ToolError && error.details?.kind === "missing-program";
    if (!lacksNode) throw error;
  }
}

async function stop(
  { name, ...how }: TargetOptions,
  records: ServerRecords,
  what: { readonly sessions: readonly string[]; readonly sparesAttached?: boolean },
): Promise<void> {
  if (what.sessions.length === 0) return;
  how.onProgress?.(`Ending what a killed process left on ${name}`);
  const left = await manageTarget(parseTarget(name), { kind: "stop", ...what }, how);
  const running = new Set(left.sessions.map(({ session }) => session));
  records.forget(what.sessions.filter((session) => !running.has(session)));
}

async function connect(
  target: string | TargetOptions,
  options: Pick<OpenTargetOptions, "sandbox"> & { readonly isLab?: boolean; readonly session?: string },
): Promise<{ readonly link: Link; readonly remote: TargetEnvironment }> {
  const { name, ...how } = optionsOf(target);
  const link = await connectTarget(parseTarget(name), { ...how, ...options });
  const remote = await openRemoteEnvironment(link).catch(async (error: unknown) => {
    await link.close().catch(() => {});
    throw error;
  });
  return { link, remote };
}

function optionsOf(target: string | TargetOptions): TargetOptions {
  return typeof target === "string" ? { name: target } : target;
}

function nameOf(target: string | TargetOptions): string {
  return optionsOf(target).name;
}
