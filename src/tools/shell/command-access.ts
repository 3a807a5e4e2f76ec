import type { ExecuteAccess } from "../../contract/access.ts";
import { ToolError } from "../../contract/error.ts";
import { shellQuote } from "../../lib/text/shell-quote.ts";

export interface GivenCommand {
  readonly command: string;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly session?: string | undefined;
}

/** Returns the access of running a command. Variables are checked as if the command set them. */
export function commandAccess({ command, cwd, env = {}, session }: GivenCommand): ExecuteAccess {
  if ([command, ...Object.values(env)].some((text) => text.includes("\0")))
    throw new ToolError("invalid-input", "The command or a variable in `env` contains a NUL byte", {
      hint: "Let the command print it: printf 'a\\0b'",
    });
  const assignments = Object.entries(env).map(([name, value]) => {
    checkName(name);
    return `${name}=${shellQuote(value)}`;
  });
  return {
    kind: "execute",
    command: assignments.length === 0 ? command : `export ${assignments.join(" ")}; ${command}`,
    cwd,
    session,
  };
}

function checkName(name: string): void {
  if (!/^[A-Za-z_]\w*$/.test(name))
    throw new ToolError("invalid-input", `"${name}" is not a variable name`, {
      hint: "Use only letters, digits and _ in the names of `env`.",
    });
  if (startsBash.test(name))
    throw new ToolError("invalid-input", `\`env\` must not set ${name}, which controls how bash starts`, {
      hint: "Leave it out, or set it in the command.",
    });
}

const startsBash = /^(?:BASH.*|ENV|SHELLOPTS|POSIXLY_CORRECT|PS4)$/;
