import type { Environment } from "../../contract/environment.ts";
import { type UndoLimits, undoLimits } from "../../contract/history.ts";
import { overrideEnvironment } from "../../lib/override-environment.ts";
import type { Blobs } from "../blobs.ts";
import type { Journal } from "../journal.ts";
import { BeforeImages } from "./before-images.ts";
import { CallChanges, keepChanges } from "./keep-changes.ts";
import { keepDeletion, keepMove, keepWrite } from "./keep-entries.ts";

export interface KeepingParts {
  readonly callId: string;
  readonly journal: Pick<Journal, "change">;
  readonly blobs: Blobs;
  readonly limits?: Partial<UndoLimits>;
}

/** An environment, and the effects that an undo of its changes does not revert. */
export interface KeepingEnvironment extends Environment {
  readonly notKept: readonly string[];
}

/**
 * Stores the content that a call replaces or removes, and records each change before it is made, so that the records
 * are complete even after a crash. A failed change leaves a record without effect.
 */
export function keepingEnvironment(environment: Environment, parts: KeepingParts): KeepingEnvironment {
  const images = new BeforeImages(environment, parts.blobs, { ...undoLimits, ...parts.limits });
  const record = new CallChanges(environment, parts.journal, parts.callId);
  const kept = { images, record };
  return overrideEnvironment<Pick<KeepingEnvironment, "notKept">>(environment, {
    get notKept() {
      return images.lost;
    },
    readFile: async (path, options) => {
      // The content is remembered, so it must not be in a buffer that the caller uses again.
      const content = await environment.readFile(path, { ...options, into: undefined });
      images.remember(path, content.bytes);
      return content;
    },
    writeFile: (path, content, options = {}) => keepWrite(environment, path, content, options, kept),
    delete: (path, options = {}) => keepDeletion(environment, path, options, kept),
    move: (from, to, options = {}) => keepMove(environment, from, to, options, kept),
    change: (changes, options = {}) => keepChanges(environment, changes, options, kept),
    changeEntry: (path, change, options = {}) =>
      environment.changeEntry(path, change, {
        announce: (effects) => {
          record.record([{ path: record.nameOf(path), ...change }]);
          return options.announce?.(effects);
        },
      }),
  });
}
