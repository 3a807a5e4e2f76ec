/** Returns a number with its noun in the right form: "1 byte", "2 bytes", "3 entries". */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** Returns a size for display: "17 bytes", "1.2 kB", "340 MB". */
export function showSize(bytes: number): string {
  if (bytes < 1000) return counted(bytes, "byte");
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), units.length);
  const value = bytes / 1000 ** power;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[power - 1]}`;
}

const units = ["kB", "MB", "GB", "TB"];
