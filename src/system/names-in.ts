import { readdirSync } from "node:fs";
import { errnoOf } from "./failures.ts";

/** What is in a folder of ours; nothing when there is none. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return [];
    throw error;
  }
}

/** The same of a folder of others, which may be closed to us. */
export function namesIfReadable(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
