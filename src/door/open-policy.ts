import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { PathGuard } from "../contract/guard.ts";
import { realLocation } from "../environment/directories.ts";
import { openLocalEnvironment } from "../environment/local/local-environment.ts";
import { appendToPolicyFile, mayExist, policyFiles, readPolicyFile } from "../environment/policy-files.ts";
import { ownCode } from "../environment/sandbox/own-code.ts";
import { builtInRules } from "../guardian/built-in-rules.ts";
import { guardPaths } from "../guardian/guard-paths.ts";
import type { Place, RuleSource } from "../guardian/policy.ts";
import { compilePolicy, type Policy } from "../guardian/rules/compile-policy.ts";
import { parseRules } from "../guardian/rules/parse-rules.ts";
import { type ProjectRules, projectRulesPath, readProjectRules } from "./project-rules.ts";

export interface PolicyOptions {
  /** Real path. */
  readonly workspace: string;
  readonly config: string;
  readonly state: string;
  /** Where the project's rules are read; this machine if not said. */
  readonly environment?: Environment | undefined;
  /** Rules of this run, one each. */
  readonly rules?: readonly string[] | undefined;
  /** Files with rules of this run. */
  readonly ruleFiles?: readonly string[] | undefined;
}

/** All rules that hold in one open room, and those that answers add to them. */
export class OpenPolicy {
  readonly project: ProjectRules | undefined;
  /** The weakest level first. */
  #sources: readonly RuleSource[];
  #current: Policy;
  readonly #grantedFile: string;
  readonly #place: Place;
  /** Grants only allow, and no allow rule opens what is guarded: it stays the same. */
  readonly guard: PathGuard;

  private constructor(
    sources: readonly RuleSource[],
    project: ProjectRules | undefined,
    options: PolicyOptions,
  ) {
    this.#sources = sources;
    this.project = project;
    const { workspace, state, config } = options;
    // Paths are judged by where they lead, so ours have to be known by that, too.
    const own = [...new Set([state, config].flatMap((path) => [path, realLocation(path)]))];
    const code = ownCode(workspace).map(({ path }) => path);
    this.#place = { workspace, home: homedir(), own, code };
    this.#current = compilePolicy(sources, this.#place);
    this.#grantedFile = policyFiles(config, workspace).granted;
    this.guard = guardPaths(this.#current);
  }

  /** Reads every source. Throws where one cannot be read or understood: rules are never left out in silence. */
  static async open(options: PolicyOptions): Promise<OpenPolicy> {
    const project = await projectRules(options);
    return new OpenPolicy(readSources(options, project), project, options);
  }

  get current(): Policy {
    return this.#current;
  }

  /** What the person has to know. */
  get warnings(): readonly string[] {
    if (this.project?.trust !== "changed") return [];
    return [
      `${projectRulesPath} has changed since you trusted it: it can only forbid until toolcrib policy trust.`,
    ];
  }

  get sources(): readonly RuleSource[] {
    return this.#sources;
  }

  /** Allows what `lines` say until the room is closed. */
  grantForSession(lines: readonly string[]): void {
    const session = this.#sources.find(({ level }) => level === "session");
    this.#put({ level: "session", name: "this session", text: joinLines(session?.text ?? "", lines) });
  }

  /** Also writes them down, with a comment, for this workspace. */
  async grantAlways(lines: readonly string[], comment: string): Promise<void> {
    // What could not be read again would keep every later room closed.
    parseRules({ level: "granted", name: this.#grantedFile, text: lines.join("\n") });
    await appendToPolicyFile(this.#grantedFile, [`# ${comment}`, ...lines]);
    const text = readPolicyFile(this.#grantedFile) ?? "";
    this.#put({ level: "granted", name: this.#grantedFile, text });
  }

  #put(source: RuleSource): void {
    const sources = [...this.#sources.filter(({ level }) => level !== source.level), source];
    this.#current = compilePolicy(sources, this.#place);
    this.#sources = sources;
  }
}

function joinLines(text: string, lines: readonly string[]): string {
  return [...(text === "" ? [] : [text]), ...lines].join("\n");
}

async function projectRules(options: PolicyOptions): Promise<ProjectRules | undefined> {
  const files = policyFiles(options.config, options.workspace);
  if (options.environment) return readProjectRules(options.environment, files);
  // Most folders have none, and to be told so by an environment takes longer than all else here.
  if (!mayExist(join(options.workspace, projectRulesPath))) return undefined;
  const environment = openLocalEnvironment({ workspace: options.workspace });
  try {
    return await readProjectRules(environment, files);
  } finally {
    await environment.close();
  }
}

function readSources(options: PolicyOptions, project: ProjectRules | undefined): readonly RuleSource[] {
  const files = policyFiles(options.config, options.workspace);
  const fromFile = (level: RuleSource["level"], name: string): readonly RuleSource[] => {
    const text = readPolicyFile(name);
    return text === undefined ? [] : [{ level, name, text }];
  };
  const { rules = [], ruleFiles = [] } = options;
  return [
    builtInRules,
    ...fromFile("user", files.user),
    ...(project === undefined ? [] : [projectSource(project)]),
    ...fromFile("granted", files.granted),
    ...ruleFiles.map((name): RuleSource => ({ level: "command line", name, text: mustRead(name) })),
    ...(rules.length === 0
      ? []
      : [{ level: "command line", name: "--rule", text: rules.join("\n") } as const]),
  ];
}

function projectSource({ text, trust }: ProjectRules): RuleSource {
  const source = { level: "project", name: projectRulesPath, text } as const;
  return trust === "trusted" ? source : { ...source, onlyTightens: true };
}

function mustRead(file: string): string {
  const text = readPolicyFile(file);
  if (text !== undefined) return text;
  throw new ToolError("not-found", `There is no rule file ${file}`, {
    hint: "Check the path after --rules.",
  });
}
