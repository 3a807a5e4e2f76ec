import { ToolError } from "../../contract/error.ts";
import type { Checkpoint } from "../../contract/history.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { Journal } from "../journal.ts";

/** A named position in the journal. */
interface CheckpointRecord {
  readonly name: string;
  readonly at: number;
  readonly sequence: number;
}

export function setCheckpoint(journal: Journal, wanted: string | undefined): Checkpoint {
  const checkpoints = checkpointsIn(journal);
  const name = wanted ?? freeName(checkpoints);
  if (!/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,79}$/u.test(name))
    throw new ToolError("invalid-input", `Invalid checkpoint name: ${JSON.stringify(name)}`, {
      hint: "Use up to 80 letters, digits, spaces, dots, dashes and underscores, starting with a letter or digit.",
    });
  if (checkpoints.some((checkpoint) => checkpoint.name === name))
    throw new ToolError("already-exists", `The checkpoint "${name}" already exists`, {
      hint: "Use another name, or omit it.",
    });
  journal.append(kind, { name });
  return { name, at: Date.now(), callsSince: 0 };
}

export function listCheckpoints(journal: Journal): readonly Checkpoint[] {
  const checkpoints = checkpointsIn(journal);
  const changes = journal.changesAfter(checkpoints[0]?.sequence ?? 0);
  return checkpoints.map(({ name, at, sequence }) => {
    const later = changes.filter((change) => change.sequence > sequence);
    return { name, at, callsSince: new Set(later.map(({ callId }) => callId)).size };
  });
}

export function findCheckpoint(journal: Journal, name: string): number {
  const checkpoints = checkpointsIn(journal);
  const found = checkpoints.find((checkpoint) => checkpoint.name === name);
  if (found) return found.sequence;
  const suggestion = nearest(
    name,
    checkpoints.map((checkpoint) => checkpoint.name),
  );
  throw new ToolError("not-found", `No checkpoint is named "${name}"`, {
    hint:
      suggestion === undefined
        ? "List the checkpoints with journal.checkpoint and `list: true`."
        : `Did you mean "${suggestion}"?`,
    forUser:
      suggestion === undefined ? { hint: "To list the checkpoints, run: toolcrib checkpoint list" } : {},
  });
}

function checkpointsIn(journal: Journal): readonly CheckpointRecord[] {
  return journal
    .records(kind)
    .map(({ at, sequence, body }) => ({ ...(body as { name: string }), at, sequence }));
}

/** Returns a number that no checkpoint has in any process. */
function freeName(checkpoints: readonly CheckpointRecord[]): string {
  const names = new Set(checkpoints.map(({ name }) => name));
  let number = checkpoints.length + 1;
  while (names.has(`checkpoint-${number}`)) number += 1;
  return `checkpoint-${number}`;
}

const kind = "checkpoint";
