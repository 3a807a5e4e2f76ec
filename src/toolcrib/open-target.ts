import { tmpdir } from "node:os";
import type { Environment } from "../contract/environment.ts";
import type { WebRequest } from "../contract/web.ts";
import { openLocalEnvironment } from "../environment/local/local-environment.ts";
import { connectTarget } from "../environment/remote/connect-target.ts";
import { openRemoteEnvironment, type TargetEnvironment } from "../environment/remote/remote-environment.ts";
import { parseTarget } from "../environment/remote/target.ts";
import { overrideEnvironment } from "../lib/override-environment.ts";
import type { SandboxSetting, TargetOptions } from "./options.ts";

interface OpenTargetOptions {
  readonly sandbox: SandboxSetting | undefined;
}

/** Connects to a target, and returns the environment there. Web pages are fetched by this machine. */
export async function openTarget(
  target: string | TargetOptions,
  options: OpenTargetOptions,
): Promise<Environment> {
  const parsed = parseTarget(typeof target === "string" ? target : target.name);
  const remote = await connect(target, options);
  // Only for requests: its files are not used.
  const here = openLocalEnvironment({ workspace: tmpdir() });
  const exchange = (request: WebRequest) =>
    request.at === undefined ? here.exchange!(request) : remote.exchange!(request);
  return overrideEnvironment(remote, {
    name: parsed.name,
    exchange,
    close: async () => void (await Promise.all([here.close(), remote.close()])),
  });
}

/** Connects to a temporary workspace on a target, which `doctor` attacks. */
export function openAttackedTarget(
  target: string | TargetOptions,
  options: OpenTargetOptions,
): Promise<TargetEnvironment> {
  return connect(target, { ...options, isLab: true });
}

async function connect(
  target: string | TargetOptions,
  options: OpenTargetOptions & { readonly isLab?: boolean },
): Promise<TargetEnvironment> {
  const { name, ...how }: TargetOptions = typeof target === "string" ? { name: target } : target;
  const channel = await connectTarget(parseTarget(name), { ...how, ...options });
  return openRemoteEnvironment(channel).catch(async (error: unknown) => {
    await channel.close().catch(() => {});
    throw error;
  });
}
