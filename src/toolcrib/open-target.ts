import { tmpdir } from "node:os";
import type { Environment } from "../contract/environment.ts";
import type { WebRequest } from "../contract/web.ts";
import { openLocalEnvironment } from "../environment/local/local-environment.ts";
import { connectTarget } from "../environment/remote/connect-target.ts";
import { openRemoteEnvironment } from "../environment/remote/remote-environment.ts";
import { parseTarget } from "../environment/remote/target.ts";
import { overrideEnvironment } from "../lib/override-environment.ts";
import type { SandboxSetting, TargetOptions } from "./options.ts";

/** Connects to a target, and returns the environment there. Web pages are fetched by this machine. */
export async function openTarget(
  target: string | TargetOptions,
  { sandbox }: { readonly sandbox: SandboxSetting | undefined },
): Promise<Environment> {
  const { name, uploadNode, mayAsk, onProgress }: TargetOptions =
    typeof target === "string" ? { name: target } : target;
  const parsed = parseTarget(name);
  const channel = await connectTarget(parsed, { uploadNode, mayAsk, onProgress, sandbox });
  const remote = await openRemoteEnvironment(channel).catch(async (error: unknown) => {
    await channel.close().catch(() => {});
    throw error;
  });
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
