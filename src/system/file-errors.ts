import { type ErrorCode, ToolError } from "../contract/error.ts";
import { nearest } from "../lib/text/nearest.ts";

/** Converts a system error to a ToolError that names the path as the caller spelled it. */
export function asToolError(error: unknown, path: string): ToolError {
  if (error instanceof ToolError) return error;
  if (error instanceof LeadsOutside) return outsideWorkspace(path, error.root);
  const make = byErrno[errnoOf(error) ?? ""];
  if (make === undefined) {
    const message = error instanceof Error ? error.message : String(error);
    return new ToolError("internal", `${path}: ${message}`, { cause: error });
  }
  const made = make(path);
  const { code, message, hint } =
    made instanceof ToolError ? made : { code: made[0], message: made[1], hint: made[2] };
  return new ToolError(code, message, { hint, cause: error });
}

/** Thrown for an entry outside `root`. `asToolError` adds the path as the caller spelled it. */
export class LeadsOutside extends Error {
  readonly root: string;

  constructor(root: string) {
    super(`Outside ${root}`);
    this.root = root;
  }
}

export function systemError(errno: string, path: string): Error {
  return Object.assign(new Error(`${errno}: ${path}`), { code: errno });
}

/** Returns the code of a system error ("ENOENT"); undefined for any other error. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** `parent` lists the directory (relative to the workspace) in which `wanted`, a part of the path, is missing. */
export function notFound(
  path: string,
  parent?: { readonly directory: string; readonly names: readonly string[]; readonly wanted: string },
): ToolError {
  return new ToolError("not-found", `${path} does not exist`, { hint: hintForMissing(path, parent) });
}

function hintForMissing(path: string, parent: Parameters<typeof notFound>[1]): string {
  if (path.startsWith("~"))
    return `"~" is not expanded: use a path relative to the workspace, or an absolute one.`;
  if (isOutputHandle(path)) return "The output is no longer stored: run the call that produced it again.";
  const suggestion = parent === undefined ? undefined : nearest(parent.wanted, parent.names);
  if (suggestion === undefined) return "List the directory or search for the name to find the right path.";
  return `Did you mean ${parent?.directory === "" ? suggestion : `${parent?.directory}/${suggestion}`}?`;
}

export function danglingLink(path: string, target: string): ToolError {
  return new ToolError("not-found", `${path} is a link to ${target}, which does not exist`, {
    hint: "Create the target, or delete the link.",
  });
}

export function outsideWorkspace(path: string, workspace: string): ToolError {
  const isTemporary = /^\/(?:var\/)?tmp(?=\/|$)/;
  // A workspace there has its neighbours there, too.
  const why =
    isTemporary.test(path) && !isTemporary.test(workspace)
      ? `only commands can use ${isTemporary.exec(path)![0]}.`
      : "links must stay inside it too.";
  return new ToolError("outside-workspace", `${path} leads outside the workspace`, {
    hint: `Use a path inside ${workspace}; ${why}`,
  });
}

export function isDirectory(path: string): ToolError {
  return new ToolError("unsupported", `${path} is a directory, not a file`, {
    hint: "List the directory, then name a file in it.",
    details: { kind: "is-directory" },
  });
}

export function isNoDirectory(path: string): ToolError {
  return new ToolError("unsupported", `${path} is not a directory`, {
    hint: "Give the directory that contains it.",
  });
}

export function isSpecial(path: string): ToolError {
  return new ToolError("unsupported", `${path} is a FIFO, device or socket, not a file`, {
    hint: "Use the path of a regular file.",
  });
}

export function isLink(path: string): ToolError {
  return new ToolError("unsupported", `${path} is a link, and links are not followed here`, {
    hint: "Name the file or directory it points to.",
  });
}

export function alreadyExists(path: string): ToolError {
  return new ToolError("already-exists", `${path} already exists`, {
    hint: "Choose another name, or allow the call to replace it.",
  });
}

export function fileInTheWay(path: string): ToolError {
  return new ToolError("already-exists", `${path} already exists and is not a directory`, {
    hint: "Delete it first, or choose another name.",
  });
}

export function directoryInTheWay(path: string): ToolError {
  return new ToolError("already-exists", `${path} already exists and is a directory`, {
    hint: "Name the new path in full, or delete the directory first.",
  });
}

export function tooLarge(path: string, bytes: number, maxBytes: number): ToolError {
  return new ToolError("too-large", `${path} has ${bytes} bytes; at most ${maxBytes} are read at once`, {
    hint: "Read it by lines, or search it.",
  });
}

export function keepsChanging(path: string): ToolError {
  return new ToolError("stale", `${path} keeps changing while it is read`, {
    hint: "Retry when the program that writes it has finished.",
  });
}

/** Returns the error for an entry that is not the one that the change was planned for. */
export function isStale(path: string, is: keyof typeof staleWays): ToolError {
  const what = staleWays[is];
  return new ToolError("stale", `${path} ${what}; nothing was changed`, {
    hint: "Read it again, then change its current content.",
  });
}

const staleWays = {
  changed: "has changed",
  gone: "no longer exists",
  there: "exists now",
  filled: "is not empty",
} as const;

