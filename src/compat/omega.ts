/**
 * `toolcrib/omega`: what programs know that come from Omega (`omega-providers::tools`), spelled as TypeScript does.
 */
import { homedir } from "node:os";
import { posix } from "node:path";
import {
  BASH_TIMEOUT_SECS,
  MAX_BASH_OUTPUT,
  MAX_READ_OUTPUT,
  reachOfOmega,
  truncationNotice,
} from "../dialects/omega.ts";
import { characterStart } from "../lib/truncate.ts";
import { isWriteProtected } from "../toolcrib/open-policy.ts";

export {
  buildResponse,
  type Context,
  type MessageMetadata,
  type OutgoingMessage,
  toolsEnabled,
} from "./omega/messages.ts";
export {
  builtinToolDefs,
  type McpServer,
  type ToolDef,
  ToolExecutor,
  type ToolExecutorOptions,
  type ToolResult,
} from "./omega/tool-executor.ts";
export { BASH_TIMEOUT_SECS, MAX_BASH_OUTPUT, MAX_READ_OUTPUT };

/** A text of at most so many characters, with a notice where it was longer. Never cuts inside a character. */
export function truncateOutput(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const shown = characterStart(text, maxChars);
  return `${text.slice(0, shown)}\n${truncationNotice({ total: text.length, shown })}`;
}

/**
 * Whether a write to a path is refused in every mode: in system directories, to secrets, to our own data and to the
 * database and configuration in the data directory. A relative path is one in the workspace, which is in the data directory.
 */
export function isWriteBlocked(path: string, dataDir: string): boolean {
  // No file has such a name.
  if (path === "" || path.includes("\0")) return true;
  const { except = [] } = reachOfOmega(dataDir, [], homedir());
  return isWriteProtected(path, { workspace: posix.join(dataDir, "workspace"), except });
}
