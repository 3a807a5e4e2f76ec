import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import type { Confinement } from "../../contract/confinement.ts";
import { ToolError } from "../../contract/error.ts";
import type { HoldBack } from "../../engine/sandbox/hold-back.ts";
import { KnownSockets, socketsOfMachine } from "../../engine/sandbox/known-sockets.ts";
import { copyOfSshSettings } from "../../engine/sandbox/ssh-settings.ts";
import { directoriesOfOthers, type Shown, type Visible } from "../../engine/sandbox/visible.ts";
import { keepTemporary } from "../../system/shared-temporary.ts";
import { liesInside } from "../../system/workspace-path.ts";
import { CacheSecrets } from "../cache-secrets.ts";
import { watchForBareRepository, watchGitSettings, watchLink } from "../git-repair.ts";
import { closedRepositories, repositoriesIn } from "../git-repositories.ts";
import { lostWrites, type PrivateDirectories } from "../private-directories.ts";
import { directoriesAbove, isInOneOf, isReal, realPathOf, realPathsOf } from "../real-paths.ts";
import type { RepositoryCheck, RepositoryWatch } from "../repository-watch.ts";
import { doctorHints, type PreparedLaunch, type SandboxContext } from "../sandbox.ts";
import { type PathRules, rulesOf, type ScanResult, type TreeEntry, TreeScan } from "../tree-scan.ts";
import { bundleEntries } from "./bundle-mounts.ts";
import { coverFilesFor } from "./hidden-files.ts";
import type { SandboxView } from "./mounts.ts";

interface WorkspaceViewOptions extends Omit<SandboxContext, "findProgram"> {
  readonly privates: PrivateDirectories;
  readonly visible: Visible;
  /** Directories (`target`) of toolchains of which commands have a copy (`source`) that they can write. */
  readonly copies?: readonly Shown[];
  readonly holdBack: HoldBack;
  readonly repositories: RepositoryWatch;
  /** Runs git for commands, so that git directories can be closed to them. Undefined where that does not work. */
  readonly gitService?: () => Promise<unknown>;
  /** The most directories to scan below a path that a rule grants outside the workspace. */
  readonly maxGranted?: number;
}

export interface OpenView extends Pick<Required<PreparedLaunch>, "uncovered"> {
  readonly view: SandboxView;
  /** The git directories that the view shows read-only, and the view of git writable. */
  readonly closed: readonly string[];
  /** Paths that are covered by mounts. Replacing one outside uncovers it inside. */
  readonly covered: readonly string[];
  /** Call it when the command runs. `kill` ends it. */
  watch(kill: () => void): void;
  /** See `PreparedLaunch`. */
  settle(isIdle: boolean): Promise<readonly string[]>;
  /** Whether a protected file was replaced outside, and the one from before is back. */
  isPutBack(path: string): boolean;
  /** Cleans up when the command has ended. Returns remarks. */
  end(): Promise<readonly string[]>;
  /** Cleans up when no command was started. */
  abandon(): Promise<void>;
}

interface Grants {
  /** Real paths. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
}

interface Found {
  readonly rules: PathRules;
  readonly grants: Grants;
  readonly hidden: readonly TreeEntry[];
  readonly readOnly: readonly string[];
  readonly git: ReturnType<typeof closedRepositories>;
  /** Protected entries that exist, also those behind links. */
  readonly existing: readonly string[];
  /** The command cannot write to the workspace, so no path must be held or kept absent. */
  readonly readsOnly: boolean;
}

/** The view that commands have of a workspace and of the machine. */
export class WorkspaceView {
  readonly #options: WorkspaceViewOptions;
  readonly #scans = new Map<string, TreeScan>();
  readonly #blank: readonly string[];
  readonly #kernelSettings = process.getuid?.() === 0 ? settingsOfRoot.filter(existsSync) : [];
  readonly #sshSettings: readonly Shown[];
  readonly #cacheSecrets = new CacheSecrets();
  readonly #sockets = new KnownSockets();
  /** Directories that commands do not see as they are outside. */
  readonly #unseen: readonly string[];

  constructor(options: WorkspaceViewOptions) {
    const { visible, workspace, privates } = options;
    this.#options = options;
    const replaced = this.#replaced().map(({ target }) => target);
    const isAround = (path: string) => visible.isWhole || liesInside(path, workspace);
    this.#blank = directoriesOfOthers(visible).filter(isAround);
    this.#unseen = [...replaced, ...this.#blank, "/dev", "/proc", "/sys"];
    this.#sshSettings = copyOfSshSettings(privates.own);
  }

