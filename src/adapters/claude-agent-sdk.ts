import { isDeepStrictEqual } from "node:util";
import { newServer, sendListChanged } from "../mcp/server/new-server.ts";
import { ServedToolcrib } from "../mcp/server/served-toolcrib.ts";
import { approvalText, approvalView, type PendingApproval, type Toolcrib } from "../toolcrib/index.ts";

/**
 * Returns options for `query({ prompt, options })` of the Claude Agent SDK, with the tools as an MCP server in this process.
 * The options turn off the tools of Claude Code, which Toolcrib does not check, and the settings files, which may come with
 * the workspace. Your own `canUseTool` is asked about calls that need approval, and about tools that are not Toolcrib's.
 * Default: the `approve` of the instance asks.
 */
export async function claudeAgentOptions(
  crib: Toolcrib,
  { canUseTool }: { readonly canUseTool?: ClaudeCanUseTool | undefined } = {},
): Promise<ClaudeAgentOptions> {
  const definitions = await crib.definitions();
  const options = {
    mcpServers: { [serverName]: { type: "sdk" as const, name: serverName, instance: serverOf(crib) } },
    tools: [],
    settingSources: [] satisfies [],
    strictMcpConfig: true,
  };
  // The SDK never calls `canUseTool` for allowed tools.
  if (!canUseTool) return { ...options, allowedTools: definitions.map(({ name }) => `${prefix}${name}`) };
  return {
    ...options,
    allowedTools: [],
    canUseTool: async (toolName, input, details) => {
      if (!isOwn(toolName, details)) return canUseTool(toolName, input, details);
      const name = toolName.slice(prefix.length);
      return askOnce(crib, { name, input }, (approval) =>
        canUseTool(toolName, input, {
          ...details,
          decisionReason: approvalText(approvalView(approval.request)),
          approval,
        }),
      );
    },
  };
}

/** The options of a query that the adapter sets. */
export interface ClaudeAgentOptions {
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's type is a class, of which it uses only `connect`
  mcpServers: Record<string, { type: "sdk"; name: string; instance: any }>;
  allowedTools: string[];
  canUseTool?: ClaudeCanUseTool;
  tools: string[];
  settingSources: [];
  strictMcpConfig: boolean;
}

/** The SDK's `CanUseTool`. */
export type ClaudeCanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  details: ClaudeCallDetails,
) => Promise<ClaudePermission | null>;

/** The part of the SDK's details of a call that is used. */
export interface ClaudeCallDetails {
  signal: AbortSignal;
  toolUseID: string;
  requestId: string;
  mcpServer?: { name: string; source: string };
  decisionReason?: string;
  /** Toolcrib's question. `decisionReason` is its text. */
  approval?: PendingApproval;
}

/** The SDK's `PermissionResult`. */
export type ClaudePermission =
  | { behavior: "allow"; updatedInput?: Record<string, unknown> }
  | { behavior: "deny"; message: string; interrupt?: boolean };

const serverName = "toolcrib";
const prefix = `mcp__${serverName}__`;

/** Tools of a configured server can have the same prefix. Only the program itself can add a server with the source "sdk". */
function isOwn(toolName: string, { mcpServer }: ClaudeCallDetails): boolean {
  return toolName.startsWith(prefix) && mcpServer?.name === serverName && mcpServer.source === "sdk";
}

/** Asks about a call that needs approval. The answer counts once, for exactly the call that was shown. */
async function askOnce(
  crib: Toolcrib,
  { name, input }: { readonly name: string; readonly input: Record<string, unknown> },
  ask: (approval: PendingApproval) => Promise<ClaudePermission | null>,
): Promise<ClaudePermission | null> {
  const shown = structuredClone(input);
  const pending = await crib.approvals.ask(name, input, { onlyOffered: true });
  // The call runs, or fails and is recorded.
  if (pending === undefined) return { behavior: "allow", updatedInput: input };
  const answer = await ask(pending);
  // The program answers later.
  if (answer === null) return null;
  const updatedInput = answer.behavior === "allow" ? (answer.updatedInput ?? shown) : undefined;
  if (isDeepStrictEqual(updatedInput, shown))
    await crib.approvals.answer(pending.id, { allow: true, hash: pending.hash, countsOnce: true });
  else crib.approvals.withdraw(pending);
  if (updatedInput === undefined) return answer;
  // Without `updatedPermissions`: rules of Claude Code allow nothing here.
  return { behavior: "allow", updatedInput };
}

/** Serves the instance to each query, in the form of the SDK's `McpServer`. */
function serverOf(crib: Toolcrib): { connect(transport: Transport): Promise<void> } {
  const served = new ServedToolcrib(async () => crib);
  return {
    connect: async (transport) => {
      const server = newServer({ toolcrib: served });
      server.onclose = served.onChange((list) => void sendListChanged(server, list).catch(() => {}));
      await server.connect(transport);
    },
  };
}

type Transport = Parameters<ReturnType<typeof newServer>["connect"]>[0];
