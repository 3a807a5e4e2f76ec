import type { CommandAccess, NotUnderstood, SimpleCommand } from "./analysis.ts";

/** Finds paths that may lead through a link that the command itself creates, so that their target is unknown. */
export function throughMadeLinks(commands: readonly SimpleCommand[]): NotUnderstood[] {
  const made: Made = { links: new Set(), trees: new Set() };
  return commands.flatMap((command) => {
    const found = command.accesses.filter((access) => {
      const path = pathOf(access, command);
      return path !== undefined && leadsThrough(path, made);
    });
    noteMade(command, made);
    return found.map(({ target }) => ({
      reason: "a path through something that this command creates",
      span: target.span,
    }));
  });
}

interface Made {
  readonly links: Set<string>;
  /** Copied, moved or unpacked entries, which may contain links. */
  readonly trees: Set<string>;
}

function noteMade(command: SimpleCommand, made: Made): void {
  const { program = "", words, accesses } = command;
  const isCopy =
    /^(?:mv|tar|unzip|git|rsync)$/.test(program) ||
    (program === "cp" && words.some(({ value }) => /^-\w*[adPR]|^--archive|^--no-deref/.test(value ?? "-a")));
  if (program !== "ln" && !isCopy) return;
  for (const access of accesses) {
    const path = access.kind === "write" ? pathOf(access, command) : undefined;
    if (path !== undefined) (program === "ln" ? made.links : made.trees).add(path);
  }
}

function leadsThrough(path: string, { links, trees }: Made): boolean {
  if (links.size + trees.size === 0) return false;
  if (links.has(path)) return true;
  for (let end = path.indexOf("/", 1); end > 0; end = path.indexOf("/", end + 1)) {
    const above = path.slice(0, end);
    if (links.has(above) || trees.has(above)) return true;
  }
  return false;
}

/** Returns the path relative to the start directory of the whole command; undefined if that is unknown. */
function pathOf({ kind, target }: CommandAccess, { directory }: SimpleCommand): string | undefined {
  if (kind === "network" || target.value === undefined || directory === undefined) return undefined;
  const whole =
    target.value.startsWith("/") || directory === "" ? target.value : `${directory}/${target.value}`;
  const names: string[] = [];
  for (const name of whole.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return `${whole.startsWith("/") ? "/" : ""}${names.join("/")}`;
}
