/**
 * Lines that a checker says of the new state and did not say of the old. What stood on another line is the
 * same complaint.
 */
export function complaintsAdded(before: string, after: string): readonly string[] {
  const known = new Map<string, number>();
  for (const line of before.split("\n")) known.set(plain(line), (known.get(plain(line)) ?? 0) + 1);
  return after.split("\n").filter((line) => {
    const left = known.get(plain(line)) ?? 0;
    known.set(plain(line), left - 1);
    return left <= 0;
  });
}

function plain(line: string): string {
  return line.replace(places, "0").replace(sums, "0 $1").trim();
}

/** `a.rs:3:5`, `a.ts(3,5)`, `line 3`, and what stands before a line that is shown. */
const places = /(?<=[:(,]|\blines? |^\s*)\d+(?=[:),|\s\u2502-]|$)/g;

/** "Found 2 errors in 1 file": fewer than before is no complaint. */
const sums = /\b\d+ (?:\w+ )?(error|warning|problem|issue|diagnostic|offense|file)s?\b/g;
