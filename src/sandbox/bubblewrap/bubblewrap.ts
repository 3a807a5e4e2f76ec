import { once } from "node:events";
import { openSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { SandboxReport } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { confinedVariables } from "../../engine/sandbox/confined-variables.ts";
import type { GitService, GitView } from "../../engine/sandbox/git/git-service.ts";
import type { ProxyGrant } from "../../engine/sandbox/network/filtering-proxy.ts";
import type { InstanceNetwork } from "../../engine/sandbox/network/instance-network.ts";
import type { Namespace } from "../../engine/sandbox/network/namespace.ts";
import { installsIn } from "../../engine/sandbox/private-installs.ts";
import { attempt } from "../../system/attempt.ts";
import { limitsFor } from "../limits/limits-for.ts";
import type { PrivateDirectories } from "../private-directories.ts";
import { doctorHints, type Launch, type PreparedLaunch, type Sandbox } from "../sandbox.ts";
import { bubblewrapArguments, marksIn, splitVariables, withGitSettings, withoutMarks } from "./arguments.ts";
import { Covers, gitSettingsForCovers } from "./hidden-files.ts";
import { clearPrivateMountPoints, findStrayMount, type Mount, mountsOf, writableSources } from "./mounts.ts";
import type { OpenView, WorkspaceView } from "./workspace-view.ts";

export interface BubblewrapOptions {
  readonly program: string;
  readonly forbidsUserNamespaces: boolean;
  readonly seccomp: string;
  readonly view: WorkspaceView;
  readonly privates: PrivateDirectories;
  /** The network of all commands. Without it, each command has an empty one of its own. */
  readonly network: InstanceNetwork | undefined;
  /** Runs git for commands that see git directories read-only. Undefined where that does not work. */
  readonly gitService: () => Promise<GitService | undefined>;
  readonly report: SandboxReport;
}

/** The descriptors that bubblewrap inherits, in this order. */
const descriptorOf = { arguments: 3, seccomp: 4, sign: 5 } as const;

// The first program inside writes a byte when everything is mounted, waits for a line, and runs the command. When it has
// ended, every other process ends with this program. Those that do not end by themselves within a moment are listed first,
// as /proc/PID/stat describes them. A subshell runs the command, because otherwise dash reports the signal that ended it.
const { sign } = descriptorOf;
const firstProgram = `printf . >&${sign} && read -r _ <&${sign} || exit 126
exec 6>&2 2>/dev/null
trap : HUP INT QUIT TERM
(exec 2>&6 6>&- ${sign}>&-; exec "$@")
code=$?
for round in 1 2 3 4; do
  set --
  for one in /proc/[0-9]*; do
    case $one in /proc/1 | /proc/$$) continue ;; esac
    read -r line <"$one/stat" || continue
    case \${line##*) } in [ZX]*) ;; *) set -- "$@" "$line" ;; esac
  done
  test $# -gt 0 || exit $code
  sleep 0.05
done
printf '%s\\n' "$@" >&${sign}
exit $code`;

/** The resources of one command, from its preparation to its end. */
interface Setup {
  readonly network: { readonly namespace: Namespace; readonly grant: ProxyGrant | undefined } | undefined;
  readonly opened: OpenView;
  readonly mounts: readonly Mount[];
  readonly covers: Covers;
  readonly endGit: () => Promise<void>;
  /** The remarks that were not returned yet. */
  readonly remarks: string[];
}

/** Runs every command in its own namespaces, which bubblewrap creates. */
export class Bubblewrap implements Sandbox {
  readonly level = "bwrap";
  readonly report: SandboxReport;
  readonly #options: BubblewrapOptions;
  #git: GitService | undefined;
  readonly #installs: () => readonly string[];
  #launches = 0;

  constructor(options: BubblewrapOptions) {
    this.#options = options;
    this.#installs = installsIn(options.privates.home);
    this.report = options.report;
  }

  async prepare(launch: Launch): Promise<PreparedLaunch> {
    const setup = await this.#setUp(launch);
    const { opened, covers, remarks } = setup;
    let left: Promise<readonly string[]> | undefined;
    try {
      return {
        ...this.#program(launch, setup),
        cwd: "/",
        endsTogether: true,
        started: async (child) => {
          left = namesOf(await start(setup, child));
          opened.watch(child.kill);
        },
        left: async () => (await left) ?? [],
        connect: async (port) => {
          if (setup.network === undefined) throw cannotBeReached(port);
          return setup.network.namespace.connect(port);
        },
        settle: async (isIdle) => {
          const settled = await opened.settle(isIdle);
          return [...remarks.splice(0), ...settled, ...covers.remarks(opened.isPutBack), ...this.#installs()];
        },
        uncovered: async () => covers.replaced()[0] ?? opened.uncovered(),
        finished: async () => [...(await finish(setup)), ...this.#installs()],
      };
    } catch (error) {
      await finish(setup);
      throw error;
    }
  }

  async connect(port: number): Promise<Socket | undefined> {
    return this.#options.network?.connect(port);
  }

  async close(): Promise<void> {
    this.#git?.close();
    await this.#options.network?.close();
    await this.#options.privates.close();
  }

  async #setUp(launch: Launch): Promise<Setup> {
    const { mayConnect } = launch.confinement;
    const joined = await this.#options.network?.join();
    const grant = mayConnect && joined?.namespace.grant({ mayConnect });
    const network = joined && { namespace: joined.namespace, grant };
    try {
      const { opened, mounts, endGit } = await this.#planMounts(launch, joined?.namespace);
      const isCut = mayConnect !== undefined && network === undefined;
      const remarks = [...(joined?.remarks ?? []), ...(isCut ? [noNetworkRemark] : [])];
      return { network, opened, mounts, endGit, covers: new Covers(opened.covered), remarks };
    } catch (error) {
      grant?.close();
      throw error;
    }
  }

  async #planMounts(
    { confinement, file }: Launch,
    namespace: Namespace | undefined,
  ): Promise<Pick<Setup, "opened" | "mounts" | "endGit">> {
    const { view, privates } = this.#options;
    const opened = await view.open(confinement, file, () => namespace?.unixSockets() ?? "");
    try {
      const gitService = await this.#beginGit(opened, namespace);
      const substitutes = [...opened.view.substitutes, ...gitService.shown];
      const mounts = mountsOf({ ...opened.view, substitutes });
      if (!clearPrivateMountPoints(mounts, privates)) throw pathWasReplaced(privates.home);
      return { opened, mounts, endGit: gitService.end };
    } catch (error) {
      await opened.abandon();
      throw error;
    }
  }

  /** Runs git once. Returns why that does not work here. */
  async proveGit(gitService: GitService): Promise<string | undefined> {
    this.#git = gitService;
    const opened = await this.#options.view.open({ readsOnly: true }, "/bin/sh");
    try {
      return await gitService.prove(this.#viewOfGit(opened, gitService, undefined));
    } finally {
      await opened.abandon();
    }
  }

  /** Begins to run git for the git directories that the view closes. */
  async #beginGit(
    opened: OpenView,
    namespace: Namespace | undefined,
  ): Promise<Awaited<ReturnType<GitService["begin"]>>> {
    const gitService = opened.closed.length === 0 ? undefined : await this.#options.gitService();
    if (gitService === undefined) return { shown: [], end: async () => {} };
    this.#git = gitService;
    return gitService.begin(this.#viewOfGit(opened, gitService, namespace));
  }

  // With bubblewrap's own devices, the first program inside could not change the mounts as an ordinary user.
  #viewOfGit({ view, closed }: OpenView, gitService: GitService, namespace: Namespace | undefined): GitView {
    const { program, privates } = this.#options;
    const mounts = mountsOf({
      ...view,
      held: [...view.held, ...closed],
      readOnly: view.readOnly.filter((path) => !closed.includes(path)),
      substitutes: [...view.substitutes, gitService.trampoline],
    }).map((mount): Mount => (mount.show === "devices" ? { ...mount, show: "plain devices" } : mount));
    return {
      guarded: closed,
      bubblewrapArguments: bubblewrapArguments({
        mounts,
        cwd: "/",
        variables: {},
        seccomp: undefined,
        forbidsUserNamespaces: false,
        memoryBytes: 0,
        keepsNetwork: namespace !== undefined,
      }),
      launch: (command) => {
        const args = ["--args", "4", "--", ...command];
        return namespace?.joining(program, args, writableSources(mounts)) ?? { file: program, args };
      },
      prepare: () => clearPrivateMountPoints(mounts, privates),
      isSound: (pid) => attempt(() => findStrayMount(mounts, mountTables(pid)) === undefined) === true,
    };
  }

  #program(
    launch: Launch,
    { network, opened, mounts }: Setup,
  ): Pick<PreparedLaunch, "file" | "args" | "env" | "descriptors"> {
    const { program, seccomp, forbidsUserNamespaces } = this.#options;
    const { early: env, late } = splitVariables({
      ...confinedVariables(launch.env, launch.env.HOME ?? homedir(), launch.confinement),
      ...network?.grant?.variables,
    });
    const settingLate = late.length === 0 ? [] : ["/usr/bin/env", ...late];
    const command = ["/bin/sh", "-c", firstProgram, "sh", ...settingLate, launch.file, ...launch.args];
    const all = bubblewrapArguments({
      mounts,
      cwd: launch.cwd,
      variables: withoutMarks(opened.view.covers.size > 0 ? withGitSettings(env, gitSettingsForCovers) : env),
      seccomp: descriptorOf.seccomp,
      forbidsUserNamespaces,
      memoryBytes: limitsFor(launch.confinement, opened.view.workspace).memoryBytes,
      keepsNetwork: network !== undefined,
    });
    const args = ["--args", String(descriptorOf.arguments), "--", ...command];
    return {
      ...(network?.namespace.joining(program, args, writableSources(mounts)) ?? { file: program, args }),
      // The other variables are for the program alone: LD_PRELOAD must not affect bubblewrap, which runs outside.
      env: marksIn(env),
      descriptors: [this.#write(all), openSync(seccomp, "r"), "channel"],
    };
  }

  /** Passes the arguments in a file that other users cannot read, because they contain the variables. */
  #write(all: readonly string[]): number {
    if (all.some((argument) => argument.includes("\0")))
      throw new ToolError("invalid-input", "A variable or path contains a NUL byte", {
        hint: "Remove the NUL byte.",
      });
    const path = join(this.#options.privates.own, `arguments-${this.#launches++}`);
    writeFileSync(path, `${all.join("\0")}\0`, { mode: 0o600 });
    try {
      return openSync(path, "r");
    } finally {
      unlinkSync(path);
    }
  }
}

async function start(
  { mounts, covers }: Setup,
  { pid, channels }: Parameters<PreparedLaunch["started"]>[0],
): Promise<Duplex> {
  const [sign] = channels;
  if (sign === undefined || !(await receivesByte(sign))) throw notSetUp();
  covers.begin();
  const stray = findStrayMount(mounts, mountTables(pid));
  if (stray !== undefined) throw pathWasReplaced(stray);
  sign.end("\n");
  return sign;
}

/** Reads the processes that end with the command, and returns their names. */
async function namesOf(sign: Duplex): Promise<readonly string[]> {
  let text = "";
  sign.on("data", (bytes) => {
    text += bytes;
  });
  await new Promise((resolve) => sign.once("close", resolve));
  return [...new Set([...text.matchAll(/^\d+ \((.*)\) \S/gm)].map(([, name]) => name!))];
}

async function finish({ network, opened, covers, endGit, remarks }: Setup): Promise<readonly string[]> {
  await endGit();
  const ended = await opened.end();
  const replaced = covers.remarks(opened.isPutBack);
  return [...remarks.splice(0), ...ended, ...replaced, ...(network?.grant?.close() ?? [])];
}

const noNetworkRemark =
  "The command had no network, which does not work on this machine. See: toolcrib doctor";

function cannotBeReached(port: number): ToolError {
  return new ToolError("unavailable", `Port ${port} in the sandbox cannot be reached on this machine`, {
    hint: "Wait for a line of output instead.",
    forUser: { hint: "To see why, run: toolcrib doctor" },
  });
}

async function receivesByte(channel: Duplex): Promise<boolean> {
  channel.on("error", () => {});
  return Promise.race([
    once(channel, "data").then(() => true),
    once(channel, "end").then(() => false),
    once(channel, "close").then(() => false),
  ]);
}

/** Reads the mount tables of this process, and of the first process inside, which is the child of `pid`. */
function mountTables(pid: number): { readonly inside: string; readonly outside: string } {
  try {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ");
    const table = (process: string) => readFileSync(`/proc/${process}/mountinfo`, "utf8");
    return { inside: table(child ?? ""), outside: table("self") };
  } catch {
    throw notSetUp();
  }
}

function pathWasReplaced(path: string): ToolError {
  return new ToolError(
    "unavailable",
    `The command was not run: ${path} was replaced while the sandbox was set up`,
    {
      hint: "Stop the process in the workspace that replaces it, then try again.",
      details: { kind: "sandbox-not-set-up" },
    },
  );
}

function notSetUp(): ToolError {
  return new ToolError("unavailable", "The command was not run: the sandbox could not be set up", {
    ...doctorHints,
    details: { kind: "sandbox-not-set-up" },
  });
}
