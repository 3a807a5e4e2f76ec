import { spawn } from "node:child_process";
import { once } from "node:events";
import { allowedVariables } from "../../../system/environment-variables.ts";

/** Opens a file in the user's editor, on the user's terminal. Returns the exit code. */
export async function runEditor(file: string): Promise<number> {
  const editor = process.env.VISUAL || process.env.EDITOR || "vi";
  const env = allowedVariables(process.env, { base: "all", extra: [] });
  // The shell splits an editor with arguments, such as `code --wait`.
  const child = spawn("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit", env });
  const [code] = await once(child, "exit");
  return typeof code === "number" ? code : 1;
}
