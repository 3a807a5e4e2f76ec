import type { ToolCall } from "../../contract/call.ts";
import { errorWith, ToolError } from "../../contract/error.ts";
import { exhaustionError, isExhaustion } from "../../lib/exhaustion.ts";
import { errorOnTarget } from "../../lib/text/commands-on-target.ts";
import { redactText } from "../../policy/redaction/redact.ts";
import type { Stage } from "../stage.ts";

/**
 * Turns errors of the following stages into outcomes, with secrets redacted, and commands in hints that name the target.
 * Every error but a ToolError is a bug.
 */
export function catchErrors(target: string | undefined): Stage {
  return async (call, next) => {
    try {
      return await next(call);
    } catch (thrown) {
      const known = thrown instanceof ToolError ? thrown : internalError(thrown);
      return { ok: false, error: errorOnTarget(reworded(redacted(known), call), target) };
    }
  };
}

function reworded(error: ToolError, { tool: { wording } }: ToolCall): ToolError {
  if (wording === undefined || error.hint === undefined) return error;
  // Messages about arguments are texts of the schema, which may name other tools. Other messages may quote content.
  const isFromSchema = error.details?.kind === "bad-arguments";
  const message = isFromSchema ? wording(error.message) : error.message;
  return errorWith(error, { message, hint: wording(error.hint) });
}

function redacted(error: ToolError): ToolError {
  const { message, hint, output, forUser } = error;
  const texts = [message, hint, output, forUser?.message, forUser?.hint];
  if (texts.every((text) => !text || redactText(text) === text)) return error;
  const redact = <Text extends string | null | undefined>(text: Text) => (text ? redactText(text) : text);
  return errorWith(error, {
    message: redactText(message),
    hint: redact(hint),
    output: redact(output),
    forUser: forUser && { message: redact(forUser.message), hint: redact(forUser.hint) },
  });
}

function internalError(cause: unknown): ToolError {
  if (isExhaustion(cause)) return exhaustionError(cause);
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ToolError("internal", `The tool failed unexpectedly: ${reason}`, {
    hint: "This is a bug in the tool. Use another tool.",
    forUser: { hint: "This is a bug in the tool. Please report it." },
    cause,
  });
}
