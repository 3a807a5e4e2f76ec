import type { ToolcribOptions } from "../../toolcrib/index.ts";

/** Returns instructions for the client's model. They are short, because every request contains them. */
export function instructionsFor(
  options: Pick<ToolcribOptions, "workspace" | "readOnly"> & {
    readonly target?: string | undefined;
    readonly note?: string | undefined;
    /** Whether the client's roots may choose another workspace, which a result then names. */
    readonly mayMove?: boolean | undefined;
  },
): string {
  return [
    options.target === undefined
      ? `Tools for the folder ${options.workspace}${options.mayMove ? ", unless a result names another workspace" : ""}.`
      : `Tools for another machine or container: ${options.target}.`,
    options.readOnly
      ? "These tools change nothing."
      : "Edits are exact and can be undone. If a call is denied, the error says why.",
    "Long output is stored under a handle (out_…), which you can read like a file.",
    ...(options.note === undefined ? [] : [options.note]),
  ].join(" ");
}
