import { posix } from "node:path";
import type { Access } from "../../contract/access.ts";
import type { SandboxLevel } from "../../contract/account.ts";
import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { AnyTool } from "../../contract/tool.ts";
import { pathsNamed } from "../../guardian/decide.ts";
import type { Mode } from "../../guardian/mode.ts";
import type { Place, Question } from "../../guardian/policy.ts";

/** A call as the guardian is to judge it, with what its paths lead to right now. */
export async function questionOf(
  call: {
    readonly tool: Pick<AnyTool, "name" | "canonical" | "server" | "risk">;
    readonly accesses: readonly Access[];
    readonly environment: Pick<Environment, "realPath">;
  },
  settings: { readonly mode: Mode; readonly sandbox: SandboxLevel; readonly place: Place },
): Promise<Question> {
  const { tool, accesses, environment } = call;
  const { name, canonical = name, server, risk } = tool;
  return {
    mode: settings.mode,
    tool: { name: canonical, risk, ...(server === undefined ? {} : { server }) },
    accesses,
    sandbox: settings.sandbox,
    realPaths: await realPathsOf(pathsNamed(accesses, settings.place), accesses, environment),
  };
}

async function realPathsOf(
  paths: readonly string[],
  accesses: readonly Access[],
  environment: Pick<Environment, "realPath">,
): Promise<ReadonlyMap<string, string>> {
  const places = await Promise.all(
    paths.map((path) => placeOf(path, accesses, environment).catch(ignoreToolError)),
  );
  return new Map(
    paths.flatMap((path, index) => (places[index] === undefined ? [] : [[path, places[index]]])),
  );
}

/** Whoever deletes or moves a link means the link, not what it leads to. */
async function placeOf(
  path: string,
  accesses: readonly Access[],
  environment: Pick<Environment, "realPath">,
): Promise<string> {
  const name = posix.basename(path);
  const meansLink = accesses.every(
    (access) =>
      access.kind === "delete" ||
      (access.kind === "write" && access.link === "itself") ||
      ("path" in access && access.path !== path),
  );
  if (!meansLink || name === "" || name === "." || name === "..") return environment.realPath(path);
  return posix.join(await environment.realPath(posix.dirname(path)), name);
}

/** What cannot be reached is judged by its spelling; that it cannot be reached is for the tool to say. */
function ignoreToolError(error: unknown): undefined {
  if (!(error instanceof ToolError)) throw error;
}
