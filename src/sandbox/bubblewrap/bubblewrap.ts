import { once } from "node:events";
import { openSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { SandboxReport } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { PrivateDirectories } from "../private-directories.ts";
import type { Launch, PreparedLaunch, Sandbox } from "../sandbox.ts";
import { bubblewrapArguments, type Mount } from "./arguments.ts";
import { type RunningSandbox, RunningSandboxes } from "./freeze.ts";
import { CoverWatch, gitSettingsForCovers } from "./hidden-files.ts";
import { clearPrivateMountPoints, findStrayMount, mountsOf, pinPrivateMountPoints } from "./mounts.ts";
import type { OpenView, WorkspaceView } from "./workspace-view.ts";

export interface BubblewrapOptions {
  /** Absolute path of bubblewrap. */
  readonly program: string;
  readonly forbidsUserNamespaces: boolean;
  /** The file of the seccomp program. */
  readonly seccomp: string;
  readonly view: WorkspaceView;
  readonly places: PrivateDirectories;
  readonly findProgram: (name: string) => Promise<string>;
  readonly report: SandboxReport;
}

// What is inherited, in this order.
const descriptorOf = { arguments: 3, seccomp: 4, sign: 5, network: 6 } as const;

// The first that runs inside: it says that all is set up, waits for our word, and becomes the program.
const { sign } = descriptorOf;
const signLine = `printf . >&${sign} && read -r _ <&${sign} || exit 126; exec ${sign}>&-; exec "$@"`;

/** Namespaces of its own for every command, made by bubblewrap. */
export class Bubblewrap implements Sandbox {
  readonly level = "bwrap";
  readonly report: SandboxReport;
  readonly #options: BubblewrapOptions;
  readonly #running = new RunningSandboxes();
  #launches = 0;

  constructor(options: BubblewrapOptions) {
    this.#options = options;
    this.report = options.report;
  }

  async prepare(launch: Launch): Promise<PreparedLaunch> {
    const { confinement } = launch;
    const needsNetwork = confinement.mayConnect !== undefined || launch.reachable;
    const network = needsNetwork ? await this.#openNetwork(launch) : undefined;
    const lacks = confinement.mayConnect !== undefined && network === undefined ? [reachedNoHosts] : [];
    const { early, late } = byWhoReads(launch.env);
    const settingLate = late.length === 0 ? [] : ["/usr/bin/env", ...late];
    const inner = ["/bin/sh", "-c", signLine, "sh", ...settingLate, launch.file, ...launch.args];
    const { command, env } = network?.wrap(inner, early) ?? { command: inner, env: early };
    const running = this.#running.enter();
    const { opened, mounts } = await this.#look(launch, running).catch(async (error) => {
      running.leave();
      await network?.close();
      throw error;
    });
    const covers = new CoverWatch(opened.covered);
    const finished = async () => {
      running.leave();
      return [...lacks.splice(0), ...covers.end(), ...opened.end(), ...((await network?.close()) ?? [])];
    };
    try {
      const all = bubblewrapArguments({
        mounts,
        cwd: launch.cwd,
        variables: withoutMarks(
          opened.view.covers.size > 0 ? withGitSettings(env, gitSettingsForCovers) : env,
        ),
        seccomp: descriptorOf.seccomp,
        forbidsUserNamespaces: this.#options.forbidsUserNamespaces,
      });
      return {
        file: this.#options.program,
        args: ["--args", String(descriptorOf.arguments), "--", ...command],
        cwd: "/",
        // The rest is for the program alone: LD_PRELOAD must not reach bubblewrap, which runs outside.
        env: marksIn(env),
        descriptors: [
          this.#write(all),
          openSync(this.#options.seccomp, "r"),
          "channel",
          ...(network ? (["channel"] as const) : []),
        ],
        endsTogether: true,
        started: async ({ pid, channels: [sign, channel], kill = () => {} }) => {
          if (channel !== undefined) network?.attach(channel);
          if (sign === undefined || !(await saysSo(sign))) throw notSetUp();
          const stray = findStrayMount(mounts, mountTables(pid)) ?? covers.replaced();
          if (stray !== undefined) throw exchanged(stray);
          covers.begin(kill);
          await running.begin(pid);
          sign.end("\n");
        },
        reach: async (port) => {
          if (network === undefined) throw cannotBeReached(port);
          return network.reach(port);
        },
        settle: async () => [...lacks.splice(0), ...opened.settle()],
        uncovered: () => opened.uncovered(),
        finished,
      };
    } catch (error) {
      await finished();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#options.places.close();
  }

  /** What it is to see, when nobody can change any more what there is. */
  async #look(
    { confinement, file }: Launch,
    running: RunningSandbox,
  ): Promise<{ readonly opened: OpenView; readonly mounts: readonly Mount[] }> {
    const { view, places } = this.#options;
    for (;;) {
      const opened = await view.open(confinement, file);
      try {
        const { mounts, points } = pinPrivateMountPoints(mountsOf(opened.view), places);
        if (await running.claim(mounts.map(({ target }) => target))) {
          if (!clearPrivateMountPoints(points, places.own)) throw exchanged(places.home);
          return { opened, mounts };
        }
      } catch (error) {
        opened.end();
        throw error;
      }
      opened.end();
    }
  }

  /** Undefined without perl: then it reaches nothing, and is not reached. */
  async #openNetwork(launch: Launch): Promise<
    | {
        wrap(
          command: readonly string[],
          env: Readonly<Record<string, string>>,
        ): { command: readonly string[]; env: Readonly<Record<string, string>> };
        attach(channel: Duplex): void;
        reach(port: number): Promise<{ host: string; port: number } | undefined>;
        close(): Promise<readonly string[]>;
      }
    | undefined
  > {
    const { mayConnect } = launch.confinement;
    const perl = await this.#options.findProgram("perl").catch(() => undefined);
    if (perl === undefined) return undefined;
    // Loaded when it is needed: most commands go nowhere.
    const { openNetwork } = await import("../network/open-network.ts");
    const network = openNetwork(mayConnect === undefined ? {} : { mayConnect });
    const wrapping = { perl, descriptor: descriptorOf.network };
    return {
      wrap: (command, env) => network.wrap({ ...wrapping, env }, command),
      attach: (channel) => network.attach(channel),
      reach: (port) => network.reach(port),
      close: () => network.close(),
    };
  }

  /** Unseen by others: variables are among them. */
  #write(all: readonly string[]): number {
    if (all.some((argument) => argument.includes("\0"))) {
      throw new ToolError("invalid-input", "A variable or path contains a NUL byte", {
        hint: "Give it without the NUL byte.",
      });
    }
    const path = join(this.#options.places.own, `arguments-${this.#launches++}`);
    writeFileSync(path, `${all.join("\0")}\0`, { mode: 0o600 });
    try {
      return openSync(path, "r");
    } finally {
      unlinkSync(path);
    }
  }
}

