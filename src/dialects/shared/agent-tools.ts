import type { DialectTool } from "../dialect.ts";
import { renameTool } from "../rename.ts";

/** Forge's agent tools, for dialects that have none of their own. Offered only where there are agents. */
export const agentTools: readonly DialectTool[] = [
  renameTool("agent.spawn", {
    name: "spawn_agent",
    fields: { cwd: "working_dir" },
    only: ["task", "cwd", "model", "max_turns"],
  }),
  renameTool("agent.send", { name: "send_input", fields: { agent: "agent_id" } }),
  renameTool("agent.wait", { name: "wait", fields: { agent: "agent_id" }, only: ["agent"] }),
  renameTool("agent.close", { name: "close_agent", fields: { agent: "agent_id" } }),
];
