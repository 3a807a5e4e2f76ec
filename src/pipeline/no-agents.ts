import type { Agents } from "../contract/agents.ts";
import { ToolError } from "../contract/error.ts";

/** Where the caller works alone. */
export const noAgents: Agents = { spawn: refuse, send: refuse, wait: refuse, close: refuse };

async function refuse(): Promise<never> {
  throw new ToolError("unavailable", "There are no other agents here", {
    hint: "Do the work yourself, or open the tools with `agents`.",
  });
}
