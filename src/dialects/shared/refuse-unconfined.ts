import { ToolError } from "../../contract/error.ts";

/** Models of some dialects may ask to leave the sandbox; here that is for a person to allow, by a rule. */
export function refuseUnconfined(field: string): never {
  throw new ToolError("denied", "Denied: a command cannot leave its sandbox by asking for it", {
    hint:
      `Leave out ${field}: hosts and files that need a person's consent are asked for by themselves. A person lets a ` +
      "command out with a rule: `unconfined run npm publish`.",
  });
}
