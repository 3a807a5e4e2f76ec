import type { SimpleCommand } from "../commands/analysis.ts";
import type { ReadCommand } from "../parts.ts";
import { matchLoosely } from "./match-loosely.ts";
import { harm, ownRisk } from "./own-risk.ts";
import type { CommandPattern } from "./run-rule.ts";

/**
 * The commands that a program may run of which nobody knows what it does with its words: what begins at any of them, and
 * what a text among them says. `chronic rm -rf x`, `su -c 'rm -rf x'`.
 */
export function commandsWithin(command: SimpleCommand, readCommand: ReadCommand): readonly SimpleCommand[] {
  const { program, words } = command;
  if (harm(ownRisk(command)) < harm("execute") || program === "git") return [];
  const first = words.findIndex(({ value }, place) => place > 0 && !value?.startsWith("-"));
  return words.flatMap((word, place) => {
    if (place === 0 || word.value === undefined) return [];
    if (/\s/.test(word.value))
      return readCommand(word.value).commands.filter((inner) => inner.words[0]?.value !== undefined);
    if (place === first && program !== undefined && subcommands.has(program)) return [];
    return [{ ...command, words: words.slice(place) }];
  });
}

/** Whether a rule would be about one of them. */
export function matchWithin(pattern: CommandPattern, within: readonly SimpleCommand[]): boolean {
  return pattern.kind === "words" && within.some((command) => matchLoosely(pattern, command) !== "no");
}

/** Programs whose first operand is a word of their own, `rm` for example. */
const subcommands: ReadonlySet<string> = new Set(
  "apt apt-get aws brew bun cargo conda docker dotnet flatpak gcloud gem gh go helm hg kubectl npm pip pnpm podman poetry snap svn systemctl terraform uv yarn".split(
    " ",
  ),
);
