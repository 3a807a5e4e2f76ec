/** Returns how long to wait before a run is delivered again whose work failed so often: 1 s, doubled up to 1 min, with jitter. */
export function failureDelayMs(failures: number): number {
  return Math.ceil(Math.min(1_000 * 2 ** (failures - 1), 60_000) * (0.75 + Math.random() / 2));
}
