import { existsSync, lstatSync, readlinkSync, renameSync, symlinkSync } from "node:fs";

/**
 * Nothing can be mounted on a link, so that a command may exchange `.git` where it is one. Then it is put back, and what
 * came in its place stays beside it. Tells what was done.
 */
export function keepLink(path: string): () => string | undefined {
  const target = targetOf(path);
  if (target === undefined) return () => undefined;
  return () => {
    if (targetOf(path) === target) return undefined;
    const aside = freeName(`${path}.replaced`);
    try {
      if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) renameSync(path, aside);
      symlinkSync(target, path);
    } catch (error) {
      return `The command replaced the link ${path}, and it could not be put back: ${(error as Error).message}.`;
    }
    const found = existsSync(aside) ? `, and ${aside} is what the command made` : "";
    return `The command replaced the link ${path}: it was put back${found}.`;
  };
}

function targetOf(path: string): string | undefined {
  try {
    // Mostly there is none, and an error costs more than a look.
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isLink ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}

function freeName(path: string): string {
  for (let number = 0; ; number++) {
    const name = number === 0 ? path : `${path}-${number}`;
    if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return name;
  }
}
