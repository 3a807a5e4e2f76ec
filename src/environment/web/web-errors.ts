import { ToolError } from "../../contract/error.ts";
import { ruleFlags } from "../../lib/text/rule-text.ts";
import type { ConnectionError } from "../../system/network-policy.ts";
import type { WebOrigin } from "./exchange.ts";

export function cannotConnect({ host, name }: WebOrigin, error: ConnectionError): ToolError {
  if (error.reason === "unknown")
    return new ToolError("unavailable", error.message, { hint: "Check the spelling of the host." });
  if (error.reason !== "refused")
    return new ToolError(error.reason === "slow" ? "timeout" : "unavailable", error.message, {
      hint: "Try again later, or another address.",
    });
  const { address, kind, named = /\.localhost$/.test(host) ? "localhost" : host } = error.found ?? {};
  const rule = `allow connect ${named}`;
  const hints = {
    hint: `Ask the user to add the rule: ${rule}`,
    forUser: { hint: `To allow it, add ${ruleFlags([rule])}` },
  };
  if (kind === undefined) return new ToolError("denied", `No rule lets this call connect to ${name}`, hints);
  if (kind === "public")
    return new ToolError("denied", `A rule denies connecting to ${address}, the address of ${name}`, {
      hint: "Ask the user to change that rule.",
      forUser: { hint: `To see the rule, run: toolcrib policy explain 'connect ${address}'` },
    });
  const found = address === host ? kind : `at ${address} (${kind})`;
  return new ToolError("denied", `${name} is ${found}, not on the internet`, hints);
}

export function noTrust(name: string, error: Error): ToolError {
  const code = "code" in error ? String(error.code) : error.message;
  const message = `No secure connection to ${name} could be made (${code})`;
  if (!certificateFaults.test(code))
    return new ToolError("unavailable", message, {
      hint: "Try again later, or check whether this port uses https.",
    });
  return new ToolError("unavailable", message, {
    hint: "Ask the user to trust its certificate with NODE_EXTRA_CA_CERTS.",
    forUser: { hint: "To trust its certificate, set NODE_EXTRA_CA_CERTS to the file of its authority." },
  });
}

const certificateFaults = /CERT|SELF_SIGNED|ISSUER|UNABLE_TO|ALTNAME/;

/** Explains why a connection ended before the answer was complete. */
export function ended(name: string, error: unknown): ToolError {
  if (error instanceof ToolError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "HPE_HEADER_OVERFLOW")
    return new ToolError("too-large", `The response headers of ${name} are too large`, {
      hint: "Try another address of the same content.",
    });
  if (code.startsWith("HPE_")) return notHttp(name, (error as Error).message, error);
  if (code === "ERR_INVALID_CHAR" || code === "ERR_UNESCAPED_CHARACTERS")
    return new ToolError("invalid-input", (error as Error).message, {
      hint: "Remove the characters that are not allowed in a header or an address.",
      cause: error,
    });
  const reason = code || (error as Error).message;
  return new ToolError(
    "unavailable",
    `${name} closed the connection before its response was complete (${reason})`,
    { hint: "Try again later.", cause: error },
  );
}

export function notHttp(name: string, reason: string, cause?: unknown): ToolError {
  return new ToolError("unavailable", `The response from ${name} is not HTTP: ${reason}`, {
    hint: "Check whether this port uses https or another protocol.",
    cause,
  });
}
