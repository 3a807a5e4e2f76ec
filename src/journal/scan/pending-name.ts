/** Whether a file in the folder of scans is of one that has begun. */
export function isPending(name: string): boolean {
  return name.startsWith("call_");
}
