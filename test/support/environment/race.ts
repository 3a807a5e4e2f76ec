import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Environment, FileChange } from "../../../src/contract/environment.ts";
import { ToolError } from "../../../src/contract/error.ts";
import type { PathGuard } from "../../../src/contract/guard.ts";
import { openLocalEnvironment } from "../../../src/environment/local/local-environment.ts";
import { contentHash } from "../../../src/lib/bytes/content-hash.ts";

export type RacedAction =
  | "read"
  | "lines"
  | "link"
  | "list"
  | "held"
  | "snapshot"
  | "write"
  | "delete"
  | "delete tree"
  | "move"
  | "change";

export const racedActions: readonly RacedAction[] = [
  "read",
  "lines",
  "link",
  "list",
  "held",
  "snapshot",
  "write",
  "delete",
  "delete tree",
  "move",
  "change",
];

export interface RaceResult {
  readonly tries: number;
  /** Attempts that succeeded inside, and attempts that were refused or found nothing. */
  readonly succeeded: number;
  readonly refused: number;
  /** Attempts that read or changed something outside. Must be zero. */
  readonly escapes: number;
}

export interface RaceOptions {
  readonly into?: "outside" | "guarded";
  readonly open?: (workspace: string) => Environment;
}

/** A workspace with a directory to attack, `house/door`, and the directory that its links lead to. */
export interface RaceWorld {
  readonly home: string;
  readonly door: string;
  /** A directory in the workspace that links may lead to. */
  readonly fixture: string;
  readonly outside: string;
  readonly environment: Environment;
}

export function makeRaceWorld(options: RaceOptions = {}): RaceWorld {
  const home = mkdtempSync(join(realpathSync(tmpdir()), "toolcrib race "));
  const workspace = join(home, "workspace");
  const isGuarded = options.into === "guarded";
  const outside = isGuarded ? join(workspace, "vault") : join(home, "outside");
  for (const directory of [`${workspace}/house/door`, `${workspace}/room`, `${outside}/tree`]) {
    mkdirSync(directory, { recursive: true });
  }
  writeFileSync(`${workspace}/room/file`, "inside");
  writeFileSync(`${workspace}/house/door/file`, "inside");
  for (const name of outsideNames) writeFileSync(join(outside, name), "secret");
  const openSafely = (path: string) =>
    openLocalEnvironment({
      workspace: path,
      changeRecords: join(home, "changes"),
      ...(isGuarded ? { guard: guardVault } : {}),
    });
  const environment = (options.open ?? openSafely)(workspace);
  return { home, door: `${workspace}/house/door`, fixture: `${workspace}/room`, outside, environment };
}

export interface Race extends AsyncDisposable {
  /** Repeats one action. Continues beyond `tries` until both outcomes have occurred, however slow the attacker is. */
  run(action: RacedAction, tries: number): Promise<RaceResult>;
}

/**
 * Starts a process that keeps replacing the directory by a link to outside, or to a guarded directory in the
 * workspace.
 */
