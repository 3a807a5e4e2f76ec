import { showPath } from "../../../lib/text/printable.ts";

/** Describes folders that are not scanned because git ignores them. */
export function describeIgnored(folders: readonly string[]): string {
  const more = folders.length - maxNamedFolders;
  const names = folders.slice(0, maxNamedFolders).map(showPath);
  return `any change inside ignored folders (${[...names, ...(more > 0 ? [`${more} more`] : [])].join(", ")})`;
}

const maxNamedFolders = 5;
