import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testConformance } from "../../environment/conformance/conformance.ts";
import { openLocalWorld } from "../../environment/conformance/local-world.ts";
import type { World, WorldContent } from "../../environment/conformance/world.ts";
import { MemoryEnvironment } from "../../environment/memory/memory-environment.ts";
import { openBlobs } from "../blobs.ts";
import { keepingEnvironment } from "./keeping-environment.ts";

/** The same world with an environment that stores what it changes. */
function keeping(world: World): World {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib kept "));
  const journal = { change: () => {} };
  return {
    environment: keepingEnvironment(world.environment, {
      callId: "call_1",
      journal,
      blobs: openBlobs(folder),
    }),
    outside: world.outside,
    link: (path, target) => world.link(path, target),
    makeSpecial: (path) => world.makeSpecial(path),
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

testConformance("kept local", (content) => keeping(openLocalWorld(content)));

testConformance("kept memory", (content?: WorldContent) => {
  const environment = new MemoryEnvironment(content);
  return keeping({
    environment,
    outside: "/outside",
    link: (path, target) => environment.link(path, target),
    makeSpecial: (path) => environment.makeSpecial(path),
    [Symbol.asyncDispose]: () => environment.close(),
  });
});
