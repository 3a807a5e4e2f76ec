import { ToolError } from "../contract/error.ts";
import { errnoOf } from "../system/file-errors.ts";

/** Loads a package that only fleets with a database need. `install` lists the packages for `npm install`. */
export async function loadPackage<Module>(load: () => Promise<Module>, install: string): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const code = errnoOf(error);
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") throw error;
    throw new ToolError(
      "unavailable",
      `Fleets on several machines need packages that are not installed: ${install}.`,
      {
        hint: `npm install ${install}`,
        cause: error,
      },
    );
  }
}
