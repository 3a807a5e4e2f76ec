import type { StartOptions } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { Looking } from "./looking.ts";

/** What a program of ours prints, whole, and its exit code; undefined when there is no such program. */
export async function outputOf(
  program: string,
  options: Omit<StartOptions, "signal" | "confinement">,
  { environment, signal }: Looking,
): Promise<{ readonly text: string; readonly code: number | undefined } | undefined> {
  try {
    const process = await environment.start(program, { ...options, signal, confinement: "ours" });
    const pieces: Uint8Array[] = [];
    for await (const piece of process.stdout) pieces.push(piece);
    const { code } = await process.exit;
    return { text: Buffer.concat(pieces).toString(), code };
  } catch (error) {
    if (error instanceof ToolError && error.code === "unavailable") return undefined;
    throw error;
  }
}
