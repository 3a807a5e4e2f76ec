import { existsSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import type { Confinement } from "../../contract/confinement.ts";
import { liesInside } from "../../system/workspace-path.ts";
import { watchForBareRepository, watchGitSettings, watchLink } from "../git-repair.ts";
import { repositoriesIn } from "../git-repositories.ts";
import { lostWrites, type PrivateDirectories } from "../private-directories.ts";
import { hasRealParent, isReal, realIfThere } from "../real-paths.ts";
import { toolChainsIn } from "../tool-chains.ts";
import { CacheSecrets, type PathRules, type ScanResult, type TreeEntry, TreeScan } from "../tree-scan.ts";
import { bundleEntries } from "./bundle-mounts.ts";
import { coverFilesFor, infoWithExcludes, removeEmptyMountPoints } from "./hidden-files.ts";
import type { MachinePaths } from "./machine-paths.ts";
import type { SandboxView } from "./mounts.ts";
import type { Placeholder, Placeholders } from "./placeholders.ts";

export interface WorkspaceViewOptions {
  readonly workspace: string;
  /** Private, for this workspace. */
  readonly directory: string;
  /** Further directories of ours, which no command sees. */
  readonly own?: readonly string[];
  readonly places: PrivateDirectories;
  readonly machine: MachinePaths;
  readonly stubs: Placeholders;
  /** Directories in a place outside the workspace that a rule grants. */
  readonly maxGranted?: number;
}

/** A view for one command. */
export interface OpenView {
  readonly view: SandboxView;
  /** What somebody outside may replace while the command runs, and uncover thereby. */
  readonly covered: readonly string[];
  /** Puts right what could not be prevented so far, and tells. */
  settle(): readonly string[];
  /** What is there by now and would be hidden or protected, and is not. */
  uncovered(): Promise<string | undefined>;
  /** When the command has ended. Tells what it should know. */
  end(): readonly string[];
}

/** What commands see of a workspace and of the machine around it. */
export class WorkspaceView {
  readonly #options: WorkspaceViewOptions;
  readonly #entries = new Map<string, TreeScan>();
  readonly #caches: readonly string[];
  readonly #cacheSecrets = new CacheSecrets();
  /** Something else is in their place. */
  readonly #unseen: readonly string[];

  constructor(options: WorkspaceViewOptions) {
    const { machine } = options;
    this.#options = options;
    this.#unseen = [
      ...this.#replaced().map(({ target }) => target),
      ...machine.ofOthers,
      "/dev",
      "/proc",
      "/sys",
    ];
    this.#caches = machine.homes.flatMap((home) => toolChainsIn(home, process.env));
  }

  async open(confinement: Confinement, program: string): Promise<OpenView> {
    const { workspace, places, machine, stubs } = this.#options;
    const judge: PathRules = {
      isHidden: confinement.isHidden ?? never,
      isReadOnly: confinement.isReadOnly ?? never,
    };
    const replacedInside = this.#unseen.filter((place) => liesInside(place, workspace));
    const isReplaced = (path: string) => replacedInside.some((place) => liesInside(path, place));
    const isOutside = (path: string) =>
      existsSync(path) && (!liesInside(path, workspace) || isReplaced(path));
    // As rules and commands spell them: what they lead to counts.
    const granted = (paths: readonly string[] = []) =>
      paths.flatMap(realIfThere).filter((path) => isOutside(path) && path !== "/" && !judge.isHidden(path));
    const grants = { readable: granted(confinement.readable), writable: granted(confinement.writable) };
    const { covered, readable, writable, refused } = await this.#cover(grants, judge);
    const git = repositoriesIn(workspace, covered.repositories);
    const { hidden, readOnly, remarks } = bundleEntries(covered, workspace);
    const absent = (confinement.absent ?? []).map(asStub);
    const links = [join(workspace, ".git"), ...(confinement.absent ?? []).map(({ path }) => path)].map(
      watchLink,
    );
    const settings = git.parts
      .flatMap((part) => part.absent)
      .filter(({ path, kind }) => kind === "file" && basename(path) !== "commondir")
      .map(({ path }) => watchGitSettings(path));
    const endings = [
      ...[...links, ...settings, watchForBareRepository(workspace)],
      ...lostWrites(
        (confinement.writable ?? []).filter((path) => !liesInside(path, workspace)),
        this.#replaced().filter(({ source }) => source === places.home),
      ),
    ];
    const settle = () => [...new Set(endings.map((ending) => ending()).filter((told) => told !== ""))];
    const begun = Date.now();
    const wanted = [...absent, ...git.parts.flatMap((part) => part.absent)];
    const use = stubs.use(wanted.filter(({ path }) => hasRealParent(path)));
    try {
      const root = git.parts[0];
      const excluded = [...use.standing.map(({ path }) => path), ...hidden.map(({ path }) => path)]
        .filter((path) => liesInside(path, workspace) && !isInGit(path))
        .map((path) => relative(workspace, path));
      const substitutes =
        root?.isOfWorkspace && root.info !== undefined && isReal(root.info) && excluded.length > 0
          ? [{ source: infoWithExcludes(root.info, excluded, places.own), target: root.info }]
          : [];
      const caches = this.#caches.filter(isOutside);
      const ofProgram = this.#program(program, caches);
      const kept = [
        ...[...readOnly, ...git.readOnly, ...git.parts.flatMap((part) => part.readOnly)],
        // A repository that is there is git's to write.
        ...absent
          .map(({ path }) => path)
          .filter((path) => existsSync(path) && !(isInGit(`${path}/`) && root?.isOfWorkspace)),
        ...use.standing.filter(({ kind }) => kind === "file").map(({ path }) => path),
      ];
      const empty = use.standing.filter(({ kind }) => kind === "directory").map(({ path }) => path);
      const held = git.parts.flatMap((part) => part.held).filter((path) => path !== workspace);
      const heldWithParents = [
        // What is hidden or protected in a directory may be neither under another name of it.
        ...[...held, ...kept, ...empty, ...hidden.map(({ path }) => path)].flatMap((path) =>
          above(path, workspace),
        ),
        ...held,
      ];
      const isShown = (path: string) => isReal(path) && !substitutes.some(({ target }) => target === path);
      const shown = [...new Set(kept)].filter((path) => isShown(path) && !empty.includes(path));
      return {
        view: {
          workspace,
          kernelSettings: machine.kernelSettings,
          replaced: this.#replaced(),
          blank: machine.ofOthers,
          readable: [...caches, ...readable, ...ofProgram.filter(isReal)],
          writable,
          held: [...new Set(heldWithParents)].filter(isReal),
          readOnly: shown,
          empty: empty.filter(isShown),
          substitutes: [...substitutes, ...ofProgram.filter((path) => !isReal(path)).flatMap(behindLink)],
          covers: coverFilesFor(hidden, places.own),
          hidden: [
            ...machine.secrets,
            ...this.#ownState(judge),
            ...this.#cacheSecrets.in(caches, judge),
            ...hidden,
          ],
        },
        covered: [...shown, ...empty, ...hidden.map(({ path }) => path)],
        settle,
        uncovered: async () => {
          // Its own stubs are there by now, and those of others.
          const known = new Set([...kept, ...hidden.map(({ path }) => path), ...stubs.standing()]);
          const now = (await this.#cover(grants, judge)).covered;
          return [...now.hidden.map(({ path }) => path), ...now.readOnly].find(
            (path) => !isInOneOf(path, known),
          );
        },
        end: () => {
          use.end();
          removeEmptyMountPoints(hidden, begun);
          return [...remarks, ...refused, ...git.remarks, ...settle()];
        },
      };
    } catch (error) {
      use.end();
      throw error;
    }
  }

  /** Looks through the workspace, and through what is granted outside: where that cannot be done, it is not granted. */
  async #cover(
    granted: { readonly readable: readonly string[]; readonly writable: readonly string[] },
    judge: PathRules,
  ): Promise<typeof granted & { readonly covered: ScanResult; readonly refused: readonly string[] }> {
    const { workspace } = this.#options;
    const tops = [...new Set([workspace, ...granted.writable, ...granted.readable])];
    const looks = await Promise.all(
      tops.map(async (top) => {
        const entries = this.#entries.get(top) ?? this.#below(top);
        this.#entries.set(top, entries);
        return { top, ...(await entries.scan(judge)) };
      }),
    );
    const tooLarge = looks.filter(({ top, isWhole }) => top !== workspace && !isWhole).map(({ top }) => top);
    const isGiven = (top: string) => !tooLarge.includes(top);
    // What is not replaced can be read anyway.
    const isSeen = (top: string) => isGiven(top) || this.#isSeen(top);
    const seen = looks.filter(({ top }) => isSeen(top));
    // What is only read need only be searched for what is hidden.
    const written = seen.filter(
      ({ top }) => top === workspace || (isGiven(top) && granted.writable.includes(top)),
    );
    return {
      readable: granted.readable.filter(isGiven),
      writable: granted.writable.filter(isGiven),
      refused: tooLarge.flatMap((top) => {
        if (!this.#isSeen(top)) return [notGranted(top, "is not open to the command")];
        return granted.writable.includes(top) ? [notGranted(top, "cannot be written by the command")] : [];
      }),
      covered: {
        hidden: seen.flatMap(({ hidden }) => hidden),
        readOnly: written.flatMap(({ readOnly }) => readOnly),
        repositories: written.flatMap(({ repositories }) => repositories),
        unnameable: seen.flatMap(({ unnameable }) => unnameable),
        isWhole: looks[0]!.isWhole,
      },
    };
  }

  /** Of places that it was only granted, a command need not wait for the largest. */
  #below(top: string): TreeScan {
    const { workspace, maxGranted = 20_000 } = this.#options;
    const budget = top === workspace ? {} : { maxDirectories: maxGranted, maxMs: 1000 };
    return new TreeScan(top, { leaveOut: this.#unseen, ...budget });
  }

  /** Also where the workspace lies around them; only a temporary directory of its own stays as it is. */
  #replaced(): SandboxView["replaced"] {
    const { workspace, places, machine } = this.#options;
    const isOwn = (path: string) => liesInside(path, workspace) && !sharedByAll.includes(path);
    return [
      ...machine.temporaryDirectories
        .filter((target) => !isOwn(target))
        .map((target) => ({ source: places.temporary, target })),
      ...machine.homes.map((target) => ({ source: places.home, target })),
    ].filter(({ target }) => target !== workspace);
  }

  /** One that lies where nothing else is to be seen. */
  #program(program: string, caches: readonly string[]): readonly string[] {
    const isIn = (places: readonly string[]) => places.some((place) => liesInside(program, place));
    return isIn(this.#unseen) && !isIn([this.#options.workspace, ...caches]) ? [program] : [];
  }

  #isSeen(path: string): boolean {
    return !this.#unseen.some((place) => liesInside(path, place));
  }

  /** All of Toolcrib's own files that lie around those for this workspace. */
  #ownState({ isHidden }: PathRules): readonly TreeEntry[] {
    const { directory, workspace, own = [] } = this.#options;
    let top = directory;
    for (let path = dirname(directory); path !== dirname(path); path = dirname(path)) {
      if (isHidden(path) && !liesInside(workspace, path)) top = path;
    }
    const others = own
      .flatMap(realIfThere)
      .filter((path) => !liesInside(path, top) && !liesInside(workspace, path) && this.#isSeen(path));
    return [top, ...others].map((path) => ({ path, kind: "directory" }));
  }
}

function notGranted(path: string, what: string): string {
  return `${path} ${what}: it is too large to look for secrets in it. Allow a narrower directory.`;
}

const sharedByAll = ["/tmp", "/var/tmp"];

function never(): boolean {
  return false;
}

/** Whether `path` is one of these, or lies in one. */
function isInOneOf(path: string, places: ReadonlySet<string>): boolean {
  return places.has(path) || (path !== "/" && isInOneOf(dirname(path), places));
}

/** `.git` is a directory for git, whatever else it may be. */
function behindLink(target: string): readonly { readonly source: string; readonly target: string }[] {
  return realIfThere(target).map((source) => ({ source, target }));
}

function asStub({ path, kind }: { path: string; kind: "file" | "directory" }): Placeholder {
  return { path, kind: path.endsWith("/.git") ? "directory" : kind };
}

function isInGit(path: string): boolean {
  return path.includes("/.git/");
}

/** The directories between the workspace and a path in it, or none. */
function above(path: string, workspace: string): readonly string[] {
  const parent = dirname(path);
  return parent !== workspace && liesInside(parent, workspace) ? [...above(parent, workspace), parent] : [];
}