/** Returns the error for a path that had no links when it was recorded. */
export function leadsThroughLink(path: string): ToolError {
  return new ToolError("stale", `${path} is now behind a link or a file`, {
    hint: "List its directories, then use the real path of the file.",
  });
}

export function isNamedTwice(path: string, other: string): ToolError {
  return new ToolError("invalid-input", `${path} and ${other} are the same file`, {
    hint: "Combine the two changes.",
  });
}

export function liesInChangedFile(path: string, file: string): ToolError {
  return new ToolError(
    "invalid-input",
    `This call changes ${path}, but it also deletes ${file} or writes it as a file`,
    {
      hint: "Choose another path, or delete in one call and write in the next.",
    },
  );
}

export function isReadOnlyOutput(path: string): ToolError {
  return new ToolError("denied", `${path} is a stored output and cannot be changed`, {
    hint: "Write to a path in the workspace instead.",
  });
}

export function isWorkspaceItself(path: string): ToolError {
  return new ToolError("unsupported", `${path} is the workspace itself and cannot be replaced`, {
    hint: "Name a file or directory inside it.",
  });
}

export function needsRecursive(path: string): ToolError {
  return new ToolError("unsupported", `${path} is a directory`, {
    hint: "To delete it with everything in it, set `recursive`.",
  });
}

export function ontoItself(path: string): ToolError {
  return new ToolError("invalid-input", `${path} cannot be moved onto itself`, {
    hint: "Choose another target.",
  });
}

export function intoItself(from: string, to: string): ToolError {
  return new ToolError("invalid-input", `${from} cannot be moved into itself, to ${to}`, {
    hint: "Choose a target outside the directory that is moved.",
  });
}

export function programUnavailable(program: string): ToolError {
  return new ToolError("unavailable", `The program ${program} is not available here`, {
    hint: "Install it or put it on the PATH.",
    details: { kind: "missing-program" },
  });
}

const outputHandle = /^out_[0-9a-z]{12,32}$/;

export function isOutputHandle(path: string): boolean {
  return outputHandle.test(path);
}

type Failure = readonly [code: ErrorCode, message: string, hint: string];

const denied = (path: string): Failure => [
  "denied",
  `No permission for ${path}`,
  "Check the permissions of the file and its directory.",
];

const diskFull = (path: string): Failure => [
  "unavailable",
  `${path} was not changed: the disk is full or a size limit is reached`,
  "Free disk space, then retry.",
];

const tooManyOpen = (path: string): Failure => [
  "unavailable",
  `${path} cannot be opened: too many files are open`,
  "Retry when other work has finished, or raise the limit (ulimit -n).",
];

const busy = (path: string): Failure => [
  "unavailable",
  `${path} is in use`,
  "Try again when the program that uses it has finished.",
];

const byErrno: Readonly<Record<string, (path: string) => Failure | ToolError>> = {
  ENOENT: (path) => notFound(path),
  EACCES: denied,
  EPERM: denied,
  EROFS: (path) => ["denied", `${path} is on a read-only file system`, "Choose a writable path."],
  ENOSPC: diskFull,
  EDQUOT: diskFull,
  EFBIG: diskFull,
  ELOOP: (path) => [
    "unsupported",
    `The link ${path} leads back to itself`,
    "Delete the link, or name the file itself.",
  ],
  ENAMETOOLONG: (path) => [
    "invalid-input",
    `The path ${path.length > 80 ? `${path.slice(0, 80)}…` : path} is too long`,
    "Use names of at most 255 bytes and a path of at most 4000.",
  ],
  ENOTDIR: (path) => [
    "unsupported",
    `A part of ${path} is a file, not a directory`,
    "Check the directories in the path.",
  ],
  EISDIR: isDirectory,
  EEXIST: alreadyExists,
  EMFILE: tooManyOpen,
  ENFILE: tooManyOpen,
  ENXIO: isSpecial,
  ENODEV: isSpecial,
  EOPNOTSUPP: isSpecial,
  EBUSY: busy,
  ETXTBSY: busy,
  ENOTEMPTY: (path) => [
    "stale",
    `${path} was not deleted, because a program adds files to it`,
    "Retry when the program that writes there has finished.",
  ],
  ESTALE: (path) => ["stale", `${path} was replaced while it was in use`, "Try again."],
  EXDEV: (path) => [
    "unsupported",
    `${path} is on another file system, and a directory cannot be moved there`,
    "Create the directory there and move its files one by one.",
  ],
  E2BIG: (path) => [
    "too-large",
    `The arguments for ${path} are longer than the system allows`,
    "Pass fewer or shorter arguments.",
  ],
  ERR_INVALID_ARG_VALUE: (path) => [
    "invalid-input",
    `An argument for ${path} contains a NUL byte`,
    "Give it without the NUL byte.",
  ],
  EINVAL: (path) => [
    "invalid-input",
    `The system does not accept ${path}`,
    "Remove unusual characters from the path.",
  ],
  EIO: (path) => ["unavailable", `Disk error at ${path}`, "Check the disk, then try again."],
  ENOMEM: (path) => [
    "unavailable",
    `Not enough memory for ${path}`,
    "Try again when other work has finished.",
  ],
};
