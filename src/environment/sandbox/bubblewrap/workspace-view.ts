import { existsSync, lstatSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Confinement } from "../../../contract/confinement.ts";
import { namesIn } from "../../names-in.ts";
import { liesInside } from "../../workspace-path.ts";
import { cachesIn } from "../caches.ts";
import type { PrivatePlaces } from "../private-places.ts";
import { bundleHidden } from "./bundle-hidden.ts";
import { type Covered, EntriesBelow, type Entry, type Judge } from "./entries-below.ts";
import { type GitPlaces, placesIn, repositoryOf } from "./git-places.ts";
import { infoWithExcludes } from "./info-with-excludes.ts";
import type { Machine } from "./machine.ts";
import type { View } from "./mounts.ts";
import type { Stub, Stubs } from "./stubs.ts";

export interface WorkspaceViewOptions {
  readonly workspace: string;
  /** Private, for this workspace. */
  readonly directory: string;
  readonly places: PrivatePlaces;
  readonly machine: Machine;
  readonly stubs: Stubs;
  /** A directory that nobody may open. */
  readonly closed: string;
}

/** A view for one command. */
export interface OpenView {
  readonly view: View;
  readonly remarks: readonly string[];
  /** When the command has ended. */
  end(): void;
}

/** What commands see of a workspace and of the machine around it. */
export class WorkspaceView {
  readonly #options: WorkspaceViewOptions;
  readonly #entries = new Map<string, EntriesBelow>();
  readonly #caches: readonly string[];

  constructor(options: WorkspaceViewOptions) {
    this.#options = options;
    this.#caches = options.machine.homes.flatMap((home) => cachesIn(home, process.env));
  }

  async open(confinement: Confinement, program: string): Promise<OpenView> {
    const { workspace, places, machine, stubs, closed } = this.#options;
    const judge: Judge = {
      isHidden: confinement.isHidden ?? never,
      isReadOnly: confinement.isReadOnly ?? never,
    };
    const isOutside = (path: string) => !liesInside(path, workspace) && existsSync(path);
    const readable = (confinement.readable ?? []).filter(isOutside);
    const writable = (confinement.writable ?? []).filter(isOutside);
    const covered = await this.#cover([workspace, ...readable, ...writable], judge);
    const git = repositoriesIn(workspace, covered.repositories);
    const { hidden, bundled } = bundleHidden(covered.hidden, workspace);
    const absent = (confinement.absent ?? []).map(asStub);
    const use = stubs.use([...absent, ...git.parts.flatMap((part) => part.stubs)]);
    try {
      const root = git.parts[0];
      const excluded = [...use.standing.map(({ path }) => path), ...hidden.map(({ path }) => path)]
        .filter((path) => liesInside(path, workspace) && !isInGit(path))
        .map((path) => relative(workspace, path));
      const substitutes =
        root?.isOfWorkspace && excluded.length > 0
          ? [{ source: infoWithExcludes(root.info, excluded, places.own), target: root.info }]
          : [];
      const caches = this.#caches.filter(isOutside);
      const protectedPaths = [
        ...covered.readOnly,
        ...git.parts.flatMap(({ readOnly }) => readOnly),
        ...absent.map(({ path }) => path).filter((path) => existsSync(path)),
        ...use.standing.map(({ path }) => path),
        ...git.readOnly,
      ];
      const replacing = substitutes.map(({ target }) => target);
      return {
        view: {
          workspace,
          kernelSettings: machine.kernelSettings,
          replaced: this.#replaced(),
          blank: machine.ofOthers,
          readable: [...caches, ...readable, ...this.#program(program, caches)],
          writable,
          held: git.parts.flatMap(({ held }) => held).filter((path) => path !== workspace),
          readOnly: [...new Set(protectedPaths)].filter((path) => !replacing.includes(path)),
          substitutes,
          hidden: [...machine.secrets, ...this.#ownState(judge), ...this.#inCaches(caches, judge), ...hidden],
          closed,
        },
        remarks: remarksOn(covered, bundled, git.readOnly),
        end: () => use.end(),
      };
    } catch (error) {
      use.end();
      throw error;
    }
  }

  async #cover(tops: readonly string[], judge: Judge): Promise<Covered> {
    const all = await Promise.all(
      tops.map((top) => {
        const entries = this.#entries.get(top) ?? new EntriesBelow(top);
        this.#entries.set(top, entries);
        return entries.cover(judge);
      }),
    );
    return {
      hidden: all.flatMap(({ hidden }) => hidden),
      readOnly: all.flatMap(({ readOnly }) => readOnly),
      repositories: all.flatMap(({ repositories }) => repositories),
      isWhole: all.every(({ isWhole }) => isWhole),
    };
  }

  #replaced(): View["replaced"] {
    const { workspace, places, machine } = this.#options;
    return [
      ...machine.temporaryDirectories.map((target) => ({ source: places.temporary, target })),
      ...machine.homes.map((target) => ({ source: places.home, target })),
    ].filter(({ target }) => target !== workspace && !liesInside(target, workspace));
  }

