import type { SimpleCommand } from "../commands/analysis.ts";
import type { ReadCommand } from "../parts.ts";
import type { CommandRule, NamedRules } from "./compile-policy.ts";
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
  for (const inner of commandsWithin(command, (name) => tightening(name).length > 0, readCommand))
    for (const rule of tightening(inner.words[0]!.value!))
      if (matchLoosely(rule.pattern, inner) !== "no") found.add(rule);
  return found;
}

function* commandsWithin(
  command: SimpleCommand,
  matters: (name: string) => boolean,
  readCommand: ReadCommand,
): Iterable<SimpleCommand> {
  const { program, words } = command;
  if (harm(ownRisk(command)) < harm("execute") || program === "git") return;
  const first = words.findIndex(({ value }, place) => place > 0 && !value?.startsWith("-"));
  let left = maxLooks;
  for (const [place, { value }] of words.entries()) {
    if (place === 0 || value === undefined || left === 0) continue;
    if (/\s/.test(value)) {
      left -= 1;
      for (const inner of readCommand(value).commands)
        if (inner.words[0]?.value !== undefined && matters(inner.words[0].value)) yield inner;
    } else if (matters(value)) {
      left -= 1;
      const isOwn = place === first && program !== undefined && subcommands.has(program);
      if (!isOwn) yield { ...command, words: words.slice(place) };
    }
  }
}

/** Nobody hides one command among so many others in the words of a program. */
const maxLooks = 20;

/** Programs whose first operand is a word of their own, `rm` for example. */
const subcommands: ReadonlySet<string> = new Set(
  "apt apt-get aws brew bun cargo conda docker dotnet flatpak gcloud gem gh go helm hg kubectl npm pip pnpm podman poetry snap svn systemctl terraform uv yarn".split(
    " ",
  ),
);
