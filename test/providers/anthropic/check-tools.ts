import { faultsOf } from "../../golden/legality.ts";
import type { ToolParam } from "./request.ts";

/** The list of tools is the same in every request of a session, so it is checked once. */
const judged = new Map<string, readonly string[]>();

export function toolFaults(tools: readonly ToolParam[]): readonly string[] {
  const key = JSON.stringify(tools);
  const known = judged.get(key);
  if (known) return known;
  const names = tools.map(({ name }) => name);
  const faults = [
    ...names
      .filter((name, index) => names.indexOf(name) !== index)
      .map((name) => `tools: Tool names must be unique: ${name}.`),
    ...(tools.length > 0 && tools.every(({ defer_loading }) => defer_loading === true)
      ? ["tools: at least one tool must have defer_loading=false."]
      : []),
    ...tools.flatMap((tool, index) => oneFaults(tool).map((fault) => `tools.${index}: ${fault}.`)),
  ];
  judged.set(key, faults);
  return faults;
}

const described = new Set([
  ...["type", "name", "description", "input_schema", "cache_control", "strict", "eager_input_streaming"],
]);

function oneFaults({ cache_control, defer_loading = false, ...tool }: ToolParam): readonly string[] {
  if (typeof defer_loading !== "boolean") return ["defer_loading is not true or false"];
  if (cache_control && defer_loading) return ["cache_control and defer_loading exclude each other"];
  if (tool.type !== undefined && tool.type !== "custom") return faultsOf("anthropic", tool);
  const { type: _type, ...custom } = tool;
  const unknown = Object.keys(tool).filter((field) => !described.has(field));
  if (typeof custom.input_schema !== "object" || custom.input_schema === null)
    return [`${tool.name} has no input_schema`];
  return [...unknown.map((field) => `${field} is not permitted`), ...faultsOf("anthropic", custom)];
}