  /** `socketsInside` reads the table of unix sockets in the network that the command joins. */
  async open(
    confinement: Confinement,
    program: string,
    socketsInside: () => string = () => "",
  ): Promise<OpenView> {
    this.#sockets.join(socketsInside);
    const { temporary } = this.#options.privates;
    if (!keepTemporary(temporary)) throw isTaken(temporary);
    const { workspace, holdBack, repositories } = this.#options;
    const rules = rulesOf(confinement);
    const wanted = this.#granted(confinement, rules);
    // A command that only reads, with no rules and no grants, has nothing to hide: the probe of the sandbox.
    const hasGrants = wanted.readable.length > 0 || wanted.writable.length > 0;
    const readsOnly = confinement.readsOnly === true;
    const needsScan = !readsOnly || confinement.isHidden !== undefined || hasGrants;
    const { scanned, refused, ...grants } = needsScan ? await this.#scan(wanted, rules) : nothingFound;
    const git = await this.#gitIn(scanned.repositories, readsOnly);
    const { hidden, readOnly, remarks } = bundleEntries(withoutShown(scanned, confinement), workspace);
    const look = () =>
      holdBack.plan({
        workspace,
        repositories: scanned.repositories,
        paths: git.parts.flatMap((part) => part.absent.map(pathOf)),
        readOnly: scanned.readOnly,
        confinement,
      });
    const { plan, existing, remarks: planRemarks } = look();
    let held = readsOnly ? undefined : holdBack.begin(plan, confinement.isReadOnly);
    const check = readsOnly ? undefined : repositories.begin(scanned);
    const guards = this.#guards(git, check);
    const guardsRemarks: string[] = [];
    const guard = () => guardsRemarks.push(...guards());
    const lost = this.#lostWrites(confinement);
    const settle = async () => {
      guard();
      const now = check && (await this.#scan(wanted, rules, { fresh: true })).scanned;
      return [...guardsRemarks.splice(0), ...lost(), ...(now && check ? check.settle(now) : [])];
    };
    const abandon = async () => {
      held?.forget();
      check?.end();
    };
    try {
      const found: Found = { rules, grants, hidden, readOnly, git, existing, readsOnly };
      const { view, covered, isKnown } = this.#compose(found, program, confinement);
      let kill: (() => void) | undefined;
      const watch = () => {
        if (kill !== undefined) held?.watch(kill, guard);
      };
      return {
        view,
        closed: git.closed,
        covered,
        isPutBack: (path) => held?.hasPutBack(path) === true,
        watch: (given) => {
          kill = given;
          watch();
        },
        settle: async (isIdle) => {
          // While nothing runs, new entries are the user's.
          const taken = (isIdle ? held?.end() : held?.settle()) ?? [];
          if (isIdle) held = undefined;
          return [...taken, ...(await settle())];
        },
        uncovered: async () => {
          // A secret that was created after the last scan counts too.
          const fresh = (await this.#scan(wanted, rules, { fresh: true })).scanned;
          const now = withoutShown(fresh, confinement);
          const path = [...now.hidden.map(pathOf), ...now.readOnly].find((one) => !isKnown(one));
          if (path === undefined && held === undefined && !readsOnly) {
            held = holdBack.begin(look().plan, confinement.isReadOnly);
            watch();
          }
          return path;
        },
        end: async () => {
          const taken = held?.end() ?? [];
          const settled = await settle();
          check?.end();
          return [...remarks, ...refused, ...git.remarks, ...planRemarks, ...taken, ...settled];
        },
        abandon,
      };
    } catch (error) {
      await abandon();
      throw error;
    }
  }

  /** Finds what to protect of git. Git directories are closed where git runs outside. */
  async #gitIn(repositories: readonly string[], readsOnly: boolean): Promise<Found["git"]> {
    const { workspace, gitService } = this.#options;
    const protection = repositoriesIn(workspace, repositories);
    const closed = closedRepositories(workspace, repositories, protection);
    const isClosed = !readsOnly && closed.closed.length > 0 && (await gitService?.()) !== undefined;
    return isClosed ? closed : { ...protection, closed: [] };
  }

  /** Guards what no mount can protect. The returned function repairs it and returns remarks. */
  #guards(git: Found["git"], check: RepositoryCheck | undefined): () => readonly string[] {
    const { workspace } = this.#options;
    const own = join(workspace, ".git");
    const settings = git.parts
      .flatMap((part) => part.absent)
      .filter(({ path, kind }) => kind === "file" && basename(path) !== "commondir");
    const repairs = [
      watchLink(own),
      ...settings.map(({ path }) => watchGitSettings(path)),
      watchForBareRepository(workspace),
    ];
    const isNew = !existsSync(own);
    return () => [
      ...new Set(repairs.map((repair) => repair()).filter((remark) => remark !== "")),
      // A new repository of the workspace itself is checked at once, because editors ask git about it.
      ...(isNew && existsSync(own) ? (check?.settle({ repositories: [own], bare: [] }) ?? []) : []),
    ];
  }

