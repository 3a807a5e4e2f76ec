import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { ExtraRoots, PathGuard, ReadRules } from "../contract/guard.ts";
import { addGrant } from "../engine/approvals/grants.ts";
import { isOfRepository } from "../engine/sandbox/repository-files.ts";
import { openLocalEnvironment } from "../environment/local/local-environment.ts";
import { quoteForRule } from "../lib/text/rule-text.ts";
import { allowListRules, builtInRules, extraRootRules } from "../policy/built-in-rules.ts";
import { asksToRead, guardOnce, guardPaths, readKeyOf } from "../policy/guard-paths.ts";
import type { PathContext, RuleSource } from "../policy/policy.ts";
import { compilePolicy, type Policy } from "../policy/rules/compile-policy.ts";
import { parseRules } from "../policy/rules/parse-rules.ts";
import { gitRulesName } from "../policy/rules/rule.ts";
import { gitTargetsOf } from "../sandbox/git-targets.ts";
import { ownCode } from "../sandbox/own-code.ts";
import { realLocation, userDirectories } from "../system/directories.ts";
import { inGit } from "../system/in-git.ts";
import { FileStamps, mayExist, policyFiles, readPolicyFile } from "../system/policy-files.ts";
import { lookAt } from "../system/public-keys.ts";
import { type ProjectRules, projectRulesPath, readProjectRules } from "./trust.ts";

export interface PolicyOptions {
  /** Real path. */
  readonly workspace: string;
  /** Names the workspace in the config directory. Default: its path. */
  readonly id?: string;
  readonly config: string;
  readonly state: string;
  /** The environment from which the project's rules are read. Default: this machine. */
  readonly environment?: Environment | undefined;
  /** Rules of this process, one each. */
  readonly rules?: readonly string[] | undefined;
  /** Real paths. */
  readonly extraRoots?: ExtraRoots | undefined;
  /** Commands get the variables of an allow-list, unless another rule says otherwise. */
  readonly allowsFewVariables?: boolean | undefined;
  /** Data of the embedding program on this machine. */
  readonly hiddenPaths?: readonly string[] | undefined;
  /** Rule files of this process. */
  readonly ruleFiles?: readonly string[] | undefined;
  /** How long removed rules stay in force: a slow connection may be about to write them again. Default: 1 s. */
  readonly removalMs?: number | undefined;
}

/** The rules of one open Toolcrib: the current rules of the files, and those that approvals add. */
export class OpenPolicy {
  #options: PolicyOptions;
  #marks: FileStamps;
  readonly #grantedFile: string;
  readonly #context: PathContext;
  readonly #listeners = new Set<() => void>();
  #project: ProjectRules | undefined;
  /** The former lines of the project's file, which apply until the user trusts the new ones. */
  #projectUntilNow: RuleSource | undefined;
  /** The sources, weakest level first. */
  #sources: readonly RuleSource[];
  #current: Policy;
  #guard: PathGuard;
  /** The next look at the files. */
  #looking: Promise<Policy> | undefined;
  #refreshing: Promise<Policy> | undefined;
  /** The reason why the current rule files cannot be used, if any. */
  #trouble: ToolError | undefined;

  private constructor(
    sources: readonly RuleSource[],
    project: ProjectRules | undefined,
    options: PolicyOptions,
    marks: FileStamps,
  ) {
    this.#options = options;
    this.#marks = marks;
    this.#sources = sources;
    this.#project = project;
    const { workspace, id = workspace, state, config, extraRoots, environment } = options;
    // Rules apply to real paths, so the real paths of Toolcrib's own directories are needed too.
    const { cache } = userDirectories();
    const ours = [state, config, cache, ...(extraRoots ? usualDirectories(workspace) : [])];
    const own = environment?.ownDirectories ?? [
      ...new Set(ours.flatMap((path) => [path, realLocation(path)])),
    ];
    const home = environment?.home ?? realLocation(homedir());
    const code = environment ? [] : ownCode(workspace).map(({ path }) => path);
    const beyond = extraRoots && {
      writable: extraRoots.write ?? [],
      forCommands: extraRoots.commands ?? [],
    };
    const hidden = environment ? [] : (options.hiddenPaths ?? []).map(realLocation);
    const served = [...(extraRoots?.except ?? []), ...hidden];
    // The files of another machine are decided by their names.
    const byName = { isOfRepository: (path: string) => isOfRepository(path, () => false) };
    const content = environment ? byName : { lookAt, inGit, isOfRepository };
    this.#context = { workspace, home, own, code, served, ...beyond, ...content };
    this.#current = compilePolicy(sources, this.#context);
    this.#grantedFile = policyFiles(config, id).granted;
    this.#guard = guardPaths(this.#current);
  }

