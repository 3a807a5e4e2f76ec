/** Replaces big integers by text. Pass it to `JSON.stringify`, because JSON has no big integers. */
export function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}
