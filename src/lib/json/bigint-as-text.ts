/** A replacer for `JSON.stringify`, because JSON has no big integers. */
export function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}
