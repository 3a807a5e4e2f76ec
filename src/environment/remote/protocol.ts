import { errorCodes } from "../../contract/error.ts";
import {
  bytes,
  count,
  either,
  list,
  nothing,
  number,
  numbers,
  object,
  oneOf,
  optional,
  type Shape,
  type Shaped,
  shown,
  shownLine,
  table,
  text,
  textUpTo,
  yesOrNo,
} from "./shapes.ts";
import { listedTree, listWanted, searchFound, searchWanted } from "./whole-shapes.ts";

const info = object({
  kind: oneOf("file", "directory", "link", "other"),
  bytes: count,
  modifiedMs: number,
  mode: count,
});

const sha256: Shape<string> = textUpTo(64);

/** Also "", when the content was lost. */
const fileState = object({ kind: oneOf("file"), hash: sha256, bytes: count, mode: count });
const linkState = object({ kind: oneOf("link"), target: text });
const directoryState = object({ kind: oneOf("directory"), mode: count });
const nothingState = object({ kind: oneOf("nothing") });
const entryState = either(either(fileState, linkState), either(directoryState, nothingState));

const receipt = object({ realPath: text, before: optional(info), after: optional(info) });
export const effects = list(
  object({
    realPath: text,
    before: optional(info),
    after: optional(info),
    afterHash: optional(sha256),
  }),
  100_000,
);

const fileChange = object({
  path: text,
  before: text,
  after: either(bytes, oneOf("nothing")),
  mode: optional(count),
  like: optional(text),
  hardLinks: optional(oneOf("break", "keep")),
});

const readResult = { realPath: text };

const recovered = list(
  object({
    outcome: oneOf("completed", "taken back", "failed"),
    transaction: optional(text),
    paths: list(text),
    leftAlone: list(text),
  }),
);

/** The first message of the target. */
export const greeting = object({
  workspace: text,
  home: optional(text),
  ownDirectories: optional(list(text, 100)),
  recovered: optional(recovered),
  runsPrograms: yesOrNo,
  machine: optional(
    object({ node: shownLine, platform: shownLine, missing: list(oneOf("git", "bash"), 10) }),
  ),
  abilities: list(text, 20),
});

export type Greeting = Shaped<typeof greeting>;

/** Optional methods of an environment that the target has. */
export const optionalMethods = [
  ...(["snapshot", "ignoreFilesOutside", "sandbox", "exchange"] as const),
  ...(["walk", "search", "list"] as const),
] as const;

const limits = object({
  cpuSeconds: optional(number),
  memoryBytes: optional(number),
  processes: optional(number),
  fileBytes: optional(number),
  outputBytes: optional(number),
});

const confinement = object({
  unconfined: optional(yesOrNo),
  hosts: optional(list(text)),
  /** Whether the client answers `mayConnect` and `mayRun`. */
  connects: yesOrNo,
  runs: yesOrNo,
  /** Names the path rules, which the target asks for when it does not know them. */
  pathsKey: optional(text),
  absent: optional(list(object({ path: text, kind: oneOf("file", "directory") }))),
  readsOnly: optional(yesOrNo),
  readable: optional(list(text)),
  writable: optional(list(text)),
  writableIfHidden: optional(list(text)),
  variables: optional(object({ base: oneOf("core", "all", "none"), extra: list(text) })),
  limits: optional(limits),
  limitsAtMost: optional(limits),
});

export type SentConfinement = Shaped<typeof confinement>;

const ownDirectory = object({ variable: text, files: table(textUpTo(1024 * 1024)), links: table(text) });

const repositories = list(
  object({
    path: text,
    prefix: text,
    state: object({ head: text, index: text, refs: textUpTo(64 * 1024 * 1024) }),
    /** The index; missing when the client has it, or when there is none. */
    index: optional(object({ bytes, modifiedMs: number })),
  }),
  10_000,
);

const columnShapes = {
  id: count,
  takenMs: number,
  /** The paths, each with a NUL byte at its end. */
  paths: bytes,
  figures: numbers,
  targets: list(list(either(count, text), 2)),
  contents: list(list(either(text, number), 4)),
  leftOut: list(list(either(count, text), 2)),
  repositories,
};

const columns = object(columnShapes);

export type SentSnapshot = Shaped<typeof columns>;

