import { findAnyTool } from "../dialects/find-tool.ts";
import { printableLine } from "../lib/text/printable.ts";
import type { Dialect } from "../toolcrib/index.ts";
import type { Command, Option } from "./command.ts";
import type { Candidate, CandidateContext } from "./complete-values.ts";
import { dialectHere, optionsOf } from "./options.ts";
import { isFlag, splitFlag } from "./parse-arguments.ts";
import type { FieldSchema, FieldSchemas } from "./tool-fields.ts";

/** The candidates, and whether the shell adds its files or folders. */
interface Completions {
  readonly kind: "words" | "files" | "folders";
  readonly candidates: readonly Candidate[];
}

/** Returns the output of `toolcrib completion words` for the words after `toolcrib`, the last of them unfinished. */
export async function completeWords(typed: readonly string[], commands: readonly Command[]): Promise<string> {
  const words = typed.map(unquote);
  const last = words.at(-1) ?? "";
  const { kind, candidates } = await complete(words.slice(0, -1), last, commands);
  const lines = candidates
    // The shell prints candidates, so none may contain a control character.
    .filter(({ value }) => value.startsWith(last) && printableLine(value) === value)
    .map(({ value, description }) =>
      description ? `${value}\t${printableLine(description).replaceAll("\t", " ")}` : value,
    );
  return [kind, ...lines].map((line) => `${line}\n`).join("");
}

