import { ToolError } from "../contract/error.ts";
import { nearest } from "../lib/text/nearest.ts";
import type { Arguments, Command, Option } from "./command.ts";
import { optionsOf } from "./options.ts";

/**
 * Sorts the words after the command's name. An option may stand anywhere, as `--name value` or `--name=value`; its last
 * value counts, unless it repeats. After a lone `--` nothing is an option of ours.
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
    const belongsToTool = command.handsOn && operands.length > 0;
    if (!isFlag(word) || (!option && belongsToTool)) operands.push(word);
    else if (!option) throw unknownOption(flag, command);
    else if (option.value === undefined) {
      if (attached !== undefined) throw mistake(`${flag} takes no value`, command);
      options.set(option.name, "");
    } else {
      if (attached === undefined) index += 1;
      const value = attached ?? words[index];
      const isMissing = !value || (attached === undefined && value.startsWith("--"));
      if (isMissing) throw mistake(`${flag} needs a value: ${flag} ${option.value}`, command);
      checkChoice(flag, value, option, command);
      const earlier = option.repeats ? options.get(option.name) : undefined;
      options.set(option.name, earlier === undefined ? value : `${earlier}\n${value}`);
    }
  }
  return { options, operands };
}

/** A lone `-` stands for the standard input. */
export function isFlag(word: string): boolean {
  return word.startsWith("-") && word !== "-";
}

/** `--name=value` in its two parts. */
export function splitFlag(word: string): { readonly flag: string; readonly attached: string | undefined } {
  const equals = word.indexOf("=");
  if (equals < 0) return { flag: word, attached: undefined };
  return { flag: word.slice(0, equals), attached: word.slice(equals + 1) };
}

/** The value of an option that counts something. */
export function readCount({ options }: Arguments, name: string): number | undefined {
  const text = options.get(name);
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new ToolError("invalid-input", `--${name} must be a whole number from 1 on, not "${text}"`, {
    hint: `For example: --${name} 100.`,
  });
}

/** For commands that take no more words than those they read. */
export function refuseOperands(operands: readonly string[], command: Command): void {
  if (operands.length > 0) throw mistake(`"${operands[0]}" is one word too many`, command);
}

function checkChoice(flag: string, value: string, { choices }: Option, command: Command): void {
  if (!choices || choices.includes(value)) return;
  const meant = nearest(value, choices);
  throw new ToolError("invalid-input", `${flag} must be one of ${choices.join(", ")}, not "${value}"`, {
    hint: meant
      ? `Did you mean ${meant}?`
      : command.handsOn
        ? `If the tool is to have it, write it after a lone \`--\`: … -- ${flag} ${value}`
        : seeHelp(command),
  });
}

function unknownOption(flag: string, command: Command): ToolError {
  const meant = nearest(
    flag,
    optionsOf(command).map(({ name }) => `--${name}`),
  );
  return new ToolError("invalid-input", `toolcrib ${command.name} has no option ${flag}`, {
    hint: meant ? `Did you mean ${meant}?` : seeHelp(command),
  });
}

function mistake(message: string, command: Command): ToolError {
  return new ToolError("invalid-input", message, { hint: seeHelp(command) });
}

function seeHelp({ name }: Command): string {
  return `See: toolcrib help ${name}`;
}
