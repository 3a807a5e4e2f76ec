/**
 * `toolcrib/mcp`: serve rooms to MCP clients from a program of one's own, as `toolcrib mcp` does, and use the tools of
 * other servers in a room: `openToolcrib({ sources: [connectHub({ workspace, ...(await readServers({ workspace })) })] })`.
 */
export { connectHub, type Hub, type HubOptions } from "./hub/connect-hub.ts";
export { type ConfiguredServers, readServers, type ServerPlaces } from "./hub/settings/read-servers.ts";
export type { ServerConfiguration } from "./hub/settings/read-settings.ts";
export type { HttpHandler, HttpHandlerOptions } from "./server/http/new-handler.ts";
export { newHttpHandler } from "./server/http/new-handler.ts";
export type { ServedHttp, ServeHttpOptions } from "./server/http/serve-http.ts";
export { serveHttp } from "./server/http/serve-http.ts";
export type { ServedConnection, ServeStdioOptions } from "./server/serve-stdio.ts";
export { serveStdio } from "./server/serve-stdio.ts";
export type {
  Elicit,
  ElicitAnswer,
  ElicitParameters,
  ListedTool,
  ServerIdentity,
  ServerState,
} from "./types.ts";