/** The difference to an earlier snapshot. In a list of changes, a place or path alone is to be deleted. */
const delta = object({
  // The entries that are not in `ranges`, as in a whole snapshot.
  ...columnShapes,
  /** The id of the earlier snapshot. */
  base: count,
  /** Entries of the earlier one, three numbers each: the first, the one after the last, and the first one there. */
  ranges: numbers,
});

export type SentDelta = Shaped<typeof delta>;

/** Not `either`, which would accept a delta with invalid ranges as a whole snapshot. */
const columnsOrDelta: Shape<SentSnapshot | SentDelta> = (value, at) =>
  typeof value === "object" && value !== null && Object.hasOwn(value, "base")
    ? delta(value, at)
    : columns(value, at);

const place = { directory: count };

const entries = list(object({ name: text, kind: oneOf("file", "directory", "link", "other") }), 10_000_000);

/** An open directory, with its entries when they are few, because most callers ask for them next. */
const opened = object({ path: text, realPath: optional(text), entries: optional(entries) });

export type SentDirectory = Shaped<typeof opened>;

/** The calls of the client: what it sends, and what the target answers. */
export const methods = {
  realPath: { params: object({ path: text }), result: text },
  info: { params: object({ path: text, followLinks: optional(yesOrNo) }), result: info },
  readFile: {
    params: object({ path: text, maxBytes: count, hashAbove: optional(count) }),
    /** With `hashAbove`, a longer content is only named by its hash. */
    result: object({ ...readResult, bytes: optional(bytes), hash: optional(sha256), info }),
  },
  readBytes: {
    params: object({ path: text, offset: number, length: number }),
    result: object({ ...readResult, bytes }),
  },
  readLines: {
    params: object({ path: text, first: number, count: number, maxBytes: number }),
    result: object({
      ...readResult,
      bytes,
      encoding: oneOf("utf-8", "utf-8-bom", "utf-16le", "utf-16be", "latin1", "binary"),
      lines: count,
      firstLine: optional(count),
      totalLines: optional(count),
      reachedEnd: yesOrNo,
      cutBytes: count,
      info,
    }),
  },
  writeFile: {
    params: object({
      path: text,
      content: bytes,
      announces: yesOrNo,
      ifExists: optional(oneOf("replace", "refuse")),
      durable: optional(yesOrNo),
      mode: optional(count),
    }),
    result: object({ created: yesOrNo, info }),
  },
  delete: {
    params: object({ path: text, announces: yesOrNo, recursive: optional(yesOrNo) }),
    result: nothing,
  },
  move: {
    params: object({ from: text, to: text, announces: yesOrNo, replace: optional(yesOrNo) }),
    result: nothing,
  },
  change: {
    params: object({ changes: list(fileChange, 100_000), announces: yesOrNo, durable: optional(yesOrNo) }),
    result: list(receipt, 100_000),
  },
  state: { params: object({ path: text }), result: entryState },
  changeEntry: {
    params: object({ path: text, announces: yesOrNo, before: entryState, after: entryState }),
    result: nothing,
  },
  modifiedTimes: { params: object({ paths: list(text) }), result: numbers },
  snapshot: {
    params: object({
      without: optional(list(text)),
      like: optional(either(count, columns)),
      known: optional(count),
      again: optional(yesOrNo),
      ignored: optional(object({ maxEntries: number, maxFileBytes: number, maxBytes: number })),
      /** The states of the indexes that the client has. */
      indexes: list(text, 10_000),
    }),
    /** "unknown": the target no longer has the snapshot `like`. A difference: it has the snapshot `known`. */
    result: either(oneOf("unknown"), columnsOrDelta),
  },
  walk: {
    params: object({ directory: text, hidden: yesOrNo, ignoreFiles: yesOrNo }),
    /** The paths, each with a NUL byte at its end. */
    result: object({ paths: bytes, failed: list(object({ path: text, message: shown })) }),
  },
  readFiles: {
    params: object({
      paths: list(text, 10_000),
      maxFileBytes: count,
      maxBytes: count,
      /** The hash of each path, "" when its content is unknown. */
      known: optional(list(sha256, 10_000)),
      hashAbove: optional(count),
    }),
    result: list(
      either(either(bytes, object({ hash: sha256 })), oneOf("same", "gone", "unreadable")),
      10_000,
    ),
  },
  search: { params: object({ wanted: searchWanted, without: list(text) }), result: searchFound },
  list: { params: listWanted, result: listedTree },
  openDirectory: { params: object({ path: text, as: count }), result: opened },
  entries: { params: object(place), result: entries },
  openChild: { params: object({ ...place, name: text, as: count }), result: opened },
  infoOfEntry: { params: object({ ...place, name: text }), result: info },
  readEntry: { params: object({ ...place, name: text, maxBytes: count }), result: optional(bytes) },
  ignoreFilesOutside: {
    params: nothing,
    result: list(
      object({
        name: oneOf(".rgignore", ".ignore", ".gitignore", "exclude", "global"),
        workspace: text,
        text: textUpTo(16 * 1024 * 1024),
      }),
      1000,
    ),
  },
  sandbox: {
    params: nothing,
    result: object({
      level: oneOf("bwrap", "landlock", "seatbelt", "none"),
      missing: list(shown, 100),
      gaps: list(shown, 100),
    }),
  },
  prepareAttack: { params: object({ promise: text }), result: oneOf("ready", "no home") },
  judgeAttack: {
    params: object({ promise: text }),
    result: oneOf("failed", "succeeded", "no bash", "no perl"),
  },
  start: {
    params: object({
      as: count,
      program: text,
      args: list(textUpTo(16 * 1024 * 1024)),
      cwd: optional(text),
      env: optional(table(textUpTo(1024 * 1024))),
      input: optional(either(bytes, oneOf("open"))),
      terminal: optional(yesOrNo),
      shell: optional(yesOrNo),
      reachable: optional(yesOrNo),
      confinement: optional(either(oneOf("ours"), confinement)),
      leavesFiles: optional(yesOrNo),
      ownDirectory: optional(ownDirectory),
      caller: optional(count),
    }),
    result: object({ pid: count, sandbox: oneOf("bwrap", "landlock", "seatbelt", "none") }),
  },
  write: { params: object({ process: count, bytes }), result: nothing },
  runCommand: {
    params: object({
      /** The shell, and the id of the command, whose output and exit are sent like those of a process. */
      ...{ process: count, as: count },
      command: textUpTo(16 * 1024 * 1024),
      cwd: optional(text),
      from: optional(text),
      env: table(textUpTo(1024 * 1024)),
    }),
    result: nothing,
  },
  waitsForInput: { params: object({ process: count }), result: optional(yesOrNo) },
  answers: { params: object({ process: count, port: count, url: optional(text) }), result: yesOrNo },
  settle: { params: object({ process: count }), result: list(shown, 10_000) },
  uncovered: { params: object({ process: count }), result: optional(shown) },
  exchange: {
    params: object({
      url: text,
      method: optional(oneOf("GET", "POST")),
      headers: optional(table(text)),
      body: optional(textUpTo(64 * 1024 * 1024)),
      maxBytes: count,
    }),
    result: object({
      status: count,
      headers: table(textUpTo(256 * 1024)),
      body: bytes,
      isCut: yesOrNo,
    }),
  },
} as const;