  #lostWrites({ writable = [] }: Confinement): () => readonly string[] {
    const { workspace, privates } = this.#options;
    return lostWrites(
      writable.filter((path) => !liesInside(path, workspace)),
      this.#replaced().filter(({ source }) => source === privates.home),
    );
  }

  /** Composes the view. */
  #compose(
    found: Found,
    program: string,
    confinement: Confinement,
  ): Pick<OpenView, "view" | "covered"> & { readonly isKnown: (path: string) => boolean } {
    const { workspace, visible, privates } = this.#options;
    const { git, grants, rules, readsOnly: isWorkspaceReadOnly } = found;
    const hidden = found.hidden.map(pathOf);
    const kept = keptPaths(found);
    const held = isWorkspaceReadOnly ? [] : git.parts.flatMap((part) => part.held);
    const pinned = held.filter((path) => path !== workspace);
    // If a command could rename a directory, the paths in it would be neither hidden nor protected.
    const parents = isWorkspaceReadOnly
      ? []
      : [...pinned, ...kept, ...hidden].flatMap((path) => directoriesAbove(path, workspace));
    const readOnly = [...new Set(kept)].filter(isReal);
    const toolChains = visible.toolChains.filter(
      ({ source, target }) => this.#isOutside(source) && this.#isOutside(target),
    );
    const readable = [
      ...(visible.isWhole ? [] : visible.system.filter((path) => this.#isOutside(path)).map(asItIs)),
      ...toolChains,
      ...grants.readable.map(asItIs),
      ...this.#linksOf(confinement.readable, grants.readable),
    ];
    const hiddenInReadable = [
      ...this.#cacheSecrets.in([...new Set(toolChains.map(({ source }) => source))], rules),
      ...socketsOfMachine([
        workspace,
        ...(visible.isWhole ? [] : readable.map(({ source }) => source)),
        ...grants.writable,
      ]),
      ...hiddenAmong(confinement.hiddenOutside, [...readable, ...grants.writable.map(asItIs)]),
    ];
    const programs = this.#programToShow(program, readable);
    const view: SandboxView = {
      workspace,
      isWorkspaceReadOnly,
      isMachineVisible: visible.isWhole,
      links: visible.links,
      kernelSettings: this.#kernelSettings,
      replaced: this.#replaced(),
      copies: (this.#options.copies ?? []).filter(({ target }) => this.#isOutside(target)),
      blank: this.#blank,
      readable: [...readable, ...programs.filter(isReal).map(asItIs)],
      writable: grants.writable,
      held: [...new Set([...parents, ...pinned])].filter(isReal),
      readOnly,
      substitutes: [...this.#sshSettings, ...programs.filter((path) => !isReal(path)).flatMap(behindLink)],
      covers: coverFilesFor(found.hidden, privates.own),
      hidden: [
        ...visible.secrets.filter(
          ({ path }) => !this.#sshSettings.some((one) => liesInside(path, one.target)),
        ),
        ...this.#ownState(rules),
        ...hiddenInReadable,
        ...hiddenByLinks([...hiddenInReadable, ...found.hidden], readable),
        ...found.hidden,
      ],
    };
    const known = new Set([...kept, ...hidden]);
    // In a read-only workspace these paths stay read-only.
    const isReadOnlyAnyway = (path: string) => isWorkspaceReadOnly && liesInside(path, workspace);
    return {
      view,
      covered: [...readOnly.filter((path) => !isReadOnlyAnyway(path)), ...hidden],
      isKnown: (path) => isInOneOf(path, known),
    };
  }

  /** Returns the real paths to grant. Rules and commands may name them by links. */
  #granted(confinement: Confinement, { isHidden }: PathRules): Grants {
    const granted = (paths: readonly string[] = []) =>
      realPathsOf(paths).filter(
        (path) => this.#isOutside(path) && path !== "/" && !isHidden(path) && !statSync(path).isSocket(),
      );
    const { readable = [], writable = [], writableIfHidden = [], readsOnly = false } = confinement;
    return {
      readable: granted([...readable, ...(readsOnly ? writableIfHidden : [])]),
      writable: granted([...writable, ...(readsOnly ? [] : writableIfHidden)]),
    };
  }

  /** Shows granted paths also where rules and commands name them by links. */
  #linksOf(named: readonly string[] = [], granted: readonly string[]): readonly Shown[] {
    const { workspace, visible } = this.#options;
    const system = [...visible.system, ...visible.links.map(({ path }) => path)];
    const isSystem = (path: string) => system.some((directory) => liesInside(path, directory));
    return named.flatMap((target) => {
      const source = realPathOf(target);
      const isGiven = source !== undefined && source !== target && granted.includes(source);
      return isGiven && !visible.isWhole && !isSystem(target) && !liesInside(target, workspace)
        ? [{ source, target }]
        : [];
    });
  }

  /** Whether a path exists and is not visible as part of the workspace. */
  #isOutside(path: string): boolean {
    const { workspace } = this.#options;
    const isReplaced = () =>
      this.#unseen.some((directory) => liesInside(directory, workspace) && liesInside(path, directory));
    return existsSync(path) && (!liesInside(path, workspace) || isReplaced());
  }

  /** Scans the workspace and the grants. Refuses a grant that is too large to scan. */
  async #scan(
    granted: Grants,
    rules: PathRules,
    options?: Parameters<TreeScan["scan"]>[1],
  ): Promise<Grants & { readonly scanned: ScanResult; readonly refused: readonly string[] }> {
    const { workspace } = this.#options;
    const tops = [...new Set([workspace, ...granted.writable, ...granted.readable])];
    const scans = await Promise.all(
      tops.map(async (top) => {
        const scan = this.#scans.get(top) ?? this.#newScan(top);
        this.#scans.set(top, scan);
        return { top, ...(await scan.scan(rules, options)) };
      }),
    );
    const tooLarge = scans.filter(({ top, isWhole }) => top !== workspace && !isWhole).map(({ top }) => top);
    const isGiven = (top: string) => !tooLarge.includes(top);
    // Paths that are not replaced are readable without a grant.
    const seen = scans.filter(({ top }) => isGiven(top) || this.#isSeen(top));
    const written = seen.filter(
      ({ top }) => top === workspace || (isGiven(top) && granted.writable.includes(top)),
    );
    return {
      readable: granted.readable.filter(isGiven),
      writable: granted.writable.filter(isGiven),
      refused: tooLarge
        .filter((top) => !this.#isSeen(top) || granted.writable.includes(top))
        .map((top) => {
          const use = this.#isSeen(top) ? "write" : "read or write";
          return `The command may not ${use} ${top}: it is too large to scan for secrets. Allow a narrower directory.`;
        }),
      scanned: {
        hidden: [
          ...seen.flatMap(({ hidden }) => hidden),
          ...this.#sockets.foreign(seen.flatMap(({ sockets }) => sockets)),
        ],
        readOnly: written.flatMap(({ readOnly }) => readOnly),
        repositories: written.flatMap(({ repositories }) => repositories),
        bare: written.flatMap(({ bare }) => bare),
        unnameable: seen.flatMap(({ unnameable }) => unnameable),
        sockets: seen.flatMap(({ sockets }) => sockets),
        isWhole: scans[0]!.isWhole,
      },
    };
  }

  /** Makes a scan, which is limited outside the workspace, so that the command does not wait for a very large grant. */
  #newScan(top: string): TreeScan {
    const { workspace, maxGranted = 20_000 } = this.#options;
    const budget = top === workspace ? {} : { maxDirectories: maxGranted, maxMs: 5_000 };
    return new TreeScan(top, { leaveOut: this.#unseen, ...budget });
  }

  /** Returns the replaced homes and temporary directories, without a temporary directory inside the workspace. */
  #replaced(): SandboxView["replaced"] {
    const { workspace, privates, visible } = this.#options;
    const isOwn = (path: string) => liesInside(path, workspace) && !sharedByAll.includes(path);
    return [
      ...visible.temporaryDirectories
        .filter((target) => !isOwn(target))
        .map((target) => ({ source: privates.temporary, target })),
      ...visible.homes.map((target) => ({ source: privates.home, target })),
    ].filter(({ target }) => target !== workspace);
  }

  /** Returns the program, if its directory is not visible. */
  #programToShow(program: string, readable: readonly Shown[]): readonly string[] {
    const { workspace, visible } = this.#options;
    const isIn = (directories: readonly string[]) => directories.some((path) => liesInside(program, path));
    if (isIn([workspace, ...readable.map(({ target }) => target), ...visible.links.map(({ path }) => path)]))
      return [];
    return visible.isWhole && !isIn(this.#unseen) ? [] : [program];
  }

  /** Whether commands see a path without a grant. */
  #isSeen(path: string): boolean {
    const { visible } = this.#options;
    const isIn = (directories: readonly string[]) => directories.some((one) => liesInside(path, one));
    return visible.isWhole ? !isIn(this.#unseen) : isIn(visible.system);
  }

  /** Returns Toolcrib's own directories: the outermost hidden one around the state of this workspace, and `own`. */
  #ownState({ isHidden }: PathRules): readonly TreeEntry[] {
    const { directory, workspace, own = [] } = this.#options;
    let top = directory;
    for (let path = dirname(directory); path !== dirname(path); path = dirname(path)) {
      if (isHidden(path) && !liesInside(workspace, path)) top = path;
    }
    const others = realPathsOf(own).filter(
      (path) => !liesInside(path, top) && !liesInside(workspace, path) && this.#isSeen(path),
    );
    return [top, ...others].map((path) => ({ path, kind: "directory" }));
  }
}

