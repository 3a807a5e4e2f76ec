import type { SimpleCommand } from "./commands/analysis.ts";

/** Whether a command reads the content of everything below the directories it is given. */
export function readsTrees({ program, words }: SimpleCommand): boolean {
  const options = program === undefined ? undefined : recursive[program];
  if (options === undefined) return false;
  return words.slice(1).some(({ value, text }) => options.test(value ?? text)) || options.test("");
}

/** How each is told to go down; those that always do match also nothing. */
const recursive: Readonly<Partial<Record<string, RegExp>>> = {
  ack: /^/,
  ag: /^/,
  cp: /^-[^-]*[rRa]|^--(?:rec|arc)/,
  diff: /^-[^-]*r|^--rec/,
  egrep: /^-[^-]*[rR]|^--(?:rec|deref)|^-[^-]*d/,
  fgrep: /^-[^-]*[rR]|^--(?:rec|deref)|^-[^-]*d/,
  grep: /^-[^-]*[rR]|^--(?:rec|deref|directories)|^-[^-]*d/,
  rg: /^/,
  rgrep: /^/,
  rsync: /^-[^-]*[ra]|^--(?:rec|arc)/,
  scp: /^-[^-]*r/,
  tar: /^-?[a-zA-Z]*[cru]|^--(?:create|append|update|concat|catenate)/,
  zip: /^-[^-]*r|^--recurse/,
};
