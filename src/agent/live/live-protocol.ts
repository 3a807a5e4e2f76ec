import { closeSync, constants, lstatSync, openSync, readdirSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { ToolError } from "../../contract/error.ts";
import { fingerprint } from "../../lib/bytes/content-hash.ts";
import { isRecord } from "../../lib/json/is-record.ts";
import { tryParseJson } from "../../lib/json/try-parse-json.ts";
import type { Usage } from "../../models/model.ts";
import { attempt } from "../../system/attempt.ts";
import type { ClientInfo } from "../../toolcrib/index.ts";
import type { ContextUse, SessionState } from "../event.ts";
import type { AgentNode } from "../session.ts";

// An open session listens on a Unix socket, so that other programs of the same user can watch and steer it. Both sides
// send one JSON object per line.

/** The first message of a session: what it is and what it does now. */
export interface LiveHello {
  readonly type: "hello";
  readonly session: string;
  readonly pid: number;
  /** The real path. */
  readonly workspace: string;
  readonly client: ClientInfo;
  readonly state: SessionState;
  readonly model: string;
  readonly mode: string;
  readonly isPlanning: boolean;
  readonly turns: number;
  readonly usage: Usage;
  /** In US dollars; null when unknown. */
  readonly cost: number | null;
  readonly context: ContextUse;
  /** The latest plan of this process; empty when there is none. */
  readonly plan: readonly LivePlanStep[];
  /** The subagents, oldest first. */
  readonly agents: readonly AgentNode[];
}

export interface LivePlanStep {
  readonly text: string;
  readonly state: "pending" | "active" | "done";
}

/** What happens in a session after its hello. `agent` is null for the session itself. */
export type LiveUpdate =
  | { readonly type: "state"; readonly state: SessionState }
  /** A part of the model's text. */
  | { readonly type: "text"; readonly id: string; readonly agent: string | null; readonly text: string }
  /** A part of a command's output, with its escape sequences. */
  | { readonly type: "output"; readonly id: string; readonly agent: string | null; readonly text: string }
  | {
      readonly type: "usage";
      readonly usage: Usage;
      readonly cost: number | null;
      readonly context: ContextUse;
    }
  | { readonly type: "plan"; readonly plan: readonly LivePlanStep[] }
  | { readonly type: "agents"; readonly agents: readonly AgentNode[] }
  /** New entries of the conversation were recorded. */
  | { readonly type: "recorded" };

/** What a peer asks of a session. Each command gets one reply with its id. */
export type LiveCommand =
  /** A message for the running turn, or the input of the next one. */
  | { readonly type: "steer"; readonly id: number; readonly text: string }
  /** Ends the running turn; the session stays open. */
  | { readonly type: "interrupt"; readonly id: number }
  /** Ends the session as Ctrl-C would. */
  | { readonly type: "stop"; readonly id: number };

export interface LiveReply {
  readonly type: "reply";
  readonly id: number;
  /** Null when the command was accepted. */
  readonly error: { readonly message: string; readonly hint: string | null } | null;
}

/** The longest line of a command. */
export const maxCommandBytes: number = 256 * 1024;

/** Returns the folder of the sockets. Only its owner can enter it. */
export function socketFolder(state: string): string {
  return join(state, "live");
}

/** The beginning of the name of a session's socket. The rest is random, so that no name can be taken in advance. */
export function socketPrefix(session: string): string {
  return `${fingerprint(session)}-`;
}

/** Returns the names of the sockets of this user in the folder. Links and other files are left out. */
export function socketNames(folder: string): readonly string[] {
  if (!isPrivateFolder(folder)) return [];
  return readdirSync(folder).filter((name) => {
    const found = attempt(() => lstatSync(join(folder, name)));
    return name.endsWith(socketSuffix) && found?.isSocket() === true && isOwn(found.uid);
  });
}

export const socketSuffix = ".sock";

/** Whether only this user can enter the folder. False for a link, whoever owns its target. */
export function isPrivateFolder(folder: string): boolean {
  const found = attempt(() => lstatSync(folder));
  return found?.isDirectory() === true && isOwn(found.uid) && (found.mode & 0o077) === 0;
}

function isOwn(uid: number): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

/**
 * Runs `use` with an address of the socket that is short enough: the kernel takes 107 bytes. A longer path is given
 * through a descriptor of its folder, which stays open until `release`, which may be called twice.
 */
export function withAddress<Result>(
  folder: string,
  name: string,
  use: (address: string, release: () => void) => Result,
): Result {
  const path = join(folder, name);
  if (Buffer.byteLength(path) <= maxPathBytes) return use(path, () => {});
  const handle = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  let isOpen = true;
  return use(`/proc/self/fd/${handle}/${name}`, () => {
    if (isOpen) closeSync(handle);
    isOpen = false;
  });
}

const maxPathBytes = 103;

/** Calls `take` with every message. A line that is too long or is not an object ends the connection with `fail`. */
export function readLines(
  socket: Socket,
  maxBytes: number,
  take: (message: Readonly<Record<string, unknown>>) => void,
  fail: (error: ToolError) => void,
): void {
  let rest: Buffer[] = [];
  let size = 0;
  socket.on("data", (chunk: Buffer) => {
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      const line = Buffer.concat([...rest, chunk.subarray(from, end)]);
      from = end + 1;
      rest = [];
      size = 0;
      const message = line.length <= maxBytes ? tryParseJson(line.toString()) : undefined;
      if (!isRecord(message)) return fail(line.length <= maxBytes ? notAnObject() : tooLong(maxBytes));
      take(message);
      if (socket.destroyed) return;
    }
    rest.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > maxBytes) fail(tooLong(maxBytes));
  });
}

const newline = 10;

function notAnObject(): ToolError {
  return new ToolError("invalid-input", "The line is not a JSON object", {
    hint: "Send one object per line.",
  });
}

function tooLong(maxBytes: number): ToolError {
  return new ToolError("too-large", `The line is longer than ${maxBytes} bytes`, {
    hint: "Send shorter messages.",
  });
}
