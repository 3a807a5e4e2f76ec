import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Mode } from "../../src/policy/policy.ts";

/** One table of calls: `<dialect>/<topic>.json`. */
interface VectorFile {
  readonly dialect: string;
  readonly vectors: readonly Vector[];
}

/** Calls in a workspace of their own, one after the other, with the whole answer that each must get. */
export interface Vector {
  /** A sentence about behaviour. */
  readonly name: string;
  /** What lies in the workspace before; a name that ends in `/` is a folder. */
  readonly workspace?: Readonly<Record<string, Entry>>;
  /** The workspace is a git repository in which all of it is committed. */
  readonly git?: boolean;
  /** How much is asked; `yolo` if not said: nothing. */
  readonly mode?: Mode;
  readonly rules?: readonly string[];
  /** The only tools of the fixture. */
  readonly tools?: readonly string[];
  /** The room has agents, which answer as `agents.ts` says. */
  readonly agents?: true;
  readonly calls: readonly VectorCall[];
  /** What lies in the workspace afterwards otherwise than before; null for what is gone. */
  readonly after?: Readonly<Record<string, Entry>>;
  /** Why an answer is not compared whole. */
  readonly why?: string;
}

/** A text, a folder or nothing (null), bytes, a link, or a text with more about it. */
export type Entry =
  | string
  | null
  | { readonly base64: string }
  | { readonly link: string }
  | {
      readonly text: string;
      /** Permissions: `755`. */
      readonly mode?: string;
      /** When it was last changed, as ISO 8601 says it. */
      readonly modified?: string;
    };

interface VectorCall {
  readonly tool: string;
  readonly input: unknown;
  readonly answer: ExpectedAnswer;
}

/** An answer whose content is one text, or one of several where the order is not promised. */
interface ExpectedAnswer extends Omit<Answer, "content"> {
  readonly content: string | readonly string[];
}

/** What a model gets to see of a call. */
export interface Answer {
  readonly content: string;
  readonly isError: boolean;
  /** Media types of the pictures; none if not said. */
  readonly images?: readonly string[];
}

export interface NamedVector extends Vector {
  readonly dialect: string;
  /** `omega/edit: edit replaces the first occurrence` */
  readonly title: string;
}

/** All that are published, or those of one dialect. */
export function readVectors(dialect = "*"): readonly NamedVector[] {
  return globSync(`${dialect}/*.json`, { cwd: import.meta.dirname })
    .filter((path) => !path.startsWith("sentences"))
    .sort()
    .flatMap((path) => {
      const file = JSON.parse(readFileSync(join(import.meta.dirname, path), "utf8")) as VectorFile;
      const topic = path.slice(0, -".json".length);
      return file.vectors.map((vector) => ({
        ...vector,
        dialect: file.dialect,
        title: `${topic}: ${vector.name}`,
      }));
    });
}
