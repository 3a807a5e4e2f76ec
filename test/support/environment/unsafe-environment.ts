import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Environment } from "../../../src/contract/environment.ts";
import { ToolError } from "../../../src/contract/error.ts";

/**
 * Behaves like most file tools: checks where the path leads, then opens it. The races must succeed here, otherwise
 * they prove nothing. It has only the methods that they need.
 */
export function openUnsafeEnvironment(workspace: string): Environment {
  const checked = (path: string) => {
    const real = realpathSync(join(workspace, path));
    if (!real.startsWith(workspace)) throw new ToolError("outside-workspace", path);
    return real;
  };
  return {
    workspace,
    readFile: attempt((path) => ({ bytes: readFileSync(checked(path)) })),
    writeFile: attempt((path, content: Uint8Array) => {
      mkdirSync(join(workspace, dirname(path)), { recursive: true });
      checked(dirname(path));
      writeFileSync(join(workspace, path), content);
    }),
    close: async () => {},
  } as unknown as Environment;
}

function attempt<Rest extends unknown[]>(act: (path: string, ...rest: Rest) => unknown) {
  return async (path: string, ...rest: Rest) => {
    try {
      return act(path, ...rest);
    } catch (error) {
      throw error instanceof ToolError ? error : new ToolError("not-found", String(error));
    }
  };
}
