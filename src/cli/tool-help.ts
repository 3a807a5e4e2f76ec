import { findDialect } from "../dialects/dialects.ts";
import { findTool } from "../dialects/find-tool.ts";
import { toCommandLine } from "../lib/shell-quote.ts";
import type { Command } from "./command.ts";
import { type FieldSchema, fieldSchemasOf } from "./field-schemas.ts";
import { explainExamples, joinSections, section } from "./help.ts";
import { optionsOf } from "./options.ts";
import { layTable } from "./table.ts";
import { paint } from "./terminal.ts";
import { toolExamples } from "./tool-examples.ts";
import { flagOf, isSwitch } from "./tool-fields.ts";

/** The answer to `toolcrib call <tool> --help`: what the tool takes. */
export async function explainTool(name: string, dialect: string | undefined, call: Command): Promise<string> {
  const { tools, ...rest } = await findDialect(dialect ?? "toolcrib");
  const tool = await findTool(tools, name, rest).load();
  const fields = fieldSchemasOf(tool);
  const isOurs = (field: string) => optionsOf(call).some((option) => flagOf(field) === `--${option.name}`);
  const rows = Object.entries(fields).map(([field, schema]) => [
    `${isOurs(field) ? "-- " : ""}${explainFlag(field, schema)}`,
    `${schema.required ? "(required) " : ""}${schema.description ?? ""}`,
  ]);
  const example = toolExamples[tool.canonical ?? tool.name];
  return joinSections([
    `${paint(1, "bold", name)} (risk: ${tool.risk})\n`,
    `${tool.summary}\n`,
    rows.length === 0 ? "It takes no arguments.\n" : section("Arguments", layTable(rows, "  ")),
    Object.keys(fields).some(isOurs)
      ? "What stands after a lone -- is the tool's: Toolcrib has an option of that name, too.\n"
      : "",
    example && dialect === undefined ? section("Examples", explainExample(name, example, isOurs)) : "",
    "See also: toolcrib help call\n",
  ]);
}

function explainFlag(field: string, schema: FieldSchema): string {
  const flag = flagOf(field);
  if (isSwitch(schema)) return flag.startsWith("--no-") ? flag : flag.replace("--", "--[no-]");
  const { types, choices } = schema.items ?? schema;
  const value = choices?.join("|") ?? words[types[0] ?? ""] ?? "VALUE";
  return schema.items || types.includes("record") ? `${flag} ${value} (repeat)` : `${flag} ${value}`;
}

const words: Readonly<Record<string, string>> = {
  string: "TEXT",
  number: "NUMBER",
  object: "JSON",
  record: "NAME=VALUE",
};

/** A list by repeating its flag, yes by the flag alone. */
function wordsOf(field: string, value: unknown): readonly string[] {
  const flag = flagOf(field);
  if (Array.isArray(value)) return value.flatMap((one) => wordsOf(field, one));
  if (value === true) return [flag];
  return [flag, typeof value === "object" ? JSON.stringify(value) : String(value)];
}

function explainExample(
  name: string,
  input: Readonly<Record<string, unknown>>,
  isOurs: (field: string) => boolean,
): string {
  const fields = Object.keys(input);
  const toWords = (field: string) => wordsOf(field, input[field]);
  const after = fields.filter(isOurs).flatMap(toWords);
  const flags = [
    ...fields.filter((field) => !isOurs(field)).flatMap(toWords),
    ...(after[0] ? ["--", ...after] : []),
  ];
  const call = ["toolcrib", "call", name];
  // Several lines are hard to type between quotes.
  const [lines] = fields.filter((field) => String(input[field]).includes("\n"));
  return explainExamples([
    lines === undefined
      ? { command: toCommandLine([...call, ...flags]), shows: "as flags" }
      : { command: `${toCommandLine([...call, "-"])} < change.${lines}`, shows: "from a file" },
    { command: toCommandLine([...call, JSON.stringify(input)]), shows: "as JSON" },
  ]);
}
