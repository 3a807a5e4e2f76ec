/** `toolcrib/omega`: the interface of Omega (`omega-providers::tools`), spelled as TypeScript does. */
import { homedir } from "node:os";
import { posix } from "node:path";
import {
  BASH_TIMEOUT_SECS,
  extraRootsOfOmega,
  MAX_BASH_OUTPUT,
  MAX_READ_OUTPUT,
  truncationNotice,
} from "../dialects/omega.ts";
import { characterStart } from "../lib/text/truncate.ts";
import { isWriteProtected } from "../toolcrib/open-policy.ts";

export {
  builtinToolDefs,
  type McpClient,
  type McpServer,
  type ToolDef,
  ToolExecutor,
  type ToolExecutorOptions,
  type ToolResult,
} from "./omega/tool-executor.ts";
export { BASH_TIMEOUT_SECS, MAX_BASH_OUTPUT, MAX_READ_OUTPUT };

/** Truncates a text to at most this many characters and appends a notice. Never cuts inside a character. */
export function truncateOutput(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const shown = characterStart(text, maxChars);
  return `${text.slice(0, shown)}\n${truncationNotice({ total: text.length, shown })}`;
}

/**
 * Returns whether a write is refused in every mode: in system directories, to secrets, to Toolcrib's own data, and to the
 * database and configuration in the data directory. Relative paths are in the workspace, which is in the data directory.
 */
export function isWriteBlocked(path: string, dataDir: string): boolean {
  // No file can have such a name.
  if (path === "" || path.includes("\0")) return true;
  const { except = [] } = extraRootsOfOmega(dataDir, [], homedir());
  return isWriteProtected(path, { workspace: posix.join(dataDir, "workspace"), except });
}

/** The part of a provider's context that concerns tools. */
export interface Context {
  /** Undefined means all; an empty list means none. */
  readonly allowedTools?: readonly string[] | null | undefined;
}

/** Whether a provider may call tools: false only for an explicit empty list. */
export function toolsEnabled({ allowedTools }: Context): boolean {
  return allowedTools?.length !== 0;
}

/** The answer to the user, and its metadata. */
export interface OutgoingMessage {
  readonly text: string;
  readonly metadata: MessageMetadata;
}

export interface MessageMetadata {
  readonly provider: string;
  readonly tokens: number;
  readonly elapsedMs: number;
  readonly model: string | null;
}

export function buildResponse(
  text: string,
  provider: string,
  tokens: number,
  elapsedMs: number,
  model: string | null = null,
): OutgoingMessage {
  return { text, metadata: { provider, tokens, elapsedMs, model } };
}
