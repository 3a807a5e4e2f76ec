import { homedir, tmpdir } from "node:os";
import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { Reach } from "../contract/reach.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { realLocation, realWorkspace } from "../system/directories.ts";

/** Where the tools of a room reach besides its workspace: as the room says, else as its dialect promises. */
export function reachOf(
  { reach }: Pick<Dialect, "reach">,
  options: { readonly workspace?: string; readonly reach?: Reach; readonly environment?: Environment },
): Reach | undefined {
  if (options.environment !== undefined) return refuseElsewhere(options.reach);
  if (options.reach !== undefined || reach === undefined) return options.reach;
  const temporary = [...new Set(["/tmp", tmpdir()].map(realLocation))];
  const home = realLocation(homedir());
  return reach({ workspace: realWorkspace(options.workspace ?? process.cwd()), temporary, home });
}

/** What an environment that is given reaches is its own affair. */
function refuseElsewhere(reach: Reach | undefined): undefined {
  if (reach === undefined) return;
  throw new ToolError(
    "unsupported",
    "An environment of your own cannot be made to reach beyond its workspace",
    {
      hint: "Leave out `reach`, or open the room on this machine.",
    },
  );
}
