import { once } from "node:events";
import { ToolError } from "../../contract/error.ts";
import { remark } from "../terminal.ts";

/** One line, edited by the terminal itself, so that Ctrl-C stays an interruption. */
export async function readLine(question: string, signal: AbortSignal): Promise<string> {
  const { createInterface } = await import("node:readline");
  remark(question);
  const reader = createInterface({ input: process.stdin, terminal: false });
  const done = new AbortController();
  const either = { signal: AbortSignal.any([signal, done.signal]) };
  try {
    const [text] = await Promise.race([once(reader, "line", either), once(reader, "close", either)]);
    if (typeof text === "string") return text;
    throw new ToolError("needs-approval", "The input ended without an answer", {
      hint: "Answer, then press Enter.",
    });
  } catch (cause) {
    if (signal.aborted) throw new ToolError("cancelled", "Interrupted", { cause });
    throw cause;
  } finally {
    done.abort();
    reader.close();
  }
}
