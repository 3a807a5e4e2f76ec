import { afterAll, describe } from "vitest";
import { ServiceBackend } from "../../../examples/backend-service/service-backend.ts";
import { startService } from "../../../examples/backend-service/stand-in.ts";
import { overrideEnvironment } from "../../lib/override-environment.ts";
import { environmentOf } from "../backend/backend-environment.ts";
import { withOutputs } from "../foreign-environment.ts";
import { MemoryEnvironment } from "../memory/memory-environment.ts";
import { openBackendWorld } from "./backend-world.ts";
import { testConformance, testOtherConformance, testSomeConformance } from "./conformance.ts";
import { openLocalWorld } from "./local-world.ts";
import { openRemoteWorld } from "./remote-world.ts";
import type { OpenWorld, World, WorldContent } from "./world.ts";

if (process.platform === "linux") {
  testConformance("local by handle", (content) => openLocalWorld(content, { pinning: "proc" }));
}

testConformance("local by path", (content) => openLocalWorld(content, { pinning: "portable" }));

testConformance("memory", memoryWorld);

function memoryWorld(content?: WorldContent): World {
  const environment = new MemoryEnvironment(content);
  return {
    environment,
    outside: "/outside",
    link: (path, target) => environment.link(path, target),
    makeSpecial: (path) => environment.makeSpecial(path),
    write: async (path, text) => void (await environment.writeFile(path, Buffer.from(text))),
    [Symbol.asyncDispose]: () => environment.close(),
  };
}

testConformance("remote local", ({ outputs, ...content } = {}) =>
  openRemoteWorld(openLocalWorld(content), outputs && { outputs }),
);

describe("combinations of those above", { tags: "slow" }, () => {
  testConformance("remote memory", ({ outputs, ...content } = {}) =>
    openRemoteWorld(memoryWorld(content), outputs && { outputs }),
  );

  testConformance("wrapped local", (content) => {
    const world = openLocalWorld(content);
    const environment = overrideEnvironment(world.environment, {
      readFile: (path, options) => world.environment.readFile(path, options),
    });
    return { ...world, environment };
  });
});

testConformance("memory backend", openBackendWorld, { effects: false });

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const openServiceWorld: OpenWorld = ({ files, outputs = {} } = {}) => {
  const { environment: local, ...world } = openLocalWorld({ ...(files && { files }) });
  const backend = new ServiceBackend({ ...service, sandbox: "test", workspace: local.workspace });
  return {
    ...world,
    environment: withOutputs(
      environmentOf(backend),
      new MemoryEnvironment({ workspace: "/outputs", files: outputs }),
    ),
  };
};

// It has the code of the memory backend around it, and a request takes longer.
testSomeConformance("service backend", openServiceWorld);
describe("also", { tags: "slow" }, () =>
  testOtherConformance("service backend", openServiceWorld, { effects: false }),
);
