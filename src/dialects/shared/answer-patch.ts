import type { ToolOutput } from "../../contract/tool.ts";
import type { EditData, EditedFile } from "../../tools/edit/edited-file.ts";

/** A line for each file, as git tells of them, and what there is to say about how the patch was understood. */
export function answerPatch({ data }: ToolOutput<EditData>): string {
  return data.files
    .flatMap((file) => [changeOf(file), ...file.notes.map((note) => `  (${note})`)])
    .join("\n");
}

function changeOf({ action, path, from }: EditedFile): string {
  switch (action) {
    case "move":
      return `R ${from} -> ${path}`;
    case "delete":
      return `D ${path}`;
    case "update":
      return `M ${path}`;
    case "add":
    case "copy":
      return `A ${path}`;
  }
}
