/** A number with its noun in the right form: "1 byte", "2 bytes". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
