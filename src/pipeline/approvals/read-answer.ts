import type { Approval } from "./approval.ts";

/** The answer that was given, read once; undefined where it is none: nothing but a plain `true` allows. */
export function readAnswer(given: unknown): Approval | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const { allow, remember, hash, message } = given as Record<string, unknown>;
  if (allow === false) return typeof message === "string" ? { allow, message } : { allow };
  if (allow !== true) return undefined;
  return {
    allow,
    // Whatever else it says, it was allowed for once.
    ...(remember === "session" || remember === "always" ? { remember } : {}),
    ...(hash === undefined ? {} : { hash: String(hash) }),
  };
}
