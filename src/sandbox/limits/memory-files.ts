import { readlinkSync, statfsSync, statSync } from "node:fs";
import { namesIfReadable } from "../../system/names-in.ts";
import type { Life } from "../../system/process-owner.ts";
import { systemText } from "../../system/system-text.ts";

/**
 * Files that are kept in memory and that only a command has, in the /dev/shm of its sandbox for example, or without any
 * name: they are memory that it uses, though no process does.
 */
export class MemoryFiles {
  #mounts: readonly Mount[] = [];

  /** Finding those without a name costs more than all else, and is left out unless asked for. */
  bytes(members: readonly Life[], { nameless }: { readonly nameless: boolean }): number {
    // Who was started last is inside.
    const pid = members.at(-1)?.pid ?? 0;
    if (this.#mounts.length === 0) this.#mounts = mountsOnlyOf(pid);
    const named = this.#mounts.reduce((sum, mount) => sum + bytesIn(mount, `/proc/${pid}/root`), 0);
    return named + (nameless ? namelessBytes(members) : 0);
  }
}

interface Mount {
  readonly device: number;
  readonly path: string;
}

/** No mount inside ever changes: the sandbox forbids it. */
function mountsOnlyOf(pid: number): readonly Mount[] {
  const ours = new Set(mountsIn(systemText("/proc/self/mountinfo", "utf8")).map(({ device }) => device));
  return mountsIn(systemText(`/proc/${pid}/mountinfo`, "utf8")).filter(({ device }) => !ours.has(device));
}

/** Those in memory that can be written: "36 35 0:67 /root /path rw,nosuid - tmpfs source options". */
function mountsIn(text: string): readonly Mount[] {
  return text.split("\n").flatMap((line) => {
    const [, major, minor, path, options] = mountLine.exec(line) ?? [];
    if (path === undefined || !options!.split(",").includes("rw")) return [];
    return [{ device: deviceNumber(Number(major), Number(minor)), path: unescaped(path) }];
  });
}

const mountLine = /^\d+ \d+ (\d+):(\d+) \S+ (\S+) (\S+) .*- tmpfs /;

/** As `stat` tells it. */
function deviceNumber(major: number, minor: number): number {
  return (minor & 0xff) + (major & 0xfff) * 2 ** 8 + (minor >>> 8) * 2 ** 20;
}

function unescaped(path: string): string {
  return path.replace(/\\(\d{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)));
}

function bytesIn({ device, path }: Mount, root: string): number {
  try {
    // What lies under another mount is out of reach, and the other must not be taken for it.
    if (statSync(root + path).dev !== device) return 0;
    const { blocks, bfree, bsize } = statfsSync(root + path);
    return (blocks - bfree) * bsize;
  } catch {
    return 0;
  }
}

/** Each once, however many hold it. */
function namelessBytes(members: readonly Life[]): number {
  const sizes = new Map<number, number>();
  for (const { pid } of members) {
    for (const path of namesIfReadable(`/proc/${pid}/fd`).map((name) => `/proc/${pid}/fd/${name}`)) {
      try {
        if (!readlinkSync(path).startsWith("/memfd:")) continue;
        const { ino, blocks } = statSync(path);
        sizes.set(ino, blocks * blockBytes);
      } catch {
        // It was closed meanwhile.
      }
    }
  }
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
}

const blockBytes = 512;
