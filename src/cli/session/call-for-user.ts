import { ToolError } from "../../contract/error.ts";
import type { CallOptions, CallResult, Toolcrib } from "../../toolcrib/index.ts";

/** Makes one call for the user, in the default dialect. */
export async function callForUser(
  crib: Toolcrib,
  tool: string,
  input: object,
  { isUser = true, ...options }: CallOptions & { readonly isUser?: boolean } = {},
): Promise<CallResult> {
  const caller = await crib.addCaller({ dialect: "toolcrib", isUser });
  try {
    return await caller.call(tool, input, options);
  } finally {
    await caller.close();
  }
}

/** Returns the content of a call. Throws the call's error. */
export function contentOf({ content, error }: CallResult): string {
  if (error === null) return content;
  const { code, message, hint, forUser } = error;
  throw new ToolError(code, message, { hint: hint ?? undefined, forUser });
}
