import type { Gate } from "../gate.ts";

/**
 * How a directory is held while something is done in it. Methods throw plain system errors, and LeadsOutside when
 * what they reach does not lie below the root.
 */
export interface Pinning {
  readonly root: string;
  /** What is reached has to pass it before it is read or changed. */
  readonly gate: Gate;
  /** Holds the directory that an absolute path leads to, links followed. */
  pin(path: string): PinnedDirectory;
  /** Opens a file for reading in one go where its path is real and that is safe; any error else. */
  openDirectly?(path: string): number;
  close(): void;
}

/** A directory in which names can be worked on although somebody may exchange what its path leads to. */
export interface PinnedDirectory {
  /** Where it was when it was pinned. */
  readonly realPath: string;
  /** Held by handle: `at` cannot be led astray. */
  readonly isHandle: boolean;
  /** Device and inode. */
  identity(): string;
  /** A path to `name` in this very directory, good for one system call that does not follow a link at its end. */
  at(name: string): string;
  /** The same for names that are perhaps no valid UTF-8. */
  bytesAt(name: Uint8Array): Buffer;
  /** Throws when the directory was exchanged since it was pinned; nothing to do for a handle. */
  confirm(): void;
  /** Holds a directory in this one; fails on a link. */
  child(name: string | Uint8Array): PinnedDirectory;
  /** Holds the directory this one is in, wherever that is now: compare its identity. */
  parent(): PinnedDirectory;
  /** Once for each time it was handed out. */
  close(): void;
}
