import { ToolError } from "../contract/error.ts";
import { nearest } from "../lib/text/nearest.ts";
import type { Arguments, Command, Option } from "./command.ts";
import { optionsOf, targetOption } from "./options.ts";

/**
 * Parses the words after the command's name. Options may come anywhere, as `--name value` or `--name=value`; the last
 * value counts, unless the option repeats. After a lone `--` every word is an operand.
 */
export function parseArguments(words: readonly string[], command: Command): Arguments {
  const known = optionsOf(command);
  const options = new Map<string, string>();
  const operands: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]!;
    if (word === "--") {
      operands.push(...words.slice(index + 1));
      break;
    }
    const { flag, attached } = splitFlag(word);
    const option = known.find(({ name, short }) => flag === `--${name}` || (short && flag === `-${short}`));
    const belongsToTool = command.forwardsFlags && operands.length > 0;
    if (!isFlag(word) || (!option && belongsToTool)) operands.push(word);
    else if (!option) throw unknownOption(flag, command);
    else if (option.takesWords) {
      const following = words.slice(index + 1);
      const end = following.findIndex(isFlag);
      const message = end < 0 ? following : following.slice(0, end);
      index += message.length;
      options.set(option.name, [...(attached === undefined ? [] : [attached]), ...message].join(" "));
    } else if (option.value === undefined) {
      if (attached !== undefined) throw mistake(`${flag} takes no value`, command);
      options.set(option.name, "");
    } else {
      if (attached === undefined) index += 1;
      const value = attached ?? words[index];
      const isMissing = !value || (attached === undefined && value.startsWith("--"));
      if (isMissing) throw mistake(`${flag} needs a value: ${flag} ${option.value}`, command);
      const chosen = chosenValue(flag, value, option, command);
      const earlier = option.repeats ? options.get(option.name) : undefined;
      options.set(option.name, earlier === undefined ? chosen : `${earlier}\n${chosen}`);
    }
  }
  return { options, operands };
}

/** Returns whether a word is a flag. A lone `-` means standard input. */
export function isFlag(word: string): boolean {
  return word.startsWith("-") && word !== "-";
}

/** Splits `--name=value`. */
export function splitFlag(word: string): { readonly flag: string; readonly attached: string | undefined } {
  const equals = word.indexOf("=");
  if (equals < 0) return { flag: word, attached: undefined };
  return { flag: word.slice(0, equals), attached: word.slice(equals + 1) };
}

/** Returns the value of an option that counts something. */
export function readCount({ options }: Arguments, name: string): number | undefined {
  const text = options.get(name);
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new ToolError("invalid-input", `--${name} must be a whole number from 1, not "${text}"`, {
    hint: `For example: --${name} 100`,
  });
}

/** Returns the value of an option that names a port; 0 picks a free one. */
export function readPort({ options }: Arguments, name: string): number | undefined {
  const text = options.get(name);
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new ToolError("invalid-input", `--${name} must be a number up to 65535, not "${text}"`, {
    hint: `For example: --${name} 7070, or --${name} 0 for a free port.`,
  });
}

export function refuseOperands(operands: readonly string[], { name }: Pick<Command, "name">): void {
  if (operands.length > 0) throw mistake(`Unexpected argument: ${operands[0]}`, { name });
}

/** Option names by the form of a command: a subcommand, "" or a flag. */
export type OptionsByForm = Readonly<Record<string, readonly string[]>>;

/** Refuses an option that only other forms of the command take. */
export function refuseOtherForms(
  { name, options: declared }: Command,
  form: string,
  options: ReadonlyMap<string, string>,
  optionsByForm: OptionsByForm,
): void {
  // Not the folder that `withTarget` adds.
  const given = declared.map((option) => option.name).filter((option) => options.has(option));
  const wrong = given.find((option) => optionsByForm[form]?.includes(option) === false);
  if (wrong === undefined) return;
  const commandOf = (each: string) => `toolcrib ${name} ${each}`.trim();
  const forms = Object.keys(optionsByForm).filter((other) => optionsByForm[other]!.includes(wrong));
  throw new ToolError("invalid-input", `--${wrong} has no effect in ${commandOf(form)}`, {
    hint: `Use it with: ${forms.map(commandOf).join(", ")}`,
  });
}

export function unknownSubcommand(
  command: string,
  name: string | undefined,
  subcommands: readonly string[],
): ToolError {
  const near = name === undefined ? undefined : nearest(name, subcommands);
  const message =
    name === undefined
      ? `A subcommand is missing: ${subcommands.join(", ")}`
      : `Unknown subcommand: toolcrib ${command} ${name}`;
  return new ToolError("invalid-input", message, {
    hint: near ? `Did you mean \`toolcrib ${command} ${near}\`?` : `See: toolcrib help ${command}`,
  });
}

/** Checks a value. Choices are accepted in any case. */
function chosenValue(flag: string, value: string, { choices }: Option, command: Command): string {
  const chosen = choices ? choices.find((choice) => choice.toLowerCase() === value.toLowerCase()) : value;
  if (chosen !== undefined) return chosen;
  const near = nearest(value, choices!);
  throw new ToolError("invalid-input", `${flag} must be one of ${choices!.join(", ")}, not "${value}"`, {
    hint: near
      ? `Did you mean ${near}?`
      : command.forwardsFlags
        ? `If the tool has its own ${flag}, write it after a lone --: -- ${flag} ${value}`
        : seeHelp(command),
  });
}

function unknownOption(flag: string, command: Command): ToolError {
  if (flag === `--${targetOption.name}`)
    return new ToolError(
      "invalid-input",
      `toolcrib ${command.name} takes no --target: it works on this machine only`,
      {
        hint: "See which commands take it: docs/remote.md",
      },
    );
  const near = nearest(
    flag,
    optionsOf(command).map(({ name }) => `--${name}`),
  );
  return new ToolError("invalid-input", `Unknown option for toolcrib ${command.name}: ${flag}`, {
    hint: near ? `Did you mean ${near}?` : seeHelp(command),
  });
}

function mistake(message: string, command: Pick<Command, "name">): ToolError {
  return new ToolError("invalid-input", message, { hint: seeHelp(command) });
}

function seeHelp({ name }: Pick<Command, "name">): string {
  return `See: toolcrib help ${name}`;
}
