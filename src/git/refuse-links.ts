import { posix } from "node:path";
import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";

/**
 * Git appends to its logs and replaces its index through links, wherever these lead: a sandbox stands in the way, where there
 * is one. No git makes such links.
 */
export async function refuseLinks(gitDirectory: string, environment: Environment): Promise<void> {
  for (const name of written) {
    const path = posix.join(gitDirectory, name);
    const kind = await environment.info(path, { followLinks: false }).then((info) => info.kind, absent);
    if (kind === "link") throw isLink(path);
    if (kind === "directory") await refuseLinksBelow(path, environment);
  }
}

const written = ["index", "HEAD", "ORIG_HEAD", "COMMIT_EDITMSG", "config", "packed-refs", "refs", "logs"];

async function refuseLinksBelow(path: string, environment: Environment): Promise<void> {
  const directory = await environment.openDirectory(path);
  try {
    for (const { name, kind } of await directory.entries()) {
      const below = posix.join(path, name);
      if (kind === "link") throw isLink(below);
      if (kind === "directory") await refuseLinksBelow(below, environment);
    }
  } finally {
    directory.close();
  }
}

function absent(error: unknown): undefined {
  if (error instanceof ToolError && error.code === "not-found") return undefined;
  throw error;
}

function isLink(path: string): ToolError {
  return new ToolError("denied", `${path} is a link: git would write to what it leads to`, {
    hint: "Ask the person to look at it, and to replace it by what it leads to if that is right.",
  });
}