const reachedNoHosts = "It could reach no hosts: that takes perl, which is not installed here.";

function cannotBeReached(port: number): ToolError {
  return new ToolError("unavailable", `Port ${port} in the sandbox cannot be reached without perl`, {
    hint: "Install perl, or wait for a line that it prints instead.",
  });
}

/** Whether a byte comes before the end. */
async function saysSo(sign: Duplex): Promise<boolean> {
  sign.on("error", () => {});
  return Promise.race([
    once(sign, "data").then(() => true),
    once(sign, "end").then(() => false),
    once(sign, "close").then(() => false),
  ]);
}

/** Of the first process inside, which is the child of the one that was started, and ours. */
function mountTables(pid: number): { readonly inside: string; readonly outside: string } {
  try {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ");
    const table = (process: string) => readFileSync(`/proc/${process}/mountinfo`, "utf8");
    return { inside: table(child ?? ""), outside: table("self") };
  } catch {
    throw notSetUp();
  }
}

function exchanged(path: string): ToolError {
  return new ToolError("unavailable", `${path} was exchanged while the sandbox was set up: nothing was run`, {
    hint: "Something that runs in the workspace does that: end it, then try again.",
  });
}

function notSetUp(): ToolError {
  return new ToolError("unavailable", "The sandbox could not be set up, so the command was not run", {
    hint: "Try again; if it stays so, `toolcrib doctor` says what bubblewrap lacks.",
  });
}

/** As git takes settings from variables, after those that are there. */
function withGitSettings(
  env: Readonly<Record<string, string>>,
  settings: Readonly<Record<string, string>>,
): Record<string, string> {
  const count = Number.parseInt(env.GIT_CONFIG_COUNT ?? "0", 10) || 0;
  const added = Object.entries(settings).flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${count + index}`, key],
    [`GIT_CONFIG_VALUE_${count + index}`, value],
  ]);
  const total = String(count + Object.keys(settings).length);
  return { ...env, GIT_CONFIG_COUNT: total, ...Object.fromEntries(added) };
}

/**
 * Variables that loaders and shells obey before the program begins are given only to it, and so are those whose names a
 * shell would not hand on.
 */
function byWhoReads(env: Readonly<Record<string, string>>): {
  readonly early: Record<string, string>;
  readonly late: readonly string[];
} {
  const isLate = (name: string) =>
    /^(?:LD_|BASH|MALLOC_|GLIBC_TUNABLES$|GCONV_PATH$|LOCPATH$|SHELLOPTS$|ENV$|IFS$|PS4$)|\W/.test(name);
  const all = Object.entries(env);
  return {
    early: Object.fromEntries(all.filter(([name]) => !isLate(name))),
    late: all.filter(([name]) => isLate(name)).map(([name, value]) => `${name}=${value}`),
  };
}

const isMark = (name: string) => name.startsWith("TOOLCRIB_");

function marksIn(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => isMark(name)));
}

function withoutMarks(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isMark(name)));
}
