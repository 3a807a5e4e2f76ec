import { text } from "node:stream/consumers";
import type { ToolAccess } from "../contract/access.ts";
import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { Decision } from "../policy/policy.ts";

/** The call whose commands may have a syntax error. An environment that starts nothing is not asked. */
interface CallWithCommands {
  readonly accesses: readonly ToolAccess[];
  readonly environment: Partial<Pick<Environment, "start">>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Throws `invalid-input` for a command that has a syntax error, instead of asking whether it may run. bash itself has the
 * last word, because our parser may not know all of its syntax; with `-n` it reads a command and runs nothing.
 */
export async function refuseSyntaxErrors(call: CallWithCommands, decision: Decision): Promise<void> {
  const mayBeOne = decision.parts.some(({ part }) => part.kind === "unclear" && part.isSyntax);
  if (decision.verdict !== "ask" || !mayBeOne) return;
  for (const access of call.accesses) {
    if (access.kind !== "execute" || access.command.length > longest) continue;
    const fault = await faultIn(access.command, call);
    if (fault !== undefined)
      throw new ToolError("invalid-input", `The command has a syntax error: ${fault}`, {
        hint: "Nothing was run. Fix the command.",
      });
  }
}

/** Linux limits an argument to 128 kB. */
const longest = 100_000;

async function faultIn(
  command: string,
  { environment, signal = new AbortController().signal }: CallWithCommands,
): Promise<string | undefined> {
  try {
    // Patterns of extglob are read too: an earlier command of a session may have switched them on.
    const args = ["--noprofile", "--norc", "-O", "extglob", "-n", "-c", command];
    const running = await environment.start?.("bash", {
      args,
      // The message is for the caller, in the language of all others.
      env: { LC_ALL: "C" },
      confinement: "ours",
      signal,
    });
    if (running === undefined) return undefined;
    const [said, { code }] = await Promise.all([text(running.stderr), running.exit, text(running.stdout)]);
    if (code === 0) return undefined;
    return /^\S*bash: -c: line \d+: (.+)$/m.exec(said)?.[1];
  } catch (error) {
    // Without bash, the user is asked.
    if (error instanceof ToolError && error.code !== "cancelled") return undefined;
    throw error;
  }
}
