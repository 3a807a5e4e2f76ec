import { afterAll, beforeAll, describe } from "vitest";
import { podmanContainer, podmanMissing } from "./podman-container.ts";
import { sshMissing, sshServer } from "./ssh-server.ts";

/** A target that is reached by the real programs. */
export interface RealTarget extends AsyncDisposable {
  /** Without a folder: `ssh:test-host`. */
  readonly name: string;
  /** Variables with which the programs reach it. */
  readonly env: NodeJS.ProcessEnv;
  /** An empty folder there. */
  readonly folder: string;
  /** The path of that folder on this machine. */
  readonly here: string;
}

/** How to open each real target, and why it is not available. */
const realTargets = {
  ssh: {
    missing: sshMissing,
    open: (): RealTarget => {
      const server = sshServer();
      const { env, workspace } = server;
      return {
        ...{ name: "ssh:test-host", env, folder: workspace, here: workspace },
        [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
      };
    },
  },
  podman: {
    missing: podmanMissing,
    open: (): RealTarget => {
      const container = podmanContainer();
      return {
        ...{ name: `podman:${container.name}`, env: { ...process.env, ...container.variables } },
        ...{ folder: "/workspace", here: container.here("/workspace") },
        [Symbol.asyncDispose]: () => container[Symbol.asyncDispose](),
      };
    },
  },
  "podman over ssh": {
    missing: sshMissing ?? podmanMissing,
    open: (): RealTarget => {
      const container = podmanContainer();
      const server = sshServer({ variables: container.variables });
      return {
        ...{ name: `ssh:test-host+podman:${container.name}`, env: server.env },
        ...{ folder: "/workspace", here: container.here("/workspace") },
        [Symbol.asyncDispose]: async () => {
          await container[Symbol.asyncDispose]();
          await server[Symbol.asyncDispose]();
        },
      };
    },
  },
};

/** Describes tests of a real target, which is open while they run. The name says why they are skipped. */
export function describeTarget(
  kind: keyof typeof realTargets,
  body: (opened: () => RealTarget) => void,
): void {
  const { missing, open } = realTargets[kind];
  const name = missing === undefined ? kind : `${kind}: skipped, ${missing}`;
  describe.skipIf(missing !== undefined)(name, () => {
    let target: RealTarget;
    beforeAll(() => {
      target = open();
    });
    afterAll(() => target[Symbol.asyncDispose]());
    body(() => target);
  });
}
