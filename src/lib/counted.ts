/** A number with its noun in the right form: "1 byte", "2 bytes", "3 entries". */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
