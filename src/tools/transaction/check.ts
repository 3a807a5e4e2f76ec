import * as z from "zod/mini";
import type { SandboxLevel } from "../../contract/call.ts";
import { errorWith, ToolError } from "../../contract/error.ts";
import type { RolledBack } from "../../contract/history.ts";
import type { OutputLimits, Tool } from "../../contract/tool.ts";
import { amount } from "../fields.ts";
import { commandAccess } from "../shell/command-access.ts";
import { maxTimeoutMs, surroundingsOf, usualTimeoutMs } from "../shell/describe-run.ts";
import { type CommandRun, runCommand } from "../shell/run-command.ts";
import { describeRollback, requireWhole } from "./rollback.ts";

export interface TransactionCheckData {
  readonly passed: boolean;
  /** The exit code; null when a signal or a timeout ended the command. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly sandbox: SandboxLevel;
  /** The changes that were rolled back, when the check failed. */
  readonly rolledBack: RolledBack | null;
}

const limits: OutputLimits = { maxChars: 10_000, keep: "both" };

const input = z.strictObject({
  command: z.string().check(z.minLength(1), z.describe("npm test")),
  timeout_ms: amount(1, maxTimeoutMs, "Default 120000."),
});

export const transactionCheck: Tool<z.infer<typeof input>, TransactionCheckData> = {
  name: "transaction.check",
  description: "Run a command such as the tests; if it fails, roll back the open transaction.",
  risk: "execute",
  input,
  limits,
  timeoutMs: maxTimeoutMs + 10_000,
  accesses: ({ command }) => [commandAccess({ command }), { kind: "write", path: "." }],

  async run({ command, timeout_ms: timeoutMs = usualTimeoutMs }, context) {
    const { transactions } = context;
    await transactions.current();
    const run = await runCommand({ command, timeoutMs, limits }, context).catch((error: unknown) => {
      throw stillOpen(error);
    });
    const { timedOut, sandbox, shown, kept } = run;
    const exitCode = timedOut ? null : run.exitCode;
    const passed = exitCode === 0;
    const end = describeEnd(run, timeoutMs);
    const parts = [shown.text.trimEnd(), `The check ${passed ? "passed" : end}.`, ...surroundingsOf(run)];
    const data = { passed, exitCode, timedOut, sandbox, rolledBack: null };
    const answer = { data, text: parts.filter((part) => part !== "").join("\n"), kept };
    if (passed) return answer;
    return {
      ...answer,
      failed: `The check ${end}`,
      // The rollback happens after the call, because the command's own changes are known only then.
      afterwards: async () => {
        const rollback = transactions.rollback({ aside: true }).then(requireWhole);
        const rolledBack = await rollback.catch((cause) => {
          throw notRolledBack(end, answer.text, cause);
        });
        return { data: { ...data, rolledBack }, text: describeRollback(rolledBack) };
      },
    };
  },
};

function notRolledBack(end: string, output: string, cause: unknown): ToolError {
  const { code, message } = cause instanceof ToolError ? cause : new ToolError("internal", String(cause));
  return new ToolError(code, `The check ${end}, and its changes could not be rolled back: ${message}`, {
    hint: "The transaction is still open: fix the cause, then call transaction.rollback.",
    output,
    cause,
  });
}

function describeEnd({ timedOut, ...exit }: CommandRun, timeoutMs: number): string {
  if (timedOut) return `did not finish within ${timeoutMs / 1000} s`;
  return exit.exitCode === null ? "was ended by a signal" : `failed with exit code ${exit.exitCode}`;
}

/** Adds that the transaction is still open to the error of a check that was cancelled or timed out. */
function stillOpen(error: unknown): unknown {
  if (!(error instanceof ToolError) || (error.code !== "cancelled" && error.code !== "timeout")) return error;
  const what = error.code === "cancelled" ? "The check was cancelled" : error.message;
  return errorWith(error, { message: `${what}; the transaction is still open` });
}
