/** What a person has been told, without what only says that something takes long: that depends on the machine. */
export function withoutProgress(output: string): string {
  return output
    .split("\n")
    .map((line) => line.split("\r\u001b[2K"))
    .map((states) => `${states[0]}${states.length > 1 ? states.at(-1) : ""}`)
    .filter((line) => !/ … \d.* s$/.test(line))
    .join("\n");
}
