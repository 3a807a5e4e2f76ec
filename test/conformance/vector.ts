import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PolicyMode } from "../../src/policy/policy.ts";

/** One table of calls: `<dialect>/<topic>.json`. */
interface VectorFile {
  readonly dialect: string;
  readonly vectors: readonly Vector[];
}

/** Calls in a temporary workspace, one after the other, each with the whole expected answer. */
export interface Vector {
  /** A sentence about behaviour. */
  readonly name: string;
  /** It waits for seconds, so `npm test` leaves it out. */
  readonly slow?: true;
  /** The workspace at the start; a name that ends in `/` is a folder. */
  readonly workspace?: Readonly<Record<string, Entry>>;
  /** The workspace is a git repository in which everything is committed. */
  readonly git?: boolean;
  /** The mode. Default: `yolo`, which never asks. */
  readonly mode?: PolicyMode;
  readonly rules?: readonly string[];
  /** The only tools of the instance. */
  readonly tools?: readonly string[];
  /** The instance has agents, which answer as `agents.ts` describes. */
  readonly agents?: true;
  readonly calls: readonly VectorCall[];
  /** The entries that differ at the end; null for one that no longer exists. */
  readonly after?: Readonly<Record<string, Entry>>;
  /** Why an answer is not compared as a whole. */
  readonly why?: string;
  /** Why it does not pass yet. The run fails once it passes: then remove this field. */
  readonly fails?: string;
}

/** A text, a folder or nothing (null), bytes, a link, or a text with its properties. */
export type Entry =
  | string
  | null
  | { readonly base64: string }
  | { readonly link: string }
  | {
      readonly text: string;
      /** Permissions: `755`. */
      readonly mode?: string;
      /** The modification time in ISO 8601. */
      readonly modified?: string;
    };

interface VectorCall {
  readonly tool: string;
  readonly input: unknown;
  readonly answer: ExpectedAnswer;
}

/** An answer with one text, or one of several texts where the order is not guaranteed. */
interface ExpectedAnswer extends Omit<Answer, "content"> {
  readonly content: string | readonly string[];
}

/** The part of a result that the model sees. */
export interface Answer {
  readonly content: string;
  readonly isError: boolean;
  /** Media types of the images. Default: none. */
  readonly images?: readonly string[];
}

export interface NamedVector extends Vector {
  readonly dialect: string;
  /** `omega/edit: edit replaces the first occurrence` */
  readonly title: string;
}

/** All published vectors, or those of one dialect. */
export function readVectors(dialect = "*"): readonly NamedVector[] {
  return globSync(`${dialect}/*.json`, { cwd: import.meta.dirname })
    .filter((path) => !path.startsWith("sentences"))
    .sort()
    .flatMap((path) => {
      const file: VectorFile = JSON.parse(
        readFileSync(join(import.meta.dirname, path), "utf8"),
        (_, value) => (typeof value === "string" ? repeated(value) : value),
      );
      const topic = path.slice(0, -".json".length);
      return file.vectors.map((vector) => ({
        ...vector,
        dialect: file.dialect,
        title: `${topic}: ${vector.name}`,
      }));
    });
}

/** `{{3 of ab}}` is "ababab". */
function repeated(text: string): string {
  return text.replace(/\{\{(\d+) of ([^}]+)\}\}/g, (_, count, each) => each.repeat(Number(count)));
}
