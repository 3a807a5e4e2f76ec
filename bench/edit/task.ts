export type Form = "edit" | "v4a" | "udiff";

export interface Edit {
  readonly find: string;
  readonly replace: string;
  readonly all?: boolean;
  readonly expectCount?: number;
}

/** A model's call. */
export type Call =
  | { readonly form: "edit"; readonly path: string; readonly edits: readonly Edit[] }
  | { readonly form: "v4a" | "udiff"; readonly text: string };

/**
 * - clean: nothing is wrong with the call;
 * - damaged: the call has a mistake that models make, and one right answer;
 * - either: the right answer or a refusal will do;
 * - refuse: nothing may be applied.
 */
export type Category = "clean" | "damaged" | "either" | "refuse";

export interface TaskFile {
  readonly path: string;
  /** Undefined when there is no such file. */
  readonly before: Uint8Array | undefined;
  /** The expected content, byte for byte. Missing where refusing is the only right answer. */
  readonly after: Uint8Array | undefined;
}

export interface Task {
  readonly id: number;
  readonly category: Category;
  /** The kind of mistake, or of edit. */
  readonly kind: string;
  readonly form: Form;
  /** The package, versions and path that the edit was taken from. */
  readonly source: string;
  readonly call: Call;
  readonly files: readonly TaskFile[];
}

/** An engine's result: every file that it would write, undefined for one that it would delete. */
export type Answer = ReadonlyMap<string, Uint8Array | undefined> | Refusal;

export class Refusal {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** An engine that applies calls to files. */
export interface Engine {
  readonly name: string;
  readonly forms: readonly Form[];
  apply(call: Call, files: ReadonlyMap<string, Uint8Array>): Promise<Answer> | Answer;
  close?(): void;
}
