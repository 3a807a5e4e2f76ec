import { badMessage } from "./message.ts";

/** Joins paths, each with a NUL byte at its end. */
export function joinPaths(paths: Iterable<string>): Uint8Array {
  let text = "";
  for (const path of paths) text += `${path}\0`;
  return Buffer.from(text);
}

/** Splits and checks what `joinPaths` has returned. */
export function pathsOf(joined: Uint8Array): readonly string[] {
  const paths = Buffer.from(joined.buffer, joined.byteOffset, joined.length).toString().split("\0");
  if (paths.pop() !== "") throw badMessage("a list of paths is cut off");
  for (const path of paths) checkRelative(path);
  return paths;
}

/** Refuses a path that leaves the workspace. */
export function checkRelative(path: string): void {
  if (path === "" || /(?:^|\/)\.{0,2}(?:\/|$)|\0/.test(path))
    throw badMessage("a path is not inside the workspace");
}
