import { ToolError } from "../../contract/error.ts";

/** Where V8 ended a host over a grammar that was not known to be heavy, it is tried again in one where V8 takes it easy. */
export async function elseWithCare<Answer>(
  light: () => Promise<Answer>,
  heavy: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await light();
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== "unavailable") throw error;
    return await heavy();
  }
}
