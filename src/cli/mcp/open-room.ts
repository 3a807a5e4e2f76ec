import { ToolError } from "../../contract/error.ts";
import type { Toolcrib, ToolcribOptions } from "../../toolcrib/index.ts";
import { printFailure, remarkRecovered, remarkWarnings } from "../report.ts";

/** Opens a room for a client. What a person has to know goes to standard error, which clients keep as their log. */
export async function openRoom(options: ToolcribOptions): Promise<Toolcrib> {
  const { openToolcrib } = await import("../../toolcrib/index.ts");
  try {
    const crib = await openToolcrib(options);
    remarkRecovered(crib.recovered);
    remarkWarnings(crib.warnings);
    return crib;
  } catch (error) {
    if (error instanceof ToolError) printFailure(error);
    throw error;
  }
}