/** Bash passes words as they were typed. */
function unquote(word: string): string {
  return word.replace(/\\(.)|['"]/gs, "$1");
}

async function complete(
  [name, ...before]: readonly string[],
  last: string,
  commands: readonly Command[],
): Promise<Completions> {
  if (name === undefined)
    return offer([
      ...commands.map((command) => ({ value: command.name, description: command.summary })),
      { value: "--help", description: "show help" },
      { value: "--version", description: "print the version" },
    ]);
  const command = commands.find((each) => each.name === name);
  if (command === undefined) return nothing;
  const scanned = scan(before, command);
  const { flag, attached } = splitFlag(last);
  const isValue = isFlag(last) && attached !== undefined;
  const option = isValue && !scanned.isLiteral ? optionOf(flag, command) : scanned.waiting;
  if (option) {
    const values = await valuesOf(option, scanned, commands);
    return isValue ? { ...values, candidates: values.candidates.map((each) => behind(flag, each)) } : values;
  }
  if (command.forwardsFlags && scanned.operands.length > 0)
    return completeArgument(command, scanned, last, commands);
  if (isFlag(last)) return offer(flagsOf(optionsOf(command)));
  return completeOperand(command, scanned, last, commands);
}

/** The words before the last one, read as far as they make sense. */
interface Scanned {
  readonly options: ReadonlyMap<string, string>;
  readonly operands: readonly string[];
  /** The option whose value comes next. */
  readonly waiting: Option | undefined;
  /** Whether a lone `--` came before. */
  readonly isLiteral: boolean;
}

function scan(words: readonly string[], command: Command): Scanned {
  const options = new Map<string, string>();
  const operands: string[] = [];
  let waiting: Option | undefined;
  let isLiteral = false;
  for (const word of words) {
    const { flag, attached } = splitFlag(word);
    const option = isLiteral ? undefined : optionOf(flag, command);
    if (waiting) {
      options.set(waiting.name, word);
      waiting = undefined;
    } else if (word === "--" && !isLiteral) isLiteral = true;
    else if (option === undefined) operands.push(word);
    else if (option.value !== undefined && attached === undefined) waiting = option;
    else options.set(option.name, attached ?? "");
  }
  return { options, operands, waiting, isLiteral };
}

function optionOf(flag: string, command: Command): Option | undefined {
  return optionsOf(command).find(({ name, short }) => flag === `--${name}` || flag === `-${short ?? "-"}`);
}

function flagsOf(options: readonly Option[]): readonly Candidate[] {
  return options.map(({ name, summary }) => ({ value: `--${name}`, description: summary }));
}

const nothing: Completions = { kind: "words", candidates: [] };

function offer(candidates: readonly Candidate[]): Completions {
  return { kind: "words", candidates };
}

/** Puts the flag before a value that follows an equals sign. */
function behind(flag: string, { value, ...rest }: Candidate): Candidate {
  return { ...rest, value: `${flag}=${value}` };
}

/** Completes an operand by the placeholders of the usage: `log show <call>`. */
async function completeOperand(
  command: Command,
  { operands, options }: Scanned,
  last: string,
  commands: readonly Command[],
): Promise<Completions> {
  const { name, usage, operand } = command;
  const forms = usage.map(([form]) => form);
  const [subcommand] = operands;
  const ofSubcommand = forms.filter((form) => form.split(/[ |]+/, 2)[1] === subcommand);
  const isSubcommand = ofSubcommand.length > 0;
  const isFirst = operands.length === 0;
  const listed = isFirst ? (operand ?? []).map((value) => ({ value })) : [];
  const position = operands.length - (isSubcommand ? 1 : 0);
  const placeholders = (isSubcommand ? ofSubcommand : forms.filter((form) => !startsWithWord(form, name)))
    .filter((form) => position === 0 || /> \.\.\./.test(form))
    .flatMap((form) => Array.from(form.matchAll(/(?<!")<(\w+)>/g), ([, placeholder]) => placeholder!));
  const { candidatesOf } = await import("./complete-values.ts");
  const found = await Promise.all(
    [...new Set(placeholders)].map((kind) => candidatesOf(kind, { options, commands })),
  );
  const candidates = [...listed, ...found.flat()];
  return offer(candidates.length === 0 && last === "" ? flagsOf(optionsOf(command)) : candidates);
}

/** Returns whether the form begins with a subcommand: `log show <call>`, not `undo [<call>]` or `call <tool>`. */
function startsWithWord(form: string, name: string): boolean {
  return /^[a-z]/.test(form.slice(name.length + 1));
}

async function valuesOf(
  option: Option,
  scanned: Scanned,
  commands: readonly Command[],
): Promise<Completions> {
  const { name, value = "", choices } = option;
  if (choices) return offer(choices.map((choice) => ({ value: choice })));
  if (value === "DIR") return { kind: "folders", candidates: [] };
  if (value === "FILE" || value === "PATH") return { kind: "files", candidates: [] };
  const { candidatesOf } = await import("./complete-values.ts");
  const kind = kindsByOption[name] ?? value.toLowerCase();
  return offer(await candidatesOf(kind, { options: scanned.options, commands }));
}

/** The kinds of values of options whose placeholder does not name it. */
const kindsByOption: Readonly<Record<string, string>> = {
  session: "recorded",
  resume: "session",
  model: "model",
  tool: "tool",
  tools: "tool",
};

/** Completes a word after the tool's name in `toolcrib call`: an argument of the tool, or its value. */
async function completeArgument(
  command: Command,
  { operands: [toolName = "", ...words], options, isLiteral }: Scanned,
  last: string,
  commands: readonly Command[],
): Promise<Completions> {
  const dialect = await dialectHere(options.get("dialect"));
  const schemas = await fieldsOf(dialect, toolName);
  const { flagOf, isSwitch, mainFieldOf } = await import("./tool-fields.ts");
  const fieldOf = (flag: string) =>
    Object.keys(schemas).find((field) => flag === flagOf(field) || flag === `--${field}`);
  const values = (field: string) => valuesOfField(field, schemas[field]!, { options, commands });
  const { flag, attached } = splitFlag(last);
  const attachedTo = attached === undefined ? undefined : fieldOf(flag);
  if (attachedTo !== undefined) {
    const { kind, candidates } = await values(attachedTo);
    return { kind, candidates: candidates.map((each) => behind(flag, each)) };
  }
  const waiting = fieldOf(words.at(-1) ?? "");
  if (waiting !== undefined && !isSwitch(schemas[waiting]!)) return values(waiting);
  const isOurs = (field: string) => optionOf(flagOf(field), command) !== undefined;
  const ofTool = Object.entries(schemas)
    .filter(([field]) => isLiteral || !isOurs(field))
    .map(([field, { description }]) => ({ value: flagOf(field), description }));
  if (isFlag(last)) return offer(isLiteral ? ofTool : [...ofTool, ...flagsOf(optionsOf(command))]);
  const main = mainFieldOf(schemas);
  const { kind, candidates } = main !== undefined && words.length === 0 ? await values(main) : nothing;
  return { kind, candidates: [...candidates, ...(last === "" ? ofTool : [])] };
}

async function fieldsOf(dialect: Dialect, name: string): Promise<FieldSchemas> {
  const { fieldSchemasOf } = await import("./tool-fields.ts");
  return fieldSchemasOf(await findAnyTool(dialect, name).load());
}

async function valuesOfField(
  field: string,
  schema: FieldSchema,
  context: CandidateContext,
): Promise<Completions> {
  const { choices, types } = schema.items ?? schema;
  if (choices) return offer(choices.map((choice) => ({ value: String(choice) })));
  if (types.includes("boolean")) return offer([{ value: "true" }, { value: "false" }]);
  if (folderFields.has(field)) return { kind: "folders", candidates: [] };
  if (fileFields.has(field)) return { kind: "files", candidates: [] };
  const { candidatesOf } = await import("./complete-values.ts");
  return offer(await candidatesOf(field, context));
}

/** The fields of all dialects that take a path. */
const fileFields = new Set([
  ...["path", "paths", "file", "files", "from", "to", "file_path", "filePath", "file_paths", "absolute_path"],
  ...["notebook_path", "source", "destination", "filename"],
]);
const folderFields = new Set(["cwd", "dir_path", "directory", "folder", "workdir"]);
