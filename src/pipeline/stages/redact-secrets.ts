import type { Outcome, ToolCall } from "../../contract/call.ts";
import { errorWith, ToolError } from "../../contract/error.ts";
import { asBuffer } from "../../lib/bytes/bytes.ts";
import { hasPrivateKey } from "../../lib/secrets/private-keys.ts";
import { marksIn } from "../../lib/secrets/secret.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { RedactedStream, redactInTurns, redactText } from "../../policy/redaction/redact.ts";
import type { Stage } from "../stage.ts";

/**
 * Redacts everything that looks like a secret from the output of a tool, with a note. Refuses to write a redaction mark
 * over the secret that it stands for.
 */
export const redactSecrets: Stage = async (call, next) => {
  if (call.accesses.some(({ kind }) => kind === "write")) await refuseMarks(call);
  const notices = redactNotices(call.notify);
  try {
    return await redactOutcome(await next({ ...call, notify: notices.notify }));
  } catch (error) {
    throw await redactOutputOf(explainMark(error, call));
  } finally {
    notices.end();
  }
};

async function redactOutcome(outcome: Outcome): Promise<Outcome> {
  if (!outcome.ok) return outcome;
  const inText: string[] = [];
  const inData: string[] = [];
  const { continuation, afterwards, showsData, fullText, ...rest } = outcome;
  const data = await redactInTurns(outcome.data, (kind) => inData.push(kind));
  // Only lines of private keys look different with numbers before them.
  const isSearched = showsData === true && inData.length === 0 && !hasPrivateKey(fullText);
  const text = isSearched ? fullText : await redactInTurns(fullText, (kind) => inText.push(kind));
  // The text is made from the data, so a secret in both counts once.
  const kinds = inText.length > 0 ? inText : inData;
  // Unlike the text, a continuation is not cut.
  const sentences = [...(continuation ? [redactText(continuation)] : []), ...noteOf(kinds)];
  return {
    ...rest,
    text,
    fullText: text,
    data,
    continuation: sentences.join(" ") || undefined,
    afterwards:
      afterwards &&
      (async () => {
        const later = await afterwards();
        return redactInTurns({ data: later.data, text: later.text });
      }),
  };
}

function noteOf(kinds: readonly string[]): readonly string[] {
  if (kinds.length === 0) return [];
  const values = counted(
    kinds.length,
    "value that looks like a secret was",
    "values that look like secrets were",
  );
  return [`${values} left out: ${[...new Set(kinds)].join(", ")}.`];
}

function redactNotices(notify: ToolCall["notify"]): { notify: ToolCall["notify"]; end(): void } {
  const streams = new Map<"stdout" | "stderr", RedactedStream>();
  const pass = (stream: "stdout" | "stderr", text: string) => {
    if (text !== "") notify({ type: "output", stream, text });
  };
  return {
    notify: (notice) => {
      if (notice.type === "progress") {
        const { message } = notice;
        return notify({
          ...notice,
          message: () => redactText(typeof message === "string" ? message : message()),
        });
      }
      const stream = streams.get(notice.stream) ?? new RedactedStream();
      streams.set(notice.stream, stream);
      pass(notice.stream, stream.push(notice.text));
    },
    end: () => {
      for (const [name, stream] of streams) pass(name, stream.end());
    },
  };
}

/** Redacts before the output is cut, so that no half of a secret remains at the cut. */
async function redactOutputOf(error: unknown): Promise<unknown> {
  if (!(error instanceof ToolError) || error.output === undefined) return error;
  return errorWith(error, {
    output: await redactInTurns(error.output),
    details: await redactInTurns(error.details),
  });
}

/** Replaces the error when the text that was not found is a redaction mark. */
function explainMark(error: unknown, call: ToolCall): unknown {
  const [mark] = error instanceof ToolError && error.code === "no-match" ? marksIn(call.input) : [];
  return mark === undefined ? error : standsForSecret(mark, "the file does not contain this text");
}

/** Refuses a mark that is in none of the written files, because the model must have copied it from redacted output. */
async function refuseMarks({ accesses, input, environment, signal }: ToolCall): Promise<void> {
  const paths = accesses.flatMap((access) => (access.kind === "write" ? [access.path] : []));
  let foreign = [...marksIn(input)];
  for (const path of paths) {
    if (foreign.length === 0) return;
    const file = await environment.readFile(path, { maxBytes, signal }).catch(ignoreToolError);
    if (file !== undefined) foreign = foreign.filter((mark) => !asBuffer(file.bytes).includes(mark));
  }
  const [mark] = foreign;
  if (mark !== undefined) throw standsForSecret(mark, "this would overwrite the secret with the mark");
}

// No tool shows more than this of a file, so marks can only come from this part.
const maxBytes = 64 * 1024 * 1024;

function ignoreToolError(error: unknown): undefined {
  if (!(error instanceof ToolError)) throw error;
}

function standsForSecret(mark: string, consequence: string): ToolError {
  return new ToolError(
    "invalid-input",
    `${mark} stands for a secret that was left out of the output: ${consequence}`,
    {
      hint: "Edit only the lines around it, or ask the user to change the value.",
      forUser: { hint: "Change the value in an editor." },
    },
  );
}
