import { type Descriptor, paint } from "./terminal.ts";

/** A unified diff, its lines coloured by what they do. */
export function colourDiff(descriptor: Descriptor, diff: string): string {
  return diff.replace(/^.*$/gm, (line) => {
    if (line.startsWith("+")) return paint(descriptor, "green", line);
    if (line.startsWith("-")) return paint(descriptor, "red", line);
    return line.startsWith("@@") ? paint(descriptor, "dim", line) : line;
  });
}
