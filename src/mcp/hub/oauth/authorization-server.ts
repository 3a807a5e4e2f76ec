import { ToolError } from "../../../contract/error.ts";
import { cleanLine } from "../clean-text.ts";

type Sdk = typeof import("@modelcontextprotocol/client");

/** Throws `denied` unless the MCP server names the authorization server of its settings. */
export function refuseOtherIssuer(named: string, configured: string): void {
  if (withoutSlash(named) !== withoutSlash(configured))
    throw new ToolError(
      "denied",
      `The server names the authorization server ${cleanLine(named, 200)}, not ${cleanLine(configured, 200)} as in its settings`,
    );
}

/** Returns why a request to an authorization server failed, without anything that it sent except the code. */
export function reasonOf(sdk: Sdk, error: unknown): string {
  if (!(error instanceof sdk.OAuthError)) return deepestMessage(error);
  const hint = error.code === "invalid_dpop_proof" ? "; the clock of this machine may be wrong" : "";
  return `it answered ${cleanLine(error.code, 60)}${hint}`;
}

function deepestMessage(error: unknown): string {
  if (!(error instanceof Error)) return cleanLine(String(error), 300);
  if (error.cause instanceof Error) return deepestMessage(error.cause);
  return cleanLine(error.message || error.name, 300);
}

function withoutSlash(address: string): string {
  return address.replace(/\/$/, "");
}
