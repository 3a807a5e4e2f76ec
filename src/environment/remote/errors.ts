import { type ErrorCode, type ErrorDetails, errorCodes, ToolError } from "../../contract/error.ts";
import { printable } from "../../lib/text/printable.ts";

/** Returns an error as data for the other side. */
export function failureOf(error: unknown): unknown {
  if (!(error instanceof ToolError)) {
    const message = error instanceof Error ? error.message : String(error);
    return { code: "internal", message };
  }
  const { code, message, hint, details, forUser, output } = error;
  return { code, message, hint, details, forUser, output };
}

/** Makes an error of the other side's data. Its texts cannot control a terminal, and its code is a known one. */
export function errorOf(value: unknown): ToolError {
  const { code, message, hint, details, forUser, output } = fieldsOf(value);
  const known = errorCodes.includes(code as ErrorCode) ? (code as ErrorCode) : "internal";
  const user = fieldsOf(forUser);
  return new ToolError(known, textOf(message) ?? "The target reported an error without a message", {
    hint: textOf(hint),
    output: textOf(output),
    details: detailsOf(details),
    forUser:
      forUser === undefined || forUser === null
        ? undefined
        : { message: textOf(user.message), hint: user.hint === null ? null : textOf(user.hint) },
  });
}

type Field = "code" | "message" | "hint" | "details" | "forUser" | "output" | "kind";

function fieldsOf(value: unknown): { readonly [Name in Field]?: unknown } {
  return typeof value === "object" && value !== null ? value : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? printable(value.slice(0, maxTextLength)) : undefined;
}

const maxTextLength = 20_000;

/** Only the details of environments pass. All others would speak for other parts of this program. */
function detailsOf(value: unknown): ErrorDetails | undefined {
  const { kind } = fieldsOf(value);
  const found = passedKinds.find((one) => one === kind);
  return found && { kind: found };
}

const passedKinds = ["is-directory", "missing-program", "sandbox-not-set-up"] as const;
