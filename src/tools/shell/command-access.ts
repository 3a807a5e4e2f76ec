import type { ExecuteAccess } from "../../contract/access.ts";
import { ToolError } from "../../contract/error.ts";
import { shellQuote } from "../../lib/text/shell-quote.ts";

export interface GivenCommand {
  readonly command: string;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly session?: string | undefined;
}

/** The access of running it. Variables are checked as if the command set them. */
export function commandAccess({ command, cwd, env = {}, session }: GivenCommand): ExecuteAccess {
  if ([command, ...Object.values(env)].some((text) => text.includes("\0")))
    throw new ToolError("invalid-input", "A command cannot contain a NUL byte", {
      hint: "Use printf 'a\\0b'. Variables and arguments cannot contain one at all.",
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
      hint: "Names in `env` have letters, digits and _ only.",
    });
  if (startsBash.test(name))
    throw new ToolError("invalid-input", `${name} in \`env\` controls how bash starts`, {
      hint: "Leave it out, or set it in the command.",
    });
}

const startsBash = /^(?:BASH.*|ENV|SHELLOPTS|POSIXLY_CORRECT|PS4)$/;
