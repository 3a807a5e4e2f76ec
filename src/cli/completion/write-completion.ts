import { toolcribDialect } from "../../dialects/toolcrib.ts";
import type { Command, Option } from "../command.ts";
import type { Shell } from "../commands/completion.ts";
import { optionsOf } from "../options.ts";
import { writeBash } from "./bash.ts";
import { writeFish } from "./fish.ts";
import { writeZsh } from "./zsh.ts";

/** What a shell needs to know of a command to complete it. */
export interface Completable {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly Option[];
  /** What the first operand may be. */
  readonly operands: readonly string[];
  /** Whether file names may follow. */
  readonly takesFiles: boolean;
}

/** The script that completes our commands, their options and values, and the tools' names. */
export function writeCompletion(shell: Shell, commands: readonly Command[]): string {
  const completables = commands.map((command) => ({
    name: command.name,
    summary: command.summary,
    options: optionsOf(command),
    operands: operandsOf(command, commands),
    takesFiles: command.handsOn === true,
  }));
  return { bash: writeBash, zsh: writeZsh, fish: writeFish }[shell](completables);
}

function operandsOf({ operand }: Command, commands: readonly Command[]): readonly string[] {
  const tools = toolcribDialect.tools.map(({ canonical }) => canonical);
  if (operand === "tool") return tools;
  if (operand === "command") return [...commands.map(({ name }) => name), ...tools];
  return operand ?? [];
}

/** `--mode`, and `-C` where there is a short form. */
export function flagsOf({ name, short }: Option): readonly string[] {
  return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`];
}

/** The values of these options are folders. */
export function takesFolder({ value }: Option): boolean {
  return value === "DIR";
}

/** The values of these options are files. */
export function takesFile({ value }: Option): boolean {
  return value === "FILE";
}
