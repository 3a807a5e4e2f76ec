import type { Directories } from "../../system/directories.ts";

/** The parts that the program which starts the console provides. */
export interface ConsoleServices {
  readonly version: string;
  readonly directories: Pick<Directories, "state" | "config">;
  /** The folder with the built page. */
  readonly pageFolder: string;
}
