import { channelPair } from "../../../test/support/environment/channel-pair.ts";
import type { Environment } from "../../contract/environment.ts";
import { withOutputs } from "../foreign-environment.ts";
import { MemoryEnvironment } from "../memory/memory-environment.ts";
import { openRemoteEnvironment } from "../remote/remote-environment.ts";
import { type ServeOptions, serveEnvironment } from "../remote/serve-environment.ts";
import type { World, WorldContent } from "./world.ts";

/** Serves an environment over a pair of channels, and opens it from the other side. */
export async function overChannel(served: Environment, options?: ServeOptions): Promise<Environment> {
  const [here, there] = channelPair();
  serveEnvironment(served, there, options).catch(() => {});
  return openRemoteEnvironment(here);
}

/** The same world behind a channel. */
export async function openRemoteWorld(world: World, { outputs = {} }: WorldContent = {}): Promise<World> {
  const remote = await overChannel(world.environment);
  const stored = new MemoryEnvironment({ workspace: "/outputs", files: outputs });
  return {
    ...world,
    environment: withOutputs(remote, stored),
    [Symbol.asyncDispose]: async () => {
      await remote.close();
      await world[Symbol.asyncDispose]();
    },
  };
}
