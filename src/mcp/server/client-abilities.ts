import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";

/** What the client that made a request can do; in the era of 2026 each request tells. */
export interface ClientAbilities {
  /** It can put a form before a person. */
  readonly asks: boolean;
  /** Its questions come as results, after which it makes the call again; in the era before, while the call waits. */
  readonly isAskedByResults: boolean;
  /** It knows links to resources in results, and data beside text. */
  readonly knowsLinks: boolean;
}

export function abilitiesOf(server: Server, context?: ServerContext): ClientAbilities {
  const envelope: Record<string, unknown> = { ...context?.mcpReq.envelope };
  const told = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  const { elicitation } = told ?? server.getClientCapabilities() ?? {};
  const version = server.getNegotiatedProtocolVersion() ?? firstWithLinks;
  return {
    // Before there were kinds of them, a client that could be asked at all could show a form.
    asks: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    isAskedByResults: context?.mcpReq.envelope !== undefined,
    knowsLinks: version >= firstWithLinks,
  };
}

const firstWithLinks = "2025-06-18";
