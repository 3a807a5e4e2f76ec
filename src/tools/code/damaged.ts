import { type Damage, showFault } from "../../code/blocks/change-damage.ts";
import { headOf } from "../../code/blocks/describe-block.ts";
import { ToolError } from "../../contract/error.ts";
import { counted } from "../../lib/counted.ts";

/** Refuses a change after which the file would not be what it was but for the change. `text` is the changed text. */
export function damaged(path: string, text: string, { faults, lost }: Damage): ToolError {
  const message =
    faults.length > 0
      ? `${path} would no longer parse:\n${faults
          .slice(0, maxShown)
          .map((fault) => showFault(text, fault))
          .join("\n")}${moreThan(faults.length)}`
      : `${path}: the new code would swallow what follows: ${lost.slice(0, maxShown).map(headOf).join(", ")}${moreThan(lost.length)}`;
  return new ToolError("invalid-input", message, {
    hint:
      "Nothing was written; the lines are those of the changed file. Correct the new code. Where the grammar is wrong " +
      "about it use edit.replace, which does not look at syntax.",
  });
}

const maxShown = 3;

function moreThan(count: number): string {
  return count > maxShown ? `\nand ${counted(count - maxShown, "more fault")}` : "";
}
