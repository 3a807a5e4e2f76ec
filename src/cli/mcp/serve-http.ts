import { randomBytes } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ToolError } from "../../contract/error.ts";
import type { OAuthOptions } from "../../mcp/server/http/resource-server.ts";
import { serveHttp } from "../../mcp/server/http/serve-http.ts";
import { makePrivateDirectory, realLocation, userDirectories } from "../../system/directories.ts";
import { liesInside } from "../../system/workspace-path.ts";
import type { Arguments } from "../command.ts";
import { withConfig } from "../config/with-config.ts";
import { print, remark } from "../terminal.ts";
import { leave, openForClient, servedInstance, servedSettings, untilAskedToEnd } from "./serve-stdio.ts";
import { configuredHub, shared } from "./servers.ts";
import { listenForStops } from "./session-stops.ts";

/** Runs `toolcrib mcp --http`, which serves any number of clients until a signal. */
export async function serveHttpClients(given: Arguments): Promise<number> {
  const { host, port } = readAddress(given.options.get("http")!);
  const { options, folder, instructions } = servedInstance(await withConfig(given, servedSettings));
  const secret = readSecret(given, folder);
  const oauth = readOAuth(given, host);
  if (secret === undefined && oauth === undefined && !isLoopback(host))
    throw new ToolError("invalid-input", `A token is required, because other machines can reach ${host}`, {
      hint: "Set TOOLCRIB_TOKEN or --token-file FILE, or listen on 127.0.0.1.",
    });
  const ownToken = oauth === undefined ? (secret ?? randomBytes(32).toString("base64url")) : secret;
  const hubs = await configuredHub(folder, { ofProject: options.target === undefined });
  const end = untilAskedToEnd({ withParent: false });
  const served = await serveHttp({
    host,
    port,
    token: ownToken,
    oauth,
    allowedHosts: given.options.get("allowed-host")?.split("\n") ?? [],
    allowedOrigins: given.options.get("allowed-origin")?.split("\n") ?? [],
    instructions,
    prompts: {},
    open: () => openForClient({ ...options, sources: hubs.map(shared) }),
  }).catch((cause: Error) => {
    if (cause instanceof ToolError) throw cause;
    throw new ToolError("unavailable", `Cannot listen on ${host}:${port}: ${cause.message}`, {
      hint: "Choose another port, or 0 for a free one.",
      cause,
    });
  });
  const stopListening = await listenForStops((session) => served.endSession(session)).catch(
    (error: Error) => {
      remark(`toolcrib stop cannot end single sessions of this server: ${error.message}\n`);
      return () => {};
    },
  );
  const madeToken = secret === undefined ? ownToken : undefined;
  const file = madeToken === undefined ? undefined : keepToken(madeToken, served.port);
  print(
    `${served.url}\n${file === undefined ? "" : `Authorization: Bearer ${madeToken}\n(also in ${file})\n`}`,
  );
  await end;
  return leave(async () => {
    if (file !== undefined) rmSync(file, { force: true });
    stopListening();
    await served.close();
    await Promise.all(hubs.map((hub) => hub.close()));
  });
}

function readAddress(text: string): { readonly host: string; readonly port: number } {
  const [, host = "127.0.0.1", port = ""] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port !== "" && Number(port) < 65_536)
    return { host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port) };
  throw new ToolError("invalid-input", `--http must be a port, or a host and a port, not "${text}"`, {
    hint: "For example: --http 7777, --http 127.0.0.1:0, --http [::1]:7777",
  });
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Reads whose access tokens are accepted. Other machines know this server by an address that only the user knows. */
function readOAuth({ options }: Arguments, host: string): OAuthOptions | undefined {
  const [issuer, resource, audience] = ["issuer", "resource", "audience"].map((name) =>
    options.get(`oauth-${name}`),
  );
  if (issuer === undefined && (resource ?? audience) !== undefined)
    throw new ToolError("invalid-input", "--oauth-resource and --oauth-audience need --oauth-issuer", {
      hint: "Add the authorization server: --oauth-issuer https://login.example.com",
    });
  if (issuer === undefined) return undefined;
  if (resource === undefined && !isLoopback(host))
    throw new ToolError(
      "invalid-input",
      "--oauth-issuer needs the address that clients use for this server",
      {
        hint: "Add it: --oauth-resource https://tools.example.com/mcp",
      },
    );
  return { issuer, resource, audience };
}

/** Reads the user's token. Tools must not be able to read it, because a model could approve its own calls with it. */
function readSecret({ options }: Arguments, workspace: string): string | undefined {
  const file = options.get("token-file");
  if (file !== undefined && liesInside(realLocation(resolve(file)), workspace))
    throw new ToolError(
      "invalid-input",
      `The token file ${file} is in the workspace, where tools can read it`,
      {
        hint: "Move it out of the workspace: with the token, a model could approve its own calls.",
      },
    );
  const secret = (file === undefined ? process.env.TOOLCRIB_TOKEN : readToken(file))?.trim();
  delete process.env.TOOLCRIB_TOKEN;
  if (secret === undefined || secret === "") return undefined;
  if (/^[\x21-\x7e]{16,}$/.test(secret)) return secret;
  throw new ToolError("invalid-input", "The token must have at least 16 characters and no spaces", {
    hint: "For example: openssl rand -hex 32",
  });
}

function readToken(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new ToolError("not-found", `The token file cannot be read: ${(cause as Error).message}`, {
      hint: "Create one: openssl rand -hex 32 > FILE; chmod 600 FILE",
      cause,
    });
  }
}

/** Writes the token for programs that cannot read this output. The file is deleted when the server ends. */
function keepToken(token: string, port: number): string {
  const folder = join(userDirectories().state, "mcp");
  makePrivateDirectory(folder);
  const file = join(folder, `http-${port}.token`);
  rmSync(file, { force: true });
  writeFileSync(file, `${token}\n`, { mode: 0o600, flag: "wx" });
  return file;
}
