import { ToolError } from "../../contract/error.ts";
import type { ConnectionError } from "../../system/network-policy.ts";
import type { WebOrigin } from "./exchange.ts";

export function cannotConnect({ host, name }: WebOrigin, error: ConnectionError): ToolError {
  if (error.reason === "unknown")
    return new ToolError("unavailable", error.message, { hint: "Check the spelling of the host." });
  if (error.reason !== "refused")
    return new ToolError(error.reason === "slow" ? "timeout" : "unavailable", error.message, {
      hint: "Try again later, or another address.",
    });
  const { address, kind, named: place } = error.found ?? {};
  const named = /\.localhost$/.test(host) ? "localhost" : host;
  const remedy = `A person can let it by a rule: allow connect ${place ?? named}`;
  if (kind === undefined)
    return new ToolError("denied", `This call may not connect to ${name}`, { hint: remedy });
  if (kind === "public")
    return new ToolError("denied", `${name} is at ${address}, which a rule denies`, {
      hint: "A person can change that rule.",
    });
  const found = address === host ? kind : `${address} (${kind})`;
  return new ToolError("denied", `${name} is ${address === host ? "" : "at "}${found}, not on the internet`, {
    hint: remedy,
  });
}

export function noTrust(name: string, error: Error): ToolError {
  const code = "code" in error ? String(error.code) : error.message;
  return new ToolError("unavailable", `There is no secure connection to ${name} (${code})`, {
    hint: certificateFaults.test(code)
      ? "Its certificate is not trusted. A person can add who signed it with NODE_EXTRA_CA_CERTS."
      : "Try again later; perhaps the server speaks no https on this port.",
  });
}

const certificateFaults = /CERT|SELF_SIGNED|ISSUER|UNABLE_TO|ALTNAME/;

export function tookTooLong(name: string, ms: number): ToolError {
  return new ToolError("timeout", `${name} had not sent all of its answer after ${ms / 1000} s`, {
    hint: "Try again later, or fetch something smaller.",
  });
}

export function silent(name: string, ms: number): ToolError {
  return new ToolError("timeout", `${name} said nothing for ${ms / 1000} s`, { hint: "Try again later." });
}

/** The connection came to an end before the answer did. */
export function ended(name: string, error: unknown): ToolError {
  if (error instanceof ToolError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "HPE_HEADER_OVERFLOW")
    return new ToolError("too-large", `The headers of the answer of ${name} are too large`, {
      hint: "Nothing of it was read: try another address of the same content.",
    });
  if (code.startsWith("HPE_")) return notHttp(name, (error as Error).message, error);
  if (code === "ERR_INVALID_CHAR" || code === "ERR_UNESCAPED_CHARACTERS")
    return new ToolError("invalid-input", (error as Error).message, {
      hint: "Leave out what cannot stand in a header or an address.",
      cause: error,
    });
  const reason = code === "" ? String((error as Error).message) : code;
  return new ToolError(
    "unavailable",
    `${name} ended the connection before its answer was complete (${reason})`,
    {
      hint: "Try again later.",
      cause: error,
    },
  );
}

export function notHttp(name: string, reason: string, cause?: unknown): ToolError {
  return new ToolError("unavailable", `What ${name} answers is not HTTP: ${reason}`, {
    hint: "Perhaps something else is spoken on this port, or https.",
    cause,
  });
}

export function badCompression(coding: string, cause: unknown): ToolError {
  return new ToolError("unavailable", `The answer is damaged: it is not ${coding} as it says`, {
    hint: "Try again later.",
    cause,
  });
}

export function otherCompression(coding: string): ToolError {
  return new ToolError("unsupported", `The answer is compressed in a way that was not asked for: ${coding}`, {
    hint: "Try another address of the same content.",
  });
}
