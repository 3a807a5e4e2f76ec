/** Removes messages that only report that something takes long, because they depend on the machine. */
export function withoutProgress(output: string): string {
  return output
    .split("\n")
    .map((line) => line.split("\r\u001b[2K"))
    .map((states) => `${states[0]}${states.length > 1 ? states.at(-1) : ""}`)
    .filter((line) => !/ … \d.* s$/.test(line))
    .join("\n");
}
