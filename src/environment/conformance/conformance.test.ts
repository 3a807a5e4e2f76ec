import { MemoryEnvironment } from "../memory/memory-environment.ts";
import { testConformance } from "./conformance.ts";
import { openLocalWorld } from "./local-world.ts";

if (process.platform === "linux") {
  testConformance("local by handle", (content) => openLocalWorld(content, { pinning: "proc" }));
}

testConformance("local by path", (content) => openLocalWorld(content, { pinning: "portable" }));

testConformance("memory", (content) => {
  const environment = new MemoryEnvironment(content);
  return {
    environment,
    outside: "/outside",
    link: (path, target) => environment.link(path, target),
    makeSpecial: (path) => environment.makeSpecial(path),
    [Symbol.asyncDispose]: () => environment.close(),
  };
});
