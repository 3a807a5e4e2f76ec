import { once } from "node:events";
import { allowedVariables } from "../../../system/environment-variables.ts";
import { ProgramFinder, projectAround } from "../../../system/find-program.ts";
import { startProgram } from "../../../system/start-program.ts";

/** Opens a file in the user's editor, on the user's terminal. Returns the exit code. */
export async function runEditor(file: string): Promise<number> {
  const editor = process.env.VISUAL || process.env.EDITOR || "vi";
  const all = allowedVariables(process.env, { base: "all", extra: [] });
  // No project may provide the editor.
  const { searchPath } = new ProgramFinder({}, projectAround(process.cwd()) ?? []);
  // The shell splits an editor with arguments, such as `code --wait`.
  const child = startProgram("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], {
    stdio: "inherit",
    env: { ...all, PATH: searchPath },
  });
  const [code] = await once(child, "exit");
  return typeof code === "number" ? code : 1;
}
