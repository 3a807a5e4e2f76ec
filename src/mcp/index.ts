/**
 * `toolcrib/mcp`: serves instances to MCP clients from your own program, as `toolcrib mcp` does, and offers the tools of
 * other servers: `openToolcrib({ sources: [connectHub({ workspace, ...(await readServers({ workspace })) })] })`.
 */
export { connectHub, type Hub, type HubOptions } from "./hub/connect-hub.ts";
export { type ConfiguredServers, readServers, type ServerFolders } from "./hub/settings/read-servers.ts";
export type { ServerConfiguration } from "./hub/settings/read-settings.ts";
export type {
  HttpHandler,
  HttpHandlerOptions,
  OpenRequest,
  RequestFacts,
} from "./server/http/new-handler.ts";
export { newHttpHandler } from "./server/http/new-handler.ts";
export type { OAuthOptions } from "./server/http/resource-server.ts";
export type { ServedHttp, ServeHttpOptions } from "./server/http/serve-http.ts";
export { serveHttp } from "./server/http/serve-http.ts";
export type { ServedConnection, ServeStdioOptions } from "./server/serve-stdio.ts";
export { serveStdio } from "./server/serve-stdio.ts";
export type {
  Elicit,
  ElicitAnswer,
  ElicitParameters,
  ListedTool,
  OfferedPrompt,
  OfferedResource,
  OfferedTemplate,
  Offers,
  PromptOptions,
  ServerIdentity,
  ServerInfo,
  ServerState,
} from "./types.ts";
