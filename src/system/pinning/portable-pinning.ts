import { lstatSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { LeadsOutside, systemError } from "../failures.ts";
import type { Gate } from "../gate.ts";
import { liesInside, withSlash } from "../workspace-path.ts";
import type { PinnedDirectory, Pinning } from "./pinning.ts";

/**
 * Pinning by looking before and after, for systems without /proc. Opening is safe on macOS, where one flag forbids
 * links anywhere in the path; elsewhere an exchange within a few microseconds, there and back, can go unseen.
 */
export class PortablePinning implements Pinning {
  readonly root: string;
  readonly gate: Gate;

  constructor(root: string, gate: Gate) {
    this.root = root;
    this.gate = gate;
  }

  pin(path: string): PinnedDirectory {
    const realPath = realpathSync.native(path);
    if (!liesInside(realPath, this.root)) throw new LeadsOutside(this.root);
    return new PortableDirectory(realPath, this.root);
  }

  close(): void {}
}

class PortableDirectory implements PinnedDirectory {
  readonly realPath: string;
  readonly isHandle = false;
  readonly #root: string;
  readonly #identity: string;

  constructor(realPath: string, root: string) {
    this.realPath = realPath;
    this.#root = root;
    this.#identity = identify(realPath);
    this.confirm();
  }

  identity(): string {
    return this.#identity;
  }

  at(name: string): string {
    this.confirm();
    return withSlash(this.realPath) + name;
  }

  bytesAt(name: Uint8Array): Buffer {
    this.confirm();
    return Buffer.concat([Buffer.from(withSlash(this.realPath)), name]);
  }

  confirm(): void {
    const realPath = realpathSync.native(this.realPath);
    if (!liesInside(realPath, this.#root)) throw new LeadsOutside(this.#root);
    if (realPath === this.realPath && identify(realPath) === this.#identity) return;
    throw systemError("ESTALE", this.realPath);
  }

  child(name: string | Uint8Array): PinnedDirectory {
    // Names that are no valid UTF-8 cannot be held by path: the system will not find this one.
    const path = this.at(name.toString());
    if (lstatSync(path).isSymbolicLink()) throw systemError("ELOOP", path);
    return new PortableDirectory(path, this.#root);
  }

  parent(): PinnedDirectory {
    return new PortableDirectory(dirname(this.realPath), this.#root);
  }

  close(): void {}
}

function identify(path: string): string {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) throw systemError("ENOTDIR", path);
  return `${stats.dev}:${stats.ino}`;
}
