import type { ErrorCode } from "../../contract/error.ts";
import { isRecord } from "../../lib/json/is-record.ts";

// The lines of JSON between a client and the program `attach` on the target, before the frames of the channel begin. Every
// line of the target begins with the marker that the client has chosen, because login scripts may print lines of their own.

export type AttachRequest = ListRequest | StopRequest | CleanRequest | SessionRequest;

interface SessionRequest {
  readonly kind: "session";
  readonly session: string;
  /** Whether to start a server when the session has none. */
  readonly mayStart: boolean;
  /** Default: the current directory. */
  readonly directory?: string | undefined;
  /** Which sandbox commands need. */
  readonly sandbox?: string | undefined;
  /** Whether the workspace is a temporary one that `doctor` attacks, instead of a directory. */
  readonly isLab?: boolean | undefined;
  /** Names the client in the list of sessions. */
  readonly client: string;
  /** The server program. */
  readonly server: Upload;
  /** ripgrep for this platform, when the target has none. */
  readonly ripgrep?: (Upload & { readonly platform: string }) | undefined;
  readonly idle: IdleLimits;
}

interface ListRequest {
  readonly kind: "list";
}

interface StopRequest {
  readonly kind: "stop";
  /** Default: all sessions. */
  readonly sessions?: readonly string[] | undefined;
  /** Whether to leave sessions alone whose client is connected. */
  readonly sparesAttached?: boolean | undefined;
}

interface CleanRequest {
  readonly kind: "clean";
}

/** A file that is sent unless the target has it. */
interface Upload {
  readonly sha256: string;
}

/** After how long a server ends by itself. */
export interface IdleLimits {
  /** Without a client, when nothing runs. */
  readonly idleMs: number;
  /** Without a client, while its processes run. */
  readonly busyMs: number;
  /** After how long without a sign of life a client counts as gone, though its connection is open. */
  readonly silentMs: number;
}

/** The answers to a request, in this order; those to `list`, `stop` and `clean` are `left`. */
export type AttachAnswer =
  /** The client sends a line with the `sizes` of these files, and the files, compressed by gzip. */
  | { readonly kind: "needs"; readonly files: readonly ("server" | "ripgrep")[] }
  /** These files have arrived. */
  | { readonly kind: "received" }
  /** The frames follow. */
  | { readonly kind: "ready" }
  | { readonly kind: "left"; readonly left: LeftOnTarget }
  /** The server of the session no longer runs. */
  | { readonly kind: "gone" }
  | { readonly kind: "failed"; readonly code: ErrorCode; readonly message: string };

/** Everything that Toolcrib has stored or runs on a target. */
export interface LeftOnTarget {
  readonly folder: string;
  readonly sessions: readonly SessionRecord[];
  /** Files by name, such as `servers/1a2b….cjs`. */
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
}

/** A server that runs on a target. */
export interface SessionRecord {
  readonly session: string;
  readonly pid: number;
  readonly workspace: string;
  readonly client: string;
  readonly startedAt: string;
  /** Whether its client is connected. */
  readonly isAttached: boolean;
  /** How many processes it has started that still run. */
  readonly running: number;
}

/** Checks a list of what is left on a target, which may be hostile; undefined when it is not one. */
export function parseLeft(value: unknown): LeftOnTarget | undefined {
  if (!isRecord(value) || !Array.isArray(value.sessions) || !Array.isArray(value.files)) return undefined;
  return {
    folder: textIn(value.folder),
    sessions: value.sessions.filter(isRecord).map((one) => ({
      ...{ session: textIn(one.session), pid: countIn(one.pid), workspace: textIn(one.workspace) },
      ...{ client: textIn(one.client), startedAt: textIn(one.startedAt) },
      ...{ isAttached: one.isAttached === true, running: countIn(one.running) },
    })),
    files: value.files
      .filter(isRecord)
      .map(({ name, bytes }) => ({ name: textIn(name), bytes: countIn(bytes) })),
  };
}

/** Returns a text of a target, which may have sent another value. `String` throws for some objects. */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "?";
}

function countIn(value: unknown): number {
  return Number.isSafeInteger(value) ? (value as number) : 0;
}