  /** One that lies where nothing else is to be seen. */
  #program(program: string, caches: readonly string[]): readonly string[] {
    const { workspace, machine } = this.#options;
    const seen = [workspace, ...caches];
    const unseen = [...machine.temporaryDirectories, ...machine.homes, ...machine.ofOthers];
    const isSeen = (path: string) => seen.some((place) => liesInside(path, place));
    return unseen.some((place) => liesInside(program, place)) && !isSeen(program) ? [program] : [];
  }

  /** All of Toolcrib's own files that lie around those for this workspace. */
  #ownState({ isHidden }: Judge): readonly Entry[] {
    const { directory, workspace } = this.#options;
    let top = directory;
    for (let path = dirname(directory); path !== dirname(path); path = dirname(path)) {
      if (isHidden(path) && !liesInside(workspace, path)) top = path;
    }
    return [{ path: top, kind: "directory" }];
  }

  /** Only what lies at their top: `credentials.toml` of cargo. */
  #inCaches(caches: readonly string[], { isHidden }: Judge): readonly Entry[] {
    return caches.flatMap((cache) => {
      if (lstatSync(cache, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
      const secret = namesIn(cache)
        .map((name) => join(cache, name))
        .filter(isHidden);
      return secret.map(
        (path): Entry => ({ path, kind: lstatSync(path).isDirectory() ? "directory" : "file" }),
      );
    });
  }
}

function never(): boolean {
  return false;
}

/** `.git` is a directory for git, whatever else it may be. */
function asStub({ path, kind }: { path: string; kind: "file" | "directory" }): Stub {
  return { path, kind: path.endsWith("/.git") ? "directory" : kind };
}

function isInGit(path: string): boolean {
  return path.includes("/.git/");
}

// Each costs several mounts.
const mostRepositories = 12;

/** The workspace's own first, then those in it; of many, the rest can only be read. */
function repositoriesIn(
  workspace: string,
  found: readonly string[],
): {
  readonly parts: readonly (GitPlaces & { readonly isOfWorkspace: boolean })[];
  readonly readOnly: readonly string[];
} {
  const own = repositoryOf(workspace);
  const nested = found.filter((path) => path !== join(workspace, ".git"));
  const isDirectory = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const directories = nested.filter(isDirectory);
  return {
    parts: [
      ...(own === undefined ? [] : [{ ...own, isOfWorkspace: true }]),
      ...directories.slice(0, mostRepositories).map((path) => ({ ...placesIn(path), isOfWorkspace: false })),
    ],
    readOnly: [
      ...directories.slice(mostRepositories),
      ...nested.filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true),
    ],
  };
}

function remarksOn(
  { isWhole }: Covered,
  bundled: readonly string[],
  readOnlyRepositories: readonly string[],
): readonly string[] {
  const repositories = readOnlyRepositories.filter((path) =>
    lstatSync(path, { throwIfNoEntry: false })?.isDirectory(),
  );
  return [
    ...(isWhole
      ? []
      : [
          "The workspace is too large to look for secrets everywhere: in deep directories they are not hidden.",
        ]),
    ...(bundled.length === 0
      ? []
      : [`So many secrets are in ${bundled.join(", ")} that commands see nothing of it at all.`]),
    ...(repositories.length === 0
      ? []
      : [`There are many repositories here: ${repositories.join(", ")} can only be read.`]),
  ];
}
