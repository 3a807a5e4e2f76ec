import { resolve } from "node:path";
import { ToolError } from "../../../contract/error.ts";
import type { Arguments } from "../../command.ts";
import type { Client, Scope } from "./clients.ts";

/** What the server is started with: the options of `toolcrib mcp` that were given, and the words after `--`. */
export function serverWords(
  { options, operands }: Arguments,
  client: Client,
  scope: Scope,
): readonly string[] {
  const [first] = operands;
  if (first !== undefined && !first.startsWith("-"))
    throw new ToolError("invalid-input", `"${first}" is one word too many`, {
      hint: "Options of the server stand after a lone --",
    });
  const words = [...options].flatMap(([name, values]) => (handedOn.has(name) ? wordsOf(name, values) : []));
  const folder = options.get("workspace");
  const says = [...operands, ...words].some((word) => /^(?:--workspace|-C)(?:=|$)/.test(word));
  // The project's configuration is for the project's folder.
  if (folder !== undefined && scope === "user") words.push("--workspace", resolve(folder));
  else if (client.openFolder !== undefined && !says) words.push("--workspace", client.openFolder);
  return [...words, ...operands];
}

const handedOn = new Set([
  ...["dialect", "mode", "rule", "rules", "sandbox", "tools", "read-only", "approval-wait-ms"],
]);

function wordsOf(name: string, values: string): readonly string[] {
  if (values === "") return [`--${name}`];
  const read = name === "rules" ? (file: string) => resolve(file) : (value: string) => value;
  return values.split("\n").flatMap((value) => [`--${name}`, read(value)]);
}
