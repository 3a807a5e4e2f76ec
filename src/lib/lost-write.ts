const meaning =
  " was not written: it was created in the private home of commands, which is deleted. Create it outside first, then run the command again.";

/** The remark about a path that a command created in its private home, and not in the user's. */
export function lostWrite(path: string): string {
  return path + meaning;
}

export function isLostWrite(remark: string): boolean {
  return remark.endsWith(meaning);
}
