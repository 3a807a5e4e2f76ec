import { readFileSync } from "node:fs";

/** The text of a file of the kernel's, below /proc or /sys; empty when what it tells of is gone, or cannot be read. */
export function systemText(path: string, encoding: "latin1" | "utf8" = "latin1"): string {
  try {
    return readFileSync(path, encoding);
  } catch {
    return "";
  }
}
