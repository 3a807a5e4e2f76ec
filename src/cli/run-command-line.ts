import { ToolError } from "../contract/error.ts";
import { errorOnTarget } from "../lib/text/commands-on-target.ts";
import { realWorkspace } from "../system/directories.ts";
import { version } from "../system/version.ts";
import type { Arguments, Command } from "./command.ts";
import { callCommand } from "./commands/call.ts";
import { withTarget } from "./config/with-target.ts";
import { parseArguments } from "./parse-arguments.ts";
import { exitCodeOfError, failedCall, printFailure, printJson } from "./report.ts";
import { print } from "./terminal.ts";

/** Runs the command that these words name, and returns the exit code. */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  try {
    return await run(words);
  } catch (error) {
    try {
      return reportError(error, words);
    } catch (worse) {
      // Standard output cannot be written; standard error may still work.
      return reportError(worse, []);
    }
  }
}

async function run([name = "--help", ...rest]: readonly string[]): Promise<number> {
  if (name === "--version" || name === "-v") print(`${version}\n`);
  else if (name === "--help" || name === "-h") print((await import("./help.ts")).explainEverything());
  else {
    const command = await commandOf(name);
    const given = parseArguments(rest, command);
    if (!given.options.has("help")) {
      const folder = given.options.get("cwd");
      if (folder !== undefined) process.chdir(realWorkspace(folder));
      return runOnTarget(command, await withTarget(given, command));
    }
    print(await (await import("./help.ts")).explainCommand(command, given));
  }
  return 0;
}

async function runOnTarget(command: Command, given: Arguments): Promise<number> {
  try {
    return await command.run(given);
  } catch (error) {
    throw errorOnTarget(error, given.options.get("target"));
  }
}

/** A call is the command that starts most often, so it does not load the others. */
async function commandOf(name: string): Promise<Command> {
  if (name === callCommand.name) return callCommand;
  return (await import("./commands/commands.ts")).findCommand(name);
}

function reportError(thrown: unknown, words: readonly string[]): number {
  const error = toToolError(thrown);
  const options = words.includes("--") ? words.slice(0, words.indexOf("--")) : words;
  if (words[0] === "call" && options.includes("--json")) printJson(failedCall(error));
  else printFailure(error);
  return exitCodeOfError(error.code);
}

function toToolError(thrown: unknown): ToolError {
  if (thrown instanceof ToolError) return thrown;
  const { code, syscall } = thrown as NodeJS.ErrnoException;
  if (code !== "ENOENT" || syscall !== "uv_cwd") return unexpected(thrown);
  return new ToolError("not-found", "The current folder does not exist any more", {
    hint: "Change to a folder that exists: cd",
    cause: thrown,
  });
}

function unexpected(cause: unknown): ToolError {
  const reason = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return new ToolError("internal", `Toolcrib failed unexpectedly: ${reason}`, {
    hint: "This is a bug in Toolcrib: please report it.",
    cause,
  });
}
