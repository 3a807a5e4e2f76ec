import { ToolError } from "../../../contract/error.ts";
import { selectTools } from "../../../dialects/find-tool.ts";
import { readServers } from "../../../mcp/hub/settings/read-servers.ts";
import { parseRules } from "../../../policy/rules/parse-rules.ts";
import { readPolicyFile } from "../../../system/policy-files.ts";
import { mcpCommand } from "../../commands/mcp.ts";
import { dialectHere } from "../../dialect-here.ts";
import { narrowingGiven, rulesGiven } from "../../options.ts";
import { parseArguments, readCount, refuseOperands } from "../../parse-arguments.ts";

/** Reads the words that a client is to start us with as we shall read them: in its log hardly anybody would see what is wrong. */
export async function refuseWhatWouldNotStart(words: readonly string[]): Promise<void> {
  const given = parseArguments(words, mcpCommand);
  refuseOperands(given.operands, mcpCommand);
  readCount(given, "approval-wait-ms");
  const { rules, ruleFiles } = rulesGiven(given.options);
  parseRules({ level: "command line", name: "--rule", text: rules.join("\n") });
  for (const name of ruleFiles) {
    const text = readPolicyFile(name);
    if (text === undefined) throw noRules(name);
    parseRules({ level: "command line", name, text });
  }
  const { allowedTools } = narrowingGiven(given.options);
  if (allowedTools === undefined) return;
  const dialect = await dialectHere(given.options.get("dialect"));
  const { servers } = await readServers({ workspace: process.cwd() });
  selectTools(dialect.tools, allowedTools, { ...dialect, more: Object.keys(servers).length > 0 });
}

function noRules(file: string): ToolError {
  return new ToolError("not-found", `There is no rule file ${file}`, { hint: "Write it first." });
}
