import * as z from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { Tool, ToolContext } from "../../contract/tool.ts";
import type { RolledBack } from "../../contract/transaction.ts";
import { describeRollback } from "./rollback.ts";

export interface TransactionCheckInput {
  readonly command: string;
  readonly timeout_ms?: number | undefined;
}

export interface TransactionCheckData {
  readonly passed: boolean;
  /** Null when it was ended: by a signal, or after its time. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** What was taken back, when it did not pass. */
  readonly rolledBack: RolledBack | null;
}

const usualTimeoutMs = 120_000;
const maxTimeoutMs = 600_000;

/** Runs a command that decides whether the changes of a transaction stay. */
export const transactionCheck: Tool<TransactionCheckInput, TransactionCheckData> = {
  name: "transaction.check",
  summary:
    "Run a command, such as the tests, on what the open transaction has changed. If it fails, everything is rolled back; " +
    "if it passes, the transaction stays open for more, or for transaction.commit.",
  risk: "execute",
  input: z.strictObject({
    command: z.string().check(z.minLength(1), z.describe("For bash, in the workspace: npm test")),
    timeout_ms: z.optional(
      z
        .int()
        .check(
          z.minimum(1),
          z.maximum(maxTimeoutMs),
          z.describe("Ends it after this long, which counts as failed; 120000 if not given."),
        ),
    ),
  }),
  limits: { maxChars: 10_000, keep: "both" },
  timeoutMs: maxTimeoutMs + 10_000,
  accesses: ({ command }) => [
    { kind: "execute", command },
    { kind: "write", path: "." },
  ],

  async run({ command, timeout_ms: timeoutMs = usualTimeoutMs }, context) {
    const { transactions } = context;
    await transactions.current();
    const { exitCode, timedOut, output } = await runBash(command, timeoutMs, context);
    const passed = exitCode === 0;
    const end = timedOut ? `did not finish within ${timeoutMs / 1000} s` : describeExit(exitCode);
    const text = [output.trimEnd(), `The check ${passed ? "passed" : end}.`]
      .filter((part) => part !== "")
      .join("\n");
    const data = { passed, exitCode, timedOut, rolledBack: null };
    if (passed) return { data, text };
    return {
      data,
      text,
      // What the command itself has changed is taken back as well: that is only known when it has ended.
      afterwards: async () => {
        const rolledBack = await transactions.rollback({ aside: true }).catch((cause) => {
          throw notRolledBack(end, cause);
        });
        return { data: { ...data, rolledBack }, text: describeRollback(rolledBack) };
      },
    };
  },
};

function notRolledBack(end: string, cause: unknown): ToolError {
  const { code, message } = cause instanceof ToolError ? cause : new ToolError("internal", String(cause));
  return new ToolError(code, `The check ${end}, and its changes could not be rolled back: ${message}`, {
    hint: "The transaction is still open: set this right, then try transaction.rollback.",
    cause,
  });
}

function describeExit(exitCode: number | null): string {
  return exitCode === null ? "was ended by a signal" : `failed with exit code ${exitCode}`;
}

async function runBash(
  command: string,
  timeoutMs: number,
  { environment, signal, output: show }: ToolContext,
): Promise<{ readonly exitCode: number | null; readonly timedOut: boolean; readonly output: string }> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const process = await environment.start("bash", {
    args: ["-c", command],
    signal: AbortSignal.any([signal, deadline]),
  });
  let output = "";
  const collect = async (stream: "stdout" | "stderr") => {
    const decoder = new TextDecoder();
    for await (const piece of process[stream]) {
      const text = decoder.decode(piece, { stream: true });
      show(stream, text);
      output = (output + text).slice(-keptChars);
    }
  };
  await Promise.all([collect("stdout"), collect("stderr")]);
  const { code = null } = await process.exit;
  // Who gives up has not seen it fail: what is open stays open.
  if (signal.aborted)
    throw new ToolError("cancelled", "The check was cancelled; the transaction is still open");
  return { exitCode: deadline.aborted ? null : code, timedOut: deadline.aborted, output };
}

/** The end of an output tells most about why it failed. */
const keptChars = 8_000;
