import { ToolError } from "../../contract/error.ts";
import type { Checkpoint } from "../../contract/history.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { Journal } from "../journal.ts";

/** A named checkpoint in the journal; the latest of a name counts. */
interface CheckpointRecord {
  readonly name: string;
  readonly at: number;
  readonly sequence: number;
}

export function setCheckpoint(journal: Journal, wanted: string | undefined): Checkpoint {
  const checkpoints = checkpointsIn(journal);
  const name = wanted ?? freeName(checkpoints);
  if (!/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,79}$/u.test(name))
    throw new ToolError("invalid-input", `${JSON.stringify(name)} cannot be the name of a checkpoint`, {
      hint: "Take up to 80 letters, digits, spaces, dots, dashes and underscores, a letter or digit first.",
    });
  if (checkpoints.some((checkpoint) => checkpoint.name === name))
    throw new ToolError("already-exists", `There is a checkpoint "${name}" already`, {
      hint: "Choose another name, or none.",
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

/** Where in the journal a checkpoint stands. */
export function findCheckpoint(journal: Journal, name: string): number {
  const checkpoints = checkpointsIn(journal);
  const found = checkpoints.find((checkpoint) => checkpoint.name === name);
  if (found) return found.sequence;
  const suggestion = nearest(
    name,
    checkpoints.map((checkpoint) => checkpoint.name),
  );
  throw new ToolError("not-found", `There is no checkpoint "${name}"`, {
    hint: suggestion === undefined ? "List them: toolcrib checkpoint list." : `Did you mean "${suggestion}"?`,
  });
}

function checkpointsIn(journal: Journal): readonly CheckpointRecord[] {
  return journal
    .records(kind)
    .map(({ at, sequence, body }) => ({ ...(body as { name: string }), at, sequence }));
}

/** Numbers go on, whatever process sets them: one that is taken is never given again. */
function freeName(checkpoints: readonly CheckpointRecord[]): string {
  const names = new Set(checkpoints.map(({ name }) => name));
  let number = checkpoints.length + 1;
  while (names.has(`checkpoint-${number}`)) number += 1;
  return `checkpoint-${number}`;
}

const kind = "checkpoint";
