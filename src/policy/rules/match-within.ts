import type { SimpleCommand } from "../commands/analysis.ts";
import type { ReadCommand } from "../parts.ts";
import type { NamedRules } from "./compile-policy.ts";
import type { CommandRule } from "./compile-rule.ts";
import { matchLoosely } from "./match-loosely.ts";
import { harm, ownRisk } from "./own-risk.ts";
import { baseName } from "./run-rule.ts";

/**
 * The rules that ask or deny and are about what a program may run of which nobody knows what it does with its words: what
 * begins at any of them, and what a text among them says. `chronic rm -rf x`, `su -c 'rm -rf x'`.
 */
export function rulesWithin(
  command: SimpleCommand,
  { named }: NamedRules<CommandRule>,
  readCommand: ReadCommand,
): ReadonlySet<CommandRule> {
  const found = new Set<CommandRule>();
  const tightening = (name: string) =>
    named.get(baseName(name))?.filter(({ effect }) => effect !== "allow") ?? [];
  let looks = 0;
  for (const { name, toCommand } of commandsWithin(command, readCommand))
    for (const rule of tightening(name)) {
      looks += 1;
      if (looks > maxLooks || matchLoosely(rule.pattern, toCommand()) !== "no") found.add(rule);
    }
  return found;
}

/** Where so many words are names of denied programs, nobody looks further which of them is one: all may be. */
const maxLooks = 200;

interface InnerCommand {
  readonly name: string;
  toCommand(): SimpleCommand;
}

function* commandsWithin(command: SimpleCommand, readCommand: ReadCommand): Iterable<InnerCommand> {
  const { program, words } = command;
  if (harm(ownRisk(command)) < harm("execute") || program === "git") return;
  const first = words.findIndex(({ value }, place) => place > 0 && !value?.startsWith("-"));
  for (const [place, { value }] of words.entries()) {
    if (place === 0 || value === undefined) continue;
    if (/\s/.test(value)) {
      for (const inner of readCommand(value).commands) {
        const name = inner.words[0]?.value;
        if (name !== undefined) yield { name, toCommand: () => inner };
      }
    } else if (place !== first || program === undefined || !subcommands.has(program))
      yield { name: value, toCommand: () => ({ ...command, words: words.slice(place) }) };
  }
}

/** Programs whose first operand is a word of their own, `rm` for example. */
const subcommands: ReadonlySet<string> = new Set(
  "apt apt-get aws brew bun cargo conda docker dotnet flatpak gcloud gem gh go helm hg kubectl npm pip pnpm podman poetry snap svn systemctl terraform uv yarn".split(
    " ",
  ),
);