/** Shows hidden files whose content git has. */
function withoutShown(scanned: ScanResult, { shownFromGit }: Confinement): ScanResult {
  const files = scanned.hidden.filter(({ kind }) => kind === "file").map(pathOf);
  const shown = files.length === 0 ? undefined : shownFromGit?.(files);
  if (shown === undefined || shown.size === 0) return scanned;
  const readOnly = [...shown].flatMap(([path, use]) => (use === "read-only" ? [path] : []));
  return {
    ...scanned,
    hidden: scanned.hidden.filter(({ path }) => !shown.has(path)),
    readOnly: [...scanned.readOnly, ...readOnly],
  };
}

/** Returns the paths of the workspace that a command may read but not write. */
function keptPaths({ readOnly, git, existing }: Found): readonly string[] {
  const ofGit = git.parts.flatMap((part) => part.readOnly);
  return [...readOnly, ...git.readOnly, ...git.closed, ...ofGit, ...existing];
}

const nothingFound = {
  readable: [],
  writable: [],
  refused: [],
  scanned: {
    hidden: [],
    readOnly: [],
    repositories: [],
    bare: [],
    unnameable: [],
    sockets: [],
    isWhole: true,
  },
};

const sharedByAll = ["/tmp", "/var/tmp"];

function pathOf({ path }: { readonly path: string }): string {
  return path;
}

