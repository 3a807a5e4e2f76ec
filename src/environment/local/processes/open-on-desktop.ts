import { once } from "node:events";
import { allowedVariables } from "../../../system/environment-variables.ts";
import { ProgramFinder, projectAround } from "../../../system/find-program.ts";
import { startProgram } from "../../../system/start-program.ts";

/** Opens a file in the program that the user's desktop has for it. Returns false without a desktop. */
export async function openOnDesktop(file: string): Promise<boolean> {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  const isMac = process.platform === "darwin";
  if (!isMac && !DISPLAY && !WAYLAND_DISPLAY) return false;
  try {
    const finder = new ProgramFinder({}, projectAround(process.cwd()) ?? []);
    const opener = await finder.find(isMac ? "open" : "xdg-open");
    const all = allowedVariables(process.env, { base: "all", extra: [] });
    // xdg-open searches the browser on the PATH.
    const env = { ...all, PATH: finder.searchPath };
    const child = startProgram(opener, [file], { stdio: "ignore", detached: true, env });
    await once(child, "spawn");
    child.unref();
    return true;
  } catch {
    return false;
  }
}
