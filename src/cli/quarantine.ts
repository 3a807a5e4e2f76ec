import { realpathSync } from "node:fs";
import { ToolError } from "../contract/error.ts";
import { acceptChanges } from "../engine/sandbox/accepted-changes.ts";
import { type HeldBack, type HeldItem, toHeldItem } from "../engine/sandbox/held-back.ts";
import { type HeldEntry, Quarantine } from "../engine/sandbox/quarantine.ts";
import { counted } from "../lib/text/format-quantity.ts";
import { nearest } from "../lib/text/nearest.ts";
import { printable, printableLine } from "../lib/text/printable.ts";
import { recordFolders } from "../sandbox/restore-abandoned.ts";
import { userDirectories, workspaceFiles } from "../system/directories.ts";
import { confirm, refuseProgramsOfTools, untilQuiet } from "./approvals/ask-on-terminal.ts";
import type { Arguments } from "./command.ts";
import { interruptible } from "./interruption.ts";
import { workspaceIdOf } from "./options.ts";
import { refuseOperands } from "./parse-arguments.ts";
import { printJson } from "./report.ts";
import { canAsk, layTable, print, remark, toLocalTime } from "./terminal.ts";

/** The quarantine of one workspace. */
interface Opened {
  readonly workspace: string;
  readonly folder: string;
  readonly quarantine: Quarantine;
}

export async function listHeld({ options, operands }: Arguments): Promise<number> {
  refuseOperands(operands, { name: "quarantine list" });
  const { workspace, quarantine } = open(options);
  const items = quarantine.list().map((held) => toHeldItem(held, workspace));
  if (options.has("json")) printJson(items);
  else if (items.length === 0) remark("Nothing was held back.\n");
  else print(layTable(items.map(toRow)));
  return 0;
}

export async function showHeld({ options, operands }: Arguments): Promise<number> {
  const { workspace, quarantine } = open(options);
  const held = heldBy(operands, quarantine, "show");
  const entries = quarantine.show(held);
  if (options.has("json")) printJson({ ...toHeldItem(held, workspace), entries });
  else print(describe(held, entries, workspace));
  return 0;
}

export async function allowHeld({ options, operands }: Arguments): Promise<number> {
  refuseProgramsOfTools("allow what was held back");
  const { workspace, folder, quarantine } = open(options);
  const held = heldBy(operands, quarantine, "allow");
  if (!options.has("yes")) await ask(describe(held, quarantine.show(held), workspace), options);
  quarantine.allow(held);
  acceptChanges(folder, [held.path]);
  const item = toHeldItem(quarantine.find(held.id) ?? held, workspace);
  if (options.has("json")) printJson(item);
  else print(`${printableLine(item.path)} is in place.\n`);
  return 0;
}

async function ask(description: string, options: Arguments["options"]): Promise<void> {
  if (!canAsk(options))
    throw new ToolError("needs-approval", "There is no terminal to ask for confirmation", {
      hint: "Look at it with `toolcrib quarantine show`, then add --yes.",
    });
  remark(description);
  const isAllowed = await interruptible(async (signal) => {
    await untilQuiet(signal);
    return confirm("Put it in place?", signal);
  });
  if (!isAllowed) throw new ToolError("denied", "It is still held back");
}

function open(options: Arguments["options"]): Opened {
  const workspace = workspaceIdOf(options);
  const { held, quarantine } = recordFolders(workspaceFiles(userDirectories().state, workspace).sandbox);
  const real = realpathSync.native(workspace);
  return {
    workspace: real,
    folder: held,
    quarantine: new Quarantine({ folder: quarantine, workspace: real }),
  };
}

function heldBy([id, ...others]: readonly string[], quarantine: Quarantine, name: string): HeldBack {
  refuseOperands(others, { name: `quarantine ${name}` });
  const held = id === undefined ? undefined : quarantine.find(id);
  if (held !== undefined) return held;
  const near = nearest(
    id ?? "",
    quarantine.list().map((one) => one.id),
  );
  throw new ToolError("not-found", `Nothing with the id ${printableLine(id ?? "(none)")} is held back`, {
    hint: near ? `Did you mean ${near}?` : "List what is held back: toolcrib quarantine list",
  });
}

function toRow({ id, path, heldAt, allowedAt, rule }: HeldItem): readonly string[] {
  return [id, toLocalTime(heldAt), printableLine(path), allowedAt === null ? printableLine(rule) : "allowed"];
}

function describe(held: HeldBack, entries: readonly HeldEntry[], workspace: string): string {
  const { path, isBack, rule } = toHeldItem(held, workspace);
  const back = isBack ? " The file from before is back at its path." : "";
  const lines = [
    `${printableLine(path)} was held back on ${toLocalTime(held.heldAt)}.${back}`,
    `It waits in ${printableLine(held.at)}`,
    `Rule that allows it in every command: ${printableLine(rule)}`,
    "",
    ...entries.slice(0, mostShown).flatMap((entry) => showEntry(entry, path)),
    ...(entries.length > mostShown
      ? [`… and ${counted(entries.length - mostShown, "entry", "entries")} more`]
      : []),
  ];
  return `${lines.join("\n")}\n`;
}

const mostShown = 20;

function showEntry({ path, kind, target, text }: HeldEntry, top: string): readonly string[] {
  const name = printableLine(path === "" ? top : `${top}/${path}`);
  if (kind === "directory") return [];
  if (kind === "link") return [`${name} -> ${printableLine(target ?? "")}`];
  if (kind === "other") return [`${name} (not a file)`];
  if (text === null) return [`${name} (no text, or large)`];
  const lines = text.replace(/\n$/, "").split("\n");
  return [name, ...lines.map((line) => `  | ${printable(line)}`)];
}
