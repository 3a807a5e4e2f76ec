import type { DialectTool } from "../dialect.ts";
import { rename } from "../rename.ts";

/** Forge's agent tools, for dialects that have none of their own. Offered only where there are agents. */
export const agentTools: readonly DialectTool[] = [
  rename("agent.spawn", {
    name: "spawn_agent",
    fields: { cwd: "working_dir" },
    only: ["task", "cwd", "model", "max_turns"],
  }),
  rename("agent.send", { name: "send_input", fields: { agent: "agent_id" } }),
  rename("agent.wait", { name: "wait", fields: { agent: "agent_id" }, only: ["agent"] }),
  rename("agent.close", { name: "close_agent", fields: { agent: "agent_id" } }),
];
