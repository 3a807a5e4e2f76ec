import type { RecoveredChange } from "../toolcrib/index.ts";
import type { Past } from "./parts.ts";

/** What a model has to know before a session goes on; undefined where it ended as it should. */
export function openingOf({ isTurnOpen }: Past, recovered: readonly RecoveredChange[]): string | undefined {
  const words = [
    ...(isTurnOpen ? ["The program that you worked in was ended in the middle of your last turn."] : []),
    ...recovered.map(tellChange),
  ];
  if (words.length === 0) return undefined;
  return `[${words.join(" ")} Look at what is there before you go on.]`;
}

function tellChange({ outcome, transaction, paths }: RecoveredChange): string {
  const what = transaction ? "An open transaction" : "A change of files that was half done";
  const files = paths.slice(0, shownPaths).join(", ") + (paths.length > shownPaths ? ", …" : "");
  const became = {
    completed: "was completed",
    "taken back": "was taken back",
    failed: "could not be settled yet",
  };
  return `${what} ${became[outcome]}: ${files}.`;
}

const shownPaths = 10;
