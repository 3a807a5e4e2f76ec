import { agentTools } from "./claude-code/agents.ts";
import { backgroundTools, bash, killShell } from "./claude-code/commands.ts";
import { edit, glob, notebookEdit, read, write } from "./claude-code/files.ts";
import { grep } from "./claude-code/grep.ts";
import { todoWrite, webFetch, webSearch } from "./claude-code/others.ts";
import type { Dialect } from "./dialect.ts";

/** What Anthropic's Claude Code of today offers its models. */
export const claudeCodeDialect: Dialect = {
  name: "claude-code",
  tools: [
    read,
    write,
    edit,
    bash,
    ...backgroundTools,
    grep,
    glob,
    notebookEdit,
    todoWrite,
    webFetch,
    webSearch,
    ...agentTools,
  ],
  // Some models still call those that it has given up.
  aliases: [killShell],
};
