import { MemoryBackend } from "../../../examples/backend-memory/memory-backend.ts";
import { environmentOf } from "../backend/backend-environment.ts";
import { withOutputs } from "../foreign-environment.ts";
import { MemoryEnvironment } from "../memory/memory-environment.ts";
import type { World, WorldContent } from "./world.ts";

/** A workspace in the backend of the examples. */
export function openBackendWorld({ files, outputs = {} }: WorldContent = {}): World {
  const backend = new MemoryBackend("/workspace", files);
  const storedOutputs = new MemoryEnvironment({ workspace: "/outputs", files: outputs });
  const at = (path: string) => `/workspace/${path}`;
  return {
    environment: withOutputs(environmentOf(backend), storedOutputs),
    outside: "/outside",
    link: (path, target) => backend.put(at(path), { kind: "link", target, mode: 0o777 }),
    write: (path, text) => backend.put(at(path), { content: Buffer.from(text) }),
    makeSpecial: (path) => backend.put(at(path), { kind: "other" }),
    [Symbol.asyncDispose]: async () => {},
  };
}
