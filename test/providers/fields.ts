/** Finds fields that an object may not have; `where` is its path. */
export function unknownFields(value: object, allowed: ReadonlySet<string>, where: string): string[] {
  return Object.keys(value)
    .filter((field) => !allowed.has(field))
    .map((field) => `Unknown parameter: '${where}${field}'.`);
}
