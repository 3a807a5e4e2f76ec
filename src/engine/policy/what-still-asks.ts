import type { SimpleCommand } from "./commands/command.ts";
import { gitSubcommandAt, programName } from "./commands/spellings.ts";

type Named = Pick<SimpleCommand, "program" | "words">;

/**
 * Returns what a command would reach that no sandbox on this machine holds and no undo covers: another program's service,
 * an account elsewhere, what was published; undefined for every other command. The list is short and closed: it makes
 * questions come early, and is not a boundary.
 */
export function reachOf({ program, words }: Named): string | undefined {
  const values = words.map(({ value }) => value ?? "");
  const name = programName(program ?? values[0]!.slice(values[0]!.lastIndexOf("/") + 1));
  const always = services.get(name);
  if (always !== undefined)
    return values.length === 2 && /^--(?:help|version)$/.test(values[1]!) ? undefined : always;
  const subcommands = publishers.get(name);
  if (subcommands === undefined) return undefined;
  // Which options take a value differs by program, so any word may be the subcommand.
  const candidates = name === "git" ? [values[gitSubcommandAt(values) ?? 0]!] : values.slice(1);
  return candidates.some((value) => subcommands.has(value)) ? "other machines" : undefined;
}

const services: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "the container engine": "docker podman nerdctl docker-compose",
    "a cluster": "kubectl helm oc k9s kustomize",
    "services of this machine": "systemctl service launchctl crontab at batch",
    "an account elsewhere": "gh glab hub aws gcloud az doctl flyctl heroku vercel netlify wrangler firebase",
    infrastructure: "terraform tofu pulumi ansible ansible-playbook",
    "another machine": "ssh scp sftp mosh",
  }).flatMap(([reach, names]) => names.split(" ").map((name) => [name, reach] as const)),
);

const publishers: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    npm: "publish unpublish deprecate dist-tag owner access",
    pnpm: "publish",
    yarn: "publish",
    bun: "publish",
    cargo: "publish yank owner",
    poetry: "publish",
    uv: "publish",
    hatch: "publish",
    twine: "upload",
    gem: "push yank",
    mvn: "deploy",
    git: "push",
  }).map(([name, subcommands]) => [name, new Set(subcommands.split(" "))]),
);

/** Returns what a git command would destroy of git's own state, which undo does not keep; undefined for nothing. */
export function gitLossOf({ program, words }: Named): string | undefined {
  if (program !== "git") return undefined;
  const values = words.map(({ value }) => value ?? "-");
  const at = gitSubcommandAt(values);
  if (at === undefined) return undefined;
  if (values[at] === "branch" && forgetsBranch(values.slice(at + 1))) return "git forgets the branch";
  const given = values.slice(at).join(" ");
  return losses.find(([pattern]) => pattern.test(given))?.[1];
}

const losses: readonly (readonly [RegExp, string])[] = [
  [/^stash (?:clear|drop)\b/, "git forgets the stashed changes"],
  [/^gc\b.* --prune|^prune\b|^reflog (?:expire|delete)\b/, "git forgets commits that no branch has"],
  [/^clean\b.* -[a-zA-Z]*[xX]/, "it deletes ignored files"],
  [/^(?:filter-branch|update-ref)\b/, "git forgets commits"],
];

/** Whether `git branch` deletes a branch whose commits no other one may have: `-D`, `-df`, `--delete --force`. */
function forgetsBranch(words: readonly string[]): boolean {
  const letters = words.flatMap((word) => (/^-[a-zA-Z]/.test(word) ? [...word] : []));
  const isGiven = (letter: string, name: string) =>
    letters.includes(letter) || words.some((word) => /^--[a-z]/.test(word) && name.startsWith(word.slice(2)));
  return letters.includes("D") || (isGiven("d", "delete") && isGiven("f", "force"));
}

/**
 * Whether a command passes its standard input to what it reaches, which runs it: `ssh host`, `docker exec -i web sh`,
 * `kubectl apply -f -`. The words of such a command say nothing about what runs.
 */
export function passesInput(command: SimpleCommand): boolean {
  if (reachOf(command) === undefined) return false;
  const values = command.words.map(({ value }) => value ?? "");
  const operands = values.filter(
    (value, at) => !value.startsWith("-") && !sshValue.test(values[at - 1] ?? ""),
  );
  if (/(?:^|\/)ssh$/.test(operands[0] ?? "") && operands.length <= 2) return true;
  const last = values.at(-1)!;
  return inputs.test(last) || shells.test(last.slice(last.lastIndexOf("/") + 1));
}

const sshValue = /^-[a-zA-Z0-9]*[BbcDEeFIiJLlmOopQRSWw]$/;
const inputs = /^(?:-|-s|\/dev\/stdin|\/(?:dev|proc\/self)\/fd\/\d+)$/;
const shells =
  /^(?:(?:ba|da|a|z|k|fi|c|tc)?sh|pwsh|node|python[\d.]*|perl|ruby|php|psql|mysql|sqlite3|mongosh|redis-cli)$/;
