import { describe } from "vitest";
import { withGuard } from "../foreign-environment.ts";
import { MemoryEnvironment } from "../memory/memory-environment.ts";
import { openBackendWorld } from "./backend-world.ts";
import { exampleGuard as guard, testGuarding } from "./guarding.ts";
import { openLocalWorld } from "./local-world.ts";
import { openRemoteWorld } from "./remote-world.ts";
import type { World, WorldContent } from "./world.ts";

if (process.platform === "linux") {
  describe("local by handle", () =>
    testGuarding((content) => openLocalWorld(content, { pinning: "proc", guard })));
}

describe("local by path", () =>
  testGuarding((content) => openLocalWorld(content, { pinning: "portable", guard })));

describe("memory", () => testGuarding((content) => memoryWorld({ ...content, guard }, (inner) => inner)));

describe("any other environment", () =>
  testGuarding((content) => memoryWorld(content, (inner) => withGuard(inner, guard))));

describe("target", () =>
  testGuarding(
    async (content) => {
      const world = await openRemoteWorld(openLocalWorld(content), content);
      return { ...world, environment: withGuard(world.environment, guard) };
    },
    { atOnce: false },
  ));

describe("memory backend", () =>
  testGuarding((content) => {
    const world = openBackendWorld(content);
    return { ...world, environment: withGuard(world.environment, guard) };
  }));

function memoryWorld(
  content: ConstructorParameters<typeof MemoryEnvironment>[0] & WorldContent = {},
  guarded: (inner: MemoryEnvironment) => World["environment"],
): World {
  const inner = new MemoryEnvironment(content);
  return {
    environment: guarded(inner),
    outside: "/outside",
    link: (path, target) => inner.link(path, target),
    makeSpecial: (path) => inner.makeSpecial(path),
    [Symbol.asyncDispose]: () => inner.close(),
  };
}
