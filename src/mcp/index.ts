/**
 * `toolcrib/mcp`: serve rooms to MCP clients from a program of one's own, as `toolcrib mcp` does.
 */
export type { HttpHandler, HttpHandlerOptions } from "./server/http/new-handler.ts";
export { newHttpHandler } from "./server/http/new-handler.ts";
export type { ServedHttp, ServeHttpOptions } from "./server/http/serve-http.ts";
export { serveHttp } from "./server/http/serve-http.ts";
export type { ServerIdentity } from "./server/new-server.ts";
export type { ServedConnection, ServeStdioOptions } from "./server/serve-stdio.ts";
export { serveStdio } from "./server/serve-stdio.ts";