export async function openRace(options: RaceOptions = {}): Promise<Race> {
  const { home, door, fixture, outside, environment } = makeRaceWorld(options);
  const attackerFile = fileURLToPath(new URL("attacker.ts", import.meta.url));
  const attacker = spawn(process.execPath, [attackerFile, door, fixture, outside], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(attacker.stdout, "data");
  return {
    run: (action, tries) => {
      writeFileSync(`${fixture}/file`, "inside");
      return compete(actions[action], environment, { tries, outside });
    },
    [Symbol.asyncDispose]: async () => {
      attacker.kill("SIGKILL");
      await once(attacker, "exit");
      await environment.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Races one action. */
export async function race(
  action: RacedAction,
  options: RaceOptions & { readonly tries: number },
): Promise<RaceResult> {
  await using competition = await openRace(options);
  return competition.run(action, options.tries);
}

const guardVault: PathGuard = (_use, realPath) =>
  /\/vault(?:\/|$)/.test(realPath) ? { reason: "is guarded", rule: "secret vault/**" } : undefined;

type Act = (environment: Environment, attempt: number) => Promise<string | undefined>;

const write = (environment: Environment, path: string) =>
  environment.writeFile(path, Buffer.from("inside"), { durable: false });

/** Each returns the content that it read, if it reads. */
export const actions: Readonly<Record<RacedAction, Act>> = {
  read: async (environment) =>
    textOf((await environment.readFile("house/door/file", { maxBytes: 100 })).bytes),
  lines: async (environment) =>
    textOf((await environment.readLines("house/door/file", { first: 1, count: 1, maxBytes: 100 })).bytes),
  link: async (environment) => textOf((await environment.readFile("room-file", { maxBytes: 100 })).bytes),
  list: async (environment) => {
    const directory = await environment.openDirectory("house/door");
    try {
      const names = (await directory.entries()).map((entry) => entry.name);
      return names.includes("tree") ? "secret" : textOf(await directory.readFile("file", 100));
    } finally {
      directory.close();
    }
  },
  held: async (environment) => {
    const directory = await environment.openDirectory("house/door");
    try {
      return textOf(await directory.readFile("file", 100));
    } finally {
      directory.close();
    }
  },
  snapshot: async (environment) => {
    const paths = [...(await environment.listEntries!()).entries.keys()];
    if (paths.includes("house/door/tree")) return "secret";
    if (!paths.includes("house/door/file")) throw new ToolError("not-found", "It is a link by now");
    return undefined;
  },
  write: async (environment, attempt) => {
    await write(environment, attempt % 2 === 0 ? "house/door/file" : "house/door/new/file");
    return undefined;
  },
  delete: async (environment) => {
    await write(environment, "house/door/file").catch(() => undefined);
    await environment.delete("house/door/file");
    return undefined;
  },
  "delete tree": async (environment, attempt) => {
    await environment.delete(attempt % 2 === 0 ? "house/door/tree" : "house", { recursive: true });
    await write(environment, "house/door/tree/file");
    return undefined;
  },
  move: async (environment, attempt) => {
    const [from, to] = attempt % 2 === 0 ? ["file", "other"] : ["other", "file"];
    await environment.move(`house/door/${from}`, `house/door/${to}`, { replace: true });
    return undefined;
  },
  change: async (environment, attempt) => {
    await environment.change(changesOf(attempt), { durable: false });
    return undefined;
  },
};

const hash = (text: string) => contentHash(Buffer.from(text));

/** Adds or removes a file together with a change of another one, or changes a file that exists only outside. */
function changesOf(attempt: number): readonly FileChange[] {
  const inside = Buffer.from("inside");
  const file = {
    path: "house/door/file",
    before: hash("inside"),
    after: inside,
    mode: 0o600 + (attempt % 5),
  };
  const added = "house/door/new/file";
  if (attempt % 3 === 0) return [file, { path: added, before: "nothing", after: inside }];
  if (attempt % 3 === 1) return [file, { path: added, before: hash("inside"), after: "nothing" }];
  return [
    { path: "house/door/file", before: hash("secret"), after: inside },
    { path: "house/door/other", before: hash("secret"), after: "nothing" },
  ];
}

const outsideNames = ["file", "other", "tree/file"];

async function compete(
  act: Act,
  environment: Environment,
  { tries, outside }: { readonly tries: number; readonly outside: string },
): Promise<RaceResult> {
  let [attempt, succeeded, refused, escapes] = [0, 0, 0, 0];
  while (attempt < tries || succeeded === 0 || refused === 0) {
    try {
      if ((await act(environment, attempt)) === "secret") escapes += 1;
      succeeded += 1;
    } catch (error) {
      if (!(error instanceof ToolError) || error.code === "internal") throw error;
      refused += 1;
    }
    if (attempt % 100 === 0) escapes += changesIn(outside);
    attempt += 1;
  }
  return { tries: attempt, succeeded, refused, escapes: escapes + changesIn(outside) };
}

/** Returns what is missing, changed or new outside, and restores it, so that it is counted once. */
export function changesIn(outside: string): number {
  const found = readdirSync(outside, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(outside.length + 1));
  const added = found.filter((name) => !outsideNames.includes(name));
  const lost = outsideNames.filter(
    (name) => !found.includes(name) || readFileSync(join(outside, name), "utf8") !== "secret",
  );
  for (const name of added) rmSync(join(outside, name));
  for (const name of lost) {
    mkdirSync(join(outside, "tree"), { recursive: true });
    writeFileSync(join(outside, name), "secret");
  }
  return added.length + lost.length;
}

function textOf(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString();
}
