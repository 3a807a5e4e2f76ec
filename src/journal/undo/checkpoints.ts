import { ToolError } from "../../contract/error.ts";
import type { Checkpoint } from "../../contract/history.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { Journal } from "../journal.ts";

/** A named place in the journal; the latest of a name counts. */
interface Place {
  readonly name: string;
  readonly at: number;
  readonly sequence: number;
}

export function setCheckpoint(journal: Journal, wanted: string | undefined): Checkpoint {
  const places = placesIn(journal);
  const name = wanted ?? freeName(places);
  if (!/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,79}$/u.test(name))
    throw new ToolError("invalid-input", `${JSON.stringify(name)} cannot be the name of a checkpoint`, {
      hint: "Take up to 80 letters, digits, spaces, dots, dashes and underscores, a letter or digit first.",
    });
  if (places.some((place) => place.name === name))
    throw new ToolError("already-exists", `There is a checkpoint "${name}" already`, {
      hint: "Choose another name, or none.",
    });
  journal.append(kind, { name });
  return { name, at: Date.now(), callsSince: 0 };
}

export function listCheckpoints(journal: Journal): readonly Checkpoint[] {
  const places = placesIn(journal);
  const changes = journal.changesAfter(places[0]?.sequence ?? 0);
  return places.map(({ name, at, sequence }) => {
    const later = changes.filter((change) => change.sequence > sequence);
    return { name, at, callsSince: new Set(later.map(({ callId }) => callId)).size };
  });
}

/** Where in the journal a checkpoint stands. */
export function findCheckpoint(journal: Journal, name: string): number {
  const places = placesIn(journal);
  const found = places.find((place) => place.name === name);
  if (found) return found.sequence;
  const meant = nearest(
    name,
    places.map((place) => place.name),
  );
  throw new ToolError("not-found", `There is no checkpoint "${name}"`, {
    hint: meant === undefined ? "List them: toolcrib checkpoint list." : `Did you mean "${meant}"?`,
  });
}

function placesIn(journal: Journal): readonly Place[] {
  return journal
    .records(kind)
    .map(({ at, sequence, body }) => ({ ...(body as { name: string }), at, sequence }));
}

/** Numbers go on, whatever process sets them: one that is taken is never given again. */
function freeName(places: readonly Place[]): string {
  const names = new Set(places.map(({ name }) => name));
  let number = places.length + 1;
  while (names.has(`checkpoint-${number}`)) number += 1;
  return `checkpoint-${number}`;
}

const kind = "checkpoint";