// Bubblewrap does not protect these paths, which root can write without any capability.
const settingsOfRoot = ["/proc/sys", "/proc/sysrq-trigger", "/proc/acpi", "/proc/scsi"];

function asItIs(path: string): Shown {
  return { source: path, target: path };
}

/** Returns the paths that rules hide by name, where commands would see them. */
function hiddenAmong(paths: readonly string[] = [], seen: readonly Shown[]): readonly TreeEntry[] {
  return realPathsOf(paths)
    .filter((path) => seen.some(({ target }) => liesInside(path, target)))
    .map((path) => ({ path, kind: statSync(path).isDirectory() ? "directory" : "file" }));
}

/** Returns hidden entries once more, where commands would see them by another path. */
function hiddenByLinks(hidden: readonly TreeEntry[], seen: readonly Shown[]): readonly TreeEntry[] {
  const byLink = seen.filter(({ source, target }) => source !== target);
  return byLink.flatMap(({ source, target }) =>
    hidden
      .filter(({ path }) => liesInside(path, source))
      .map(({ path, kind }) => ({ path: join(target, relative(source, path)), kind })),
  );
}

function behindLink(target: string): SandboxView["substitutes"] {
  const source = realPathOf(target);
  return source === undefined ? [] : [{ source, target }];
}

function isTaken(path: string): ToolError {
  const message = `The command was not run: another user has taken the folder ${path}`;
  return new ToolError("unavailable", message, doctorHints);
}
