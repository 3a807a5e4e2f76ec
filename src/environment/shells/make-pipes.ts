import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";

/** Named pipes that only we, and whom we show their directory, can open. */
export async function makePipes(environment: Environment, paths: readonly string[]): Promise<void> {
  const made = await environment.start("mkfifo", {
    args: ["-m", "600", "--", ...paths],
    confinement: "ours",
    signal: new AbortController().signal,
  });
  const { code } = await made.exit;
  if (code !== 0) throw new ToolError("unavailable", "The pipes for a command could not be made");
}
