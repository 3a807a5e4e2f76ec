import { Random } from "../data/random.ts";
import { applyChanges, type Change, type Document, encodeDocument } from "./document.ts";
import { cutHunks, endOf, type Hunk } from "./hunk.ts";
import type { Modification } from "./modifications.ts";
import { isAlone, misleads } from "./oracle.ts";
import type { Call, Category, Edit, Form, Task, TaskFile } from "./task.ts";
import { writeCall } from "./write-call.ts";

/** A task under construction: the truth (document and changes), and the content of the call (hunks and rewrites). */
export interface Draft {
  readonly form: Form;
  readonly path: string;
  readonly document: Document;
  readonly changes: readonly Change[];
  readonly hunks: readonly Hunk[];
  /** Functions applied to the written text, in order: to a whole patch, or to `find` and `replace` of each edit. */
  readonly rewrites: readonly Rewrite[];
}

export type Role = "patch" | "find" | "replace";

/** `index` counts the edits of a call from 0. */
export type Rewrite = (text: string, role: Role, index: number) => string;

/** Makes one mistake, in the file or in the call; returns undefined where it is impossible. */
export type Damage = (draft: Draft, random: Random) => Draft | undefined;

/** Makes a modification fit a class, or returns undefined. */
export type Shape = (modification: Modification, random: Random) => Modification | undefined;

export type TaskParts = Pick<Task, "call" | "files">;

export interface TaskClass {
  readonly kind: string;
  readonly category: Category;
  readonly forms: readonly Form[];
  make(given: Modification, form: Form, random: Random, other: () => Modification): TaskParts | undefined;
}

export const allForms: readonly Form[] = ["edit", "v4a", "udiff"];
export const patchForms: readonly Form[] = ["v4a", "udiff"];

export interface DamagedClass {
  readonly kind: string;
  readonly category?: Category;
  readonly forms?: readonly Form[];
  readonly shape?: Shape;
  /** The minimum number of lines around a change. Default: three in patches, one in edits. */
  readonly context?: number;
  readonly damage: readonly Damage[];
}

/** A class of calls that have one mistake or more, and still one right answer. */
export function damagedClass({ kind, category, forms, shape, context, damage }: DamagedClass): TaskClass {
  return {
    kind,
    category: category ?? "damaged",
    forms: forms ?? allForms,
    make(given, form, random) {
      const modification = shape ? shape(given, random) : given;
      let draft = modification && draftOf(modification, form, context ?? (form === "edit" ? 1 : 3));
      for (const damageOnce of damage) draft = draft && damageOnce(draft, random);
      if (!draft || !hasOneAnswer(draft)) return undefined;
      return { call: writeDraft(draft), files: [fileOf(draft)] };
    },
  };
}

export function draftOf(modification: Modification, form: Form, context: number): Draft | undefined {
  const { path, document, changes } = modification;
  const isUnique = (text: Document, from: number, to: number) => isAlone(text, from, to, form);
  const hunks = cutHunks(document, changes, { context, isUnique });
  return hunks && { form, path, document, changes, hunks, rewrites: [] };
}

function hasOneAnswer({ form, document, changes, hunks }: Draft): boolean {
  return (
    hunks.every((hunk) => isAlone(document, hunk.at, endOf(hunk), form)) &&
    !misleads(document, changes, hunks, form)
  );
}

export function writeDraft({ form, path, document, hunks, rewrites }: Draft): Call {
  return rewriteCall(writeCall(form, path, document, hunks), rewrites);
}

export function rewriteCall(call: Call, rewrites: readonly Rewrite[]): Call {
  const rewrite = (text: string, role: Role, index: number) =>
    rewrites.reduce((current, change) => change(current, role, index), text);
  if (call.form !== "edit") return { ...call, text: rewrite(call.text, "patch", 0) };
  const rewriteEdit = (edit: Edit, index: number) => ({
    ...edit,
    find: rewrite(edit.find, "find", index),
    replace: rewrite(edit.replace, "replace", index),
  });
  return { ...call, edits: call.edits.map(rewriteEdit) };
}

export function fileOf({ path, document, changes }: Pick<Draft, "path" | "document" | "changes">): TaskFile {
  return {
    path,
    before: encodeDocument(document),
    after: encodeDocument(applyChanges(document, changes)),
  };
}

/** Damage in the written text only. It must change every patch, and the text to find of every edit. */
export function rewriting(rewrite: (text: string, role: Role, random: Random) => string): Damage {
  return (draft, random) => {
    // Decided once per call, so that find and replace have the same damage.
    const seed = random.below(2 ** 31);
    const again: Rewrite = (text, role) => rewrite(text, role, new Random(seed));
    const written = writeDraft(draft);
    const hasEffect =
      written.form === "edit"
        ? written.edits.every(({ find }, index) => again(find, "find", index) !== find)
        : again(written.text, "patch", 0) !== written.text;
    return hasEffect ? { ...draft, rewrites: [...draft.rewrites, again] } : undefined;
  };
}