export type MethodName = keyof typeof methods;
export type Params<Name extends MethodName> = Shaped<(typeof methods)[Name]["params"]>;
export type Result<Name extends MethodName> = Shaped<(typeof methods)[Name]["result"]>;

/** The calls of the target, all about a call of the client that is still under way or a process that runs. */
export const callbacks = {
  announce: { params: object({ call: count, effects }), result: nothing },
  mayConnect: {
    params: object({ process: count, host: text, port: count, name: optional(text) }),
    result: yesOrNo,
  },
  mayRun: { params: object({ process: count, command: textUpTo(1024 * 1024) }), result: yesOrNo },
  pathRules: { params: object({ process: count }), result: (value: unknown) => value },
} as const;

/** One-way messages of the client. */
export const clientNotes = {
  closeDirectory: object(place),
  credit: object({ process: count, stream: oneOf("stdout", "stderr"), bytes: count }),
  endInput: object({ process: count }),
  terminate: object({ process: count }),
  stop: object({ process: count }),
} as const;

/** One-way messages of the target. */
export const targetNotes = {
  greeting,
  output: object({ process: count, stream: oneOf("stdout", "stderr"), bytes }),
  outputEnd: object({ process: count, stream: oneOf("stdout", "stderr") }),
  exit: object({
    process: count,
    code: optional(number),
    signal: optional(shown),
    remarks: list(shown, 10_000),
    /** The directory of the shell in which the command ran. */
    cwd: optional(text),
    error: optional(object({ code: oneOf(...errorCodes), message: text, hint: optional(text) })),
  }),
} as const;

/** How much output of one stream the target may send before the client has read it. */
export const streamWindow: number = 512 * 1024;
