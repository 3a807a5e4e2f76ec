import { errorCodes } from "../../contract/error.ts";
import type { EntryState } from "../../contract/history.ts";
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
const states = { file: fileState, link: linkState, directory: directoryState, nothing: nothingState };
const anyState = object({ kind: oneOf("file", "link", "directory", "nothing") });
const entryState: Shape<EntryState> = (value, at) => states[anyState(value, at).kind](value, at);

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
  ...(["listEntries", "watchEffects", "resumeEffects"] as const),
  ...(["ignoreFilesOutside", "sandbox", "exchange"] as const),
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
  absent: optional(list(object({ path: text, kind: oneOf("file", "directory", "names") }))),
  lifted: optional(list(text)),
  readsOnly: optional(yesOrNo),
  readable: optional(list(text)),
  writable: optional(list(text)),
  writableIfHidden: optional(list(text)),
  variables: optional(object({ base: oneOf("most", "core", "all", "none"), extra: list(text) })),
  limits: optional(limits),
  limitsAtMost: optional(limits),
});

export type SentConfinement = Shaped<typeof confinement>;

const ownDirectory = object({ variable: text, files: table(textUpTo(1024 * 1024)), links: table(text) });

/** The entries of a workspace, see `packSnapshot`. */
const packedSnapshot = object({
  takenMs: number,
  paths: bytes,
  figures: numbers,
  targets: list(list(text, 2)),
  leftOut: list(object({ path: text, why: oneOf("ignored", "repository", "unreadable", "system") })),
  repositories: list(object({ path: text, prefix: text }), 10_000),
});

export type SentSnapshot = Shaped<typeof packedSnapshot>;

/** Paths, each with a NUL byte at its end, and the hashes in their order. */
const kept = { paths: bytes, hashes: list(sha256) };

/** The files whose content is to be kept: path, bytes, and 1 if they are new. */
const watched = object({ id: count, paths: bytes, figures: numbers, keptBytes: number });

export type SentWatch = Shaped<typeof watched>;

const sentEffects = object({
  differences: list(
    object({
      path: text,
      before: entryState,
      after: entryState,
      inGit: optional(object({ repository: text, oid: textUpTo(64) })),
      looksSame: yesOrNo,
      isOverBudget: yesOrNo,
    }),
    1_000_000,
  ),
  notCompared: list(
    object({ path: text, why: oneOf("ignored", "repository", "unreadable", "system", "special") }),
    1_000_000,
  ),
  folders: object({ changed: list(text), unknown: list(text) }),
  repositories: list(
    object({ path: text, parts: list(oneOf("HEAD", "branches or tags", "the index"), 3) }),
    10_000,
  ),
});

export type SentEffects = Shaped<typeof sentEffects>;

const place = { directory: count };

const entries = list(object({ name: text, kind: oneOf("file", "directory", "link", "other") }), 10_000_000);

/** An open directory, with its entries when they are few, because most callers ask for them next. */
const opened = object({ path: text, realPath: optional(text), entries: optional(entries) });

export type SentDirectory = Shaped<typeof opened>;

/** The calls of the client: what it sends, and what the target answers. */
export const methods = {
  realPath: { params: object({ path: text }), result: text },
  pathOutsideSeenByCommands: { params: object({ path: text }), result: object({ real: optional(text) }) },
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
  listEntries: { params: nothing, result: packedSnapshot },
  watchEffects: {
    params: object({
      id: text,
      without: optional(list(text)),
      storedSince: number,
      maxEntries: number,
      ignored: optional(object({ maxEntries: number, maxFileBytes: number, maxBytes: number })),
    }),
    result: watched,
  },
  resumeEffects: {
    params: object({ id: text, without: optional(list(text)) }),
    result: optional(watched),
  },
  keepEffects: { params: object({ watch: count, ...kept }), result: nothing },
  endEffects: { params: object({ watch: count }), result: sentEffects },
  discardEffects: { params: object({ watch: count, ...kept }), result: nothing },
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
