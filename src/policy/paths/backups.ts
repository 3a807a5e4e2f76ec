import type { Names } from "./names.ts";

/** The files that this one may be a copy of, by its name: what editors and people leave beside what they change. */
export function originalsOf({ exact, folded, inside }: Names): readonly Names[] {
  const [name, foldedName] = [exact.at(-1) ?? "", folded.at(-1) ?? ""];
  if (!backup.test(foldedName)) return none;
  const foldedOriginals = originalNames(foldedName);
  return originalNames(name).map((original, index) => ({
    exact: exact.with(-1, original),
    folded: folded.with(-1, foldedOriginals[index] ?? original),
    inside,
  }));
}

const none: readonly Names[] = [];
const backup = /^#.+#$|.~$|.\.(?:bak|backup|old|orig|save|sw[a-p])$/i;

/** `x~`, `x.~1~`, `#x#`, `x.bak`; Vim's `.x.swp` may be of `x` or of `.x`. */
function originalNames(name: string): readonly string[] {
  if (name.startsWith("#") && name.endsWith("#")) return [name.slice(1, -1)];
  const original = name.replace(/(?:\.~\d+)?~$|\.[a-z]+$/i, "");
  return /^\..+\.sw[a-p]$/i.test(name) ? [original, original.slice(1)] : [original];
}
