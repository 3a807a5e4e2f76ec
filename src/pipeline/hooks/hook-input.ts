import { resolve } from "node:path";
import type { ToolCall } from "../../contract/call.ts";
import { isRecord } from "../../lib/json/is-record.ts";

/** A call as hooks see it: its names, the first of which is reported, and its arguments. */
export interface HookedTool {
  readonly names: readonly string[];
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * Describes a call in Claude Code's names, so that existing hooks work. Every tool that changes files is also `Edit` and
 * `Write`, and every tool that runs a command is also `Bash`: a hook that guards these must not be avoidable.
 */
export function hookedTool({ tool, input, accesses, environment }: ToolCall): HookedTool {
  const canonical = tool.canonical ?? tool.name;
  const served = tool.server === undefined ? [] : [`mcp__${tool.server}__${tool.ownName ?? tool.name}`];
  const changed = accesses.filter(({ kind }) => kind === "write" || kind === "delete");
  const commands = accesses.filter((access) => access.kind === "execute");
  const known = claudeNames[canonical];
  const names = [
    ...served,
    ...(known === undefined ? [] : [known]),
    ...(commands.length > 0 ? ["Bash"] : []),
    ...(changed.length > 0 ? ["Edit", "Write"] : []),
    canonical,
    tool.name,
  ];
  const given = isRecord(input) ? input : { input };
  const [path] = [
    given.path,
    ...changed.map((access) => ("path" in access ? access.path : undefined)),
  ].filter((each) => typeof each === "string");
  return {
    names: [...new Set(names)],
    input: {
      ...given,
      ...(path !== undefined && { file_path: resolve(environment.workspace, path) }),
      ...(commands[0] !== undefined && { command: commands.map(({ command }) => command).join("\n") }),
    },
  };
}

const claudeNames: Readonly<Record<string, string>> = {
  "file.read": "Read",
  "document.read": "Read",
  "file.write": "Write",
  "edit.replace": "Edit",
  "notebook.edit": "NotebookEdit",
  "search.grep": "Grep",
  "search.glob": "Glob",
  "web.fetch": "WebFetch",
  "web.search": "WebSearch",
  "agent.spawn": "Task",
  "plan.update": "TodoWrite",
};