  /** Reads every source. Throws when one cannot be read or parsed: rules are never silently left out. */
  static async open(options: PolicyOptions): Promise<OpenPolicy> {
    const marks = stampsOf(options);
    const project = await projectRules(options);
    return new OpenPolicy(readSources(options, project), project, options, marks);
  }

  /** The rules as last read. */
  get current(): Policy {
    return this.#current;
  }

  /** Checks every path by the rules as last read. */
  get guard(): PathGuard {
    return (use, realPath) => this.#guard(use, realPath);
  }

  /** The rules about reads, as last read. */
  get reads(): ReadRules {
    const current = this.#current;
    const asks = (realPath: string) => asksToRead(current, realPath);
    return { key: readKeyOf(current), guard: guardOnce(current), asks };
  }

  get project(): ProjectRules | undefined {
    return this.#project;
  }

  /**
   * Returns the current rules; reads the files again when one has changed. Rejects while one cannot be read or parsed,
   * because nothing may be decided by rules that the user has replaced.
   */
  refreshed(): Promise<Policy> {
    // The look at the files comes after every question that is asked by then, so it answers many calls in flight at once.
    this.#looking ??= Promise.resolve().then(() => this.#look());
    return this.#looking;
  }

  #look(): Policy | Promise<Policy> {
    this.#looking = undefined;
    // A refresh under way may have read a file before it changed, so the files are compared again after it.
    return this.#refreshing?.then(() => this.#refreshing ?? this.#compare()) ?? this.#compare();
  }

  #compare(): Policy | Promise<Policy> {
    if (this.#trouble === undefined && this.#marks.areSame) return this.#current;
    this.#refreshing = this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** Calls `listener` after each noticed change of the rules. Returns a function that stops it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Warnings for the user. */
  get warnings(): readonly string[] {
    const trust = "run: toolcrib policy trust";
    return [
      this.#trouble?.message,
      this.#project?.trust === "changed" &&
        `${projectRulesPath} has changed since you trusted it, so its allow rules do not apply. To trust it again, ${trust}`,
      this.#projectUntilNow &&
        `${projectRulesPath} has changed; its former restrictions stay in force in this session. To lift them, ${trust}`,
      ...this.#sources.flatMap(outdatedWarning),
    ].filter((warning) => typeof warning === "string");
  }

  get sources(): readonly RuleSource[] {
    return this.#sources;
  }

  /** Adds these rules until the Toolcrib is closed. */
  grantForSession(lines: readonly string[]): void {
    const before = this.#sources.find(({ level }) => level === "session")?.text.split("\n") ?? [];
    this.#put({ level: "session", name: "this session", text: [...before, ...lines].join("\n") });
  }

  /** Writes these rules, with a comment, to the rules of this workspace, and uses them at once. */
  async grantAlways(lines: readonly string[], askedBy: string): Promise<void> {
    // Lines that cannot be parsed would make every later start fail.
    parseRules({ level: "granted", name: this.#grantedFile, text: lines.join("\n") });
    await addGrant(this.#grantedFile, lines, askedBy);
    const text = readPolicyFile(this.#grantedFile) ?? "";
    this.#put({ level: "granted", name: this.#grantedFile, text });
  }

  /** Replaces the rules of this process, also for calls that wait. Throws when one cannot be parsed. */
  setRules(rules: readonly string[]): void {
    const own = ownRules(rules);
    for (const source of own) parseRules(source);
    this.#options = { ...this.#options, rules };
    this.#hold([...this.#sources.filter(({ name }) => name !== ownRulesName), ...own]);
  }

  /** Lets calls that wait for the user be decided again, because something else than the rules has changed. */
  decideAgain(): void {
    for (const listener of this.#listeners) listener();
  }

  #put(source: RuleSource): void {
    this.#hold([...this.#sources.filter(({ level }) => level !== source.level), source]);
  }

  #hold(sources: readonly RuleSource[]): void {
    this.#current = compilePolicy(sources, this.#context);
    this.#guard = guardPaths(this.#current);
    this.#sources = sources;
    for (const listener of this.#listeners) listener();
  }

  async #refresh(): Promise<Policy> {
    try {
      if (!this.#marks.areSame) await this.#settle(settleMs);
      // Changed git settings may include other files.
      this.#marks = stampsOf(this.#options);
      let project = await projectRules(this.#options);
      let read = readSources(this.#options, project);
      if (hasLost(this.#sources, read)) {
        await this.#settle(this.#options.removalMs ?? usualRemovalMs);
        project = await projectRules(this.#options);
        read = readSources(this.#options, project);
      }
      this.#keepForbidding(project);
      const former = this.#projectUntilNow === undefined ? [] : [this.#projectUntilNow];
      const session = this.#sources.filter(({ level }) => level === "session");
      // Reuse the same object for an unchanged source: it is not compiled again.
      const known = read.map(
        (source) => this.#sources.find((other) => isDeepStrictEqual(source, other)) ?? source,
      );
      this.#hold([...known, ...former, ...session]);
      this.#project = project;
      this.#trouble = undefined;
      return this.#current;
    } catch (error) {
      const message = `The rules have changed and cannot be used: ${(error as Error).message}`;
      this.#trouble = new ToolError("unavailable", message, {
        hint: "Ask the user to fix the rules, then repeat the call.",
        forUser: { hint: "Fix the rules, then try again." },
        cause: error,
      });
      throw this.#trouble;
    }
  }

  /** Keeps the former restrictions of the project's file, because a command may have changed the file. */
  #keepForbidding(now: ProjectRules | undefined): void {
    const former = this.#sources.filter(({ level }) => level === "project").map(({ text }) => text);
    const lines = [...new Set(former.join("\n").split("\n"))];
    const isStillThere = new Set(now?.text.split("\n"));
    const name = `${projectRulesPath} as it was`;
    this.#projectUntilNow =
      now?.trust === "trusted" || lines.every((line) => line.trim() === "" || isStillThere.has(line))
        ? undefined
        : { level: "project", name, text: lines.join("\n"), onlyTightens: true };
  }

  /** Waits until the files no longer change, because editors empty a file, or move it away, before they write it. */
  async #settle(quietMs: number): Promise<void> {
    for (let tries = 0; tries < maxSettleTries; tries += 1) {
      this.#marks.note();
      await wait(quietMs);
      if (this.#marks.areSame) return;
    }
  }
}

/** Warns about rules of an earlier version, which asked again when a script changed. */
function outdatedWarning(source: RuleSource): readonly string[] {
  if (!source.text.includes(" while ")) return [];
  const lines = parseRules(source).outdated.map(({ line }) => line);
  if (lines.length === 0) return [];
  const which = lines.length === 1 ? `line ${lines[0]} is` : `lines ${lines.join(", ")} are`;
  return [
    `${source.name}: ${which} ignored, because rules with "while" no longer exist. To allow the command whatever it runs, remove the end from "while" to "by"`,
  ];
}

const settleMs = 30;
const usualRemovalMs = 1_000;
const maxSettleTries = 30;

/** Returns whether a line that was read before is missing now. */
function hasLost(before: readonly RuleSource[], now: readonly RuleSource[]): boolean {
  const linesOf = (sources: readonly RuleSource[], level: RuleSource["level"]) =>
    sources.filter((source) => source.level === level).flatMap(({ text }) => text.split("\n"));
  return fileLevels.some((level) => {
    const left = new Set(linesOf(now, level));
    return linesOf(before, level).some((line) => line.trim() !== "" && !left.has(line));
  });
}

const fileLevels = ["user", "project", "command line"] as const;

/** Returns the default state and config directories, which tools with extra roots could otherwise write to. */
function usualDirectories(workspace: string): readonly string[] {
  const { TOOLCRIB_HOME: _, ...variables } = process.env;
  const usual = [userDirectories(), userDirectories(variables)].flatMap((each) => Object.values(each));
  return usual.filter((directory) => !`${workspace}/`.startsWith(`${directory}/`));
}

async function projectRules(options: PolicyOptions): Promise<ProjectRules | undefined> {
  const files = policyFiles(options.config, options.id ?? options.workspace);
  if (options.environment) return readProjectRules(options.environment, files);
  // Most folders have no project rules, and opening an environment takes longer than this check.
  if (!mayExist(join(options.workspace, projectRulesPath))) return undefined;
  const environment = openLocalEnvironment({ workspace: options.workspace });
  try {
    return await readProjectRules(environment, files);
  } finally {
    await environment.close();
  }
}

function readSources(options: PolicyOptions, project: ProjectRules | undefined): readonly RuleSource[] {
  const files = policyFiles(options.config, options.id ?? options.workspace);
  const fromFile = (level: RuleSource["level"], name: string): readonly RuleSource[] => {
    const text = readPolicyFile(name);
    return text === undefined ? [] : [{ level, name, text }];
  };
  const { rules = [], ruleFiles = [] } = options;
  const onlyTightens = project?.trust === "trusted" ? undefined : true;
  return [
    builtInRules,
    ...gitRules(options),
    ...(options.extraRoots === undefined ? [] : [extraRootRules]),
    ...(options.allowsFewVariables ? [allowListRules] : []),
    ...fromFile("user", files.user),
    ...(project
      ? [{ level: "project", name: projectRulesPath, text: project.text, onlyTightens } as const]
      : []),
    ...fromFile("granted", files.granted),
    ...ruleFiles.map((name): RuleSource => ({ level: "command line", name, text: mustRead(name) })),
    ...ownRules(rules),
  ];
}

const ownRulesName = "--rule";

/** The rules of this process. */
function ownRules(rules: readonly string[]): readonly RuleSource[] {
  return rules.length === 0 ? [] : [{ level: "command line", name: ownRulesName, text: rules.join("\n") }];
}

/** Returns the files that rules are made from. */
function stampsOf({
  config,
  workspace,
  id = workspace,
  environment,
  ruleFiles = [],
}: PolicyOptions): FileStamps {
  const { user, granted, trust } = policyFiles(config, id);
  // Checking files in another environment could be slow, so they are read again only when other files change.
  const own = environment ? [] : [join(workspace, projectRulesPath), ...gitTargetsOf(workspace).files];
  return new FileStamps([user, granted, trust, ...ruleFiles, ...own]);
}

/** Asks before writing files of the workspace that git runs or obeys because of its settings. */
function gitRules({ workspace, environment }: PolicyOptions): readonly RuleSource[] {
  const { targets } = environment ? { targets: [] } : gitTargetsOf(workspace);
  const lines = targets
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a rule is one line
    .filter(({ path }) => !/[\u0000-\u001f\u007f]/.test(path))
    .map(({ path, kind }) => {
      const pattern = `${quoteForRule(path)}${kind === "directory" ? "/**" : ""}`;
      return `ask write ${pattern} because "git settings name it"`;
    });
  return lines.length === 0 ? [] : [{ level: "built-in", name: gitRulesName, text: lines.join("\n") }];
}

function mustRead(file: string): string {
  const text = readPolicyFile(file);
  if (text !== undefined) return text;
  throw new ToolError("not-found", `The rule file ${file} does not exist`, {
    hint: "Check the path after --rule-file.",
  });
}

/** Returns whether the built-in rules forbid every tool to write there, in every mode. Follows links. */
export function isWriteProtected(
  path: string,
  { workspace, except = [] }: Pick<ExtraRoots, "except"> & { readonly workspace: string },
): boolean {
  const { state, config, cache } = userDirectories();
  const context = {
    workspace: realLocation(workspace),
    home: realLocation(homedir()),
    own: [state, config, cache].map(realLocation),
    served: except.map(realLocation),
  };
  const guard = guardPaths(compilePolicy([builtInRules, extraRootRules], context));
  return guard("write", realLocation(resolve(workspace, path))) !== undefined;
}
