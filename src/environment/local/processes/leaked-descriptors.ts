import { openSync, readdirSync, readFileSync } from "node:fs";

/**
 * Descriptors from `first` on that whoever started this process left open for every program that it starts: a directory
 * among them would lead out of any sandbox. Node opens none of its own that way, so they are looked for once.
 */
export function leakedDescriptors(first: number): readonly number[] {
  leaked ??= findLeaked();
  return leaked.filter((descriptor) => descriptor >= first);
}

let leaked: readonly number[] | undefined;

/** What stands in the place of each: nothing that can be used. Opened for one start, and closed after it. */
export function nothingToInherit(): number {
  return openSync("/dev/null", "r");
}

const closesOnExec = 0o2000000;

function findLeaked(): readonly number[] {
  try {
    return readdirSync("/proc/self/fd")
      .map(Number)
      .filter((descriptor) => descriptor > 2 && isInherited(descriptor));
  } catch {
    // Elsewhere than on Linux nobody can tell.
    return [];
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closesOnExec) === 0;
  } catch {
    // Closed meanwhile: it was the one that read the list.
    return false;
  }
}
