import { spawn } from "node:child_process";
import { once } from "node:events";
import { allowedVariables } from "../../../system/environment-variables.ts";
import { ProgramFinder, projectAround } from "./find-program.ts";

/** Opens a file in the program that the user's desktop has for it. Returns false without a desktop. */
export async function openOnDesktop(file: string): Promise<boolean> {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  const isMac = process.platform === "darwin";
  if (!isMac && !DISPLAY && !WAYLAND_DISPLAY) return false;
  try {
    const opener = await new ProgramFinder({}, projectAround(process.cwd())).find(
      isMac ? "open" : "xdg-open",
    );
    const env = allowedVariables(process.env, { base: "all", extra: [] });
    const child = spawn(opener, [file], { stdio: "ignore", detached: true, env });
    await once(child, "spawn");
    child.unref();
    return true;
  } catch {
    return false;
  }
}
