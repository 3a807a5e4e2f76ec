import { languages } from "../code/languages/languages.ts";
import { Reader } from "../code/worker/reader.ts";

/** Starts what parses code, and has it parse something. Tells how many languages it knows. */
export async function tryParser(signal: AbortSignal): Promise<number> {
  const reader = new Reader();
  try {
    await reader.outline({ path: "trial.json", text: "{}" }, { signal });
    return languages.length;
  } finally {
    await reader.close();
  }
}
