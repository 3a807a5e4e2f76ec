import { join } from "node:path";
import type { ToolRisk } from "../../contract/access.ts";
import type { AnyTool } from "../../contract/tool.ts";
import type { ToolDefinition } from "../../dialects/definition.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import { Toolset } from "../../dialects/toolset.ts";
import { userDirectories } from "../../system/directories.ts";
import { type CallOptions, type CallResult, openToolcrib, type Toolcrib } from "../../toolcrib/index.ts";
import { describedTool } from "../described-tool.ts";
import { AdaptedEnvironment } from "./adapted-environment.ts";
import { adaptDialect } from "./adapted-tools.ts";
import { type ExecutionEnvironment, Instances, LocalExecutionEnvironment } from "./execution-environment.ts";

/** The tools of one provider's models and custom ones. The latest registration of a name wins. */
export class ToolRegistry implements AsyncDisposable {
  readonly dialect: Dialect;
  readonly #own = new Map<string, AnyTool | CustomTool>();
  readonly #removed = new Set<string>();
  /** The instances in other environments. Folders of this machine close theirs in `cleanup`. */
  readonly #instances = new Map<ExecutionEnvironment, Instances>();
  #version = 0;

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  register(tool: AnyTool | CustomTool): this {
    const name = "definition" in tool ? tool.definition.name : tool.name;
    this.#own.delete(name);
    this.#own.set(name, tool);
    this.#removed.delete(name);
    this.#version += 1;
    return this;
  }

  unregister(name: string): this {
    this.#own.delete(name);
    this.#removed.add(name);
    this.#version += 1;
    return this;
  }

  /** Returns the dialect's tools that were not removed, then custom ones. */
  names(): readonly string[] {
    const known = this.dialect.tools.map(({ name }) => name);
    const own = [...this.#own.keys()].filter((name) => !known.includes(name));
    return [...known, ...own].filter((name) => !this.#removed.has(name));
  }

  has(name: string): boolean {
    return this.names().includes(name);
  }

  async get(name: string): Promise<ToolDefinition | undefined> {
    return (await this.definitions({ agents: true })).find((definition) => definition.name === name);
  }

  /** Returns the definitions for models; those for agents only on request. */
  async definitions(
    having: { readonly agents?: boolean | undefined } = {},
  ): Promise<readonly ToolDefinition[]> {
    const { dialect, tools: own } = this.#toolsFor(new LocalExecutionEnvironment("."));
    const has = new Set(having.agents ? (["agents"] as const) : []);
    return new Toolset(dialect, { own, has }).definitions();
  }

  /**
   * Makes one call, through the methods of the environment. Failures are results; rejects only when no instance can be
   * opened.
   */
  async execute(
    name: string,
    args: unknown,
    environment: ExecutionEnvironment,
    options?: CallOptions,
  ): Promise<CallResult> {
    return (await this.#instanceFor(name, environment)).call(name, args, { ...options, onlyOffered: true });
  }

  /** Closes the instances that were opened in custom environments. May be called twice. */
  async close(): Promise<void> {
    const instances = [...this.#instances.values()];
    this.#instances.clear();
    await Promise.all(instances.map((each) => each.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Returns the instance for a tool. A tool whose methods a local environment does not override runs directly. */
  #instanceFor(name: string, environment: ExecutionEnvironment): Promise<Toolcrib> {
    const isLocal = environment instanceof LocalExecutionEnvironment;
    if (isLocal && !overridesAny(environment, methodsOf(this.dialect, name))) {
      const { options, workingDirectory: workspace } = environment;
      return environment.instances.get(this, this.#version, () =>
        openToolcrib({ ...options, workspace, ...this.#toolsFor(environment) }),
      );
    }
    const instances = isLocal ? environment.instances : (this.#instances.get(environment) ?? new Instances());
    if (!isLocal) this.#instances.set(environment, instances);
    return instances.get(this.#own, this.#version, () => this.#openAdapted(environment));
  }

  async #openAdapted(environment: ExecutionEnvironment): Promise<Toolcrib> {
    const { stateDirectory = userDirectories().state, ...options } = environment.options ?? {};
    const adapted = new AdaptedEnvironment(environment);
    const { dialect, tools } = this.#toolsFor(environment);
    return openToolcrib({
      ...options,
      // The paths may be those of another machine, whose history must not mix with that of a local folder.
      stateDirectory: join(stateDirectory, "environments"),
      environment: adapted,
      dialect: adaptDialect(dialect, adapted),
      tools,
    });
  }

  #toolsFor(environment: ExecutionEnvironment): {
    readonly dialect: Dialect;
    readonly tools: readonly AnyTool[];
  } {
    const tools = this.dialect.tools.filter(({ name }) => !this.#removed.has(name));
    return {
      dialect: { ...this.dialect, tools },
      tools: [...this.#own.values()].map((tool) => {
        if (!("definition" in tool)) return tool;
        const { definition, risk = "execute" } = tool;
        const run = (args: Readonly<Record<string, unknown>>) => tool.executor(args, environment);
        return describedTool({ ...definition, risk, maxChars: 20_000, run });
      }),
    };
  }
}

type Method = keyof ExecutionEnvironment & keyof LocalExecutionEnvironment;

const fileMethods: readonly Method[] = ["readFile", "writeFile", "deleteFile", "moveFile", "fileExists"];

const methods: Readonly<Record<string, readonly Method[]>> = {
  "shell.run": ["execCommand"],
  "search.grep": ["grep"],
  "search.glob": ["glob"],
  "file.read": [...fileMethods, "glob"],
  "file.list": [...fileMethods, "glob"],
  "file.write": fileMethods,
  "edit.replace": fileMethods,
  "edit.patch": fileMethods,
};

/** Returns the methods of an environment that a tool uses. */
function methodsOf({ tools }: Dialect, name: string): readonly Method[] {
  const tool = tools.find((each) => each.name === name || each.canonical === name);
  return methods[tool?.canonical ?? ""] ?? [];
}

function overridesAny(environment: LocalExecutionEnvironment, names: readonly Method[]): boolean {
  return names.some((name) => environment[name] !== LocalExecutionEnvironment.prototype[name]);
}

/** A custom tool in Forge's form. */
export interface CustomTool {
  readonly definition: {
    readonly name: string;
    readonly description: string;
    /** JSON Schema of an object. */
    readonly parameters: Readonly<Record<string, unknown>>;
  };
  /** The most that a call can do, for the policy. Default: "execute". */
  readonly risk?: ToolRisk | undefined;
  executor(
    args: Readonly<Record<string, unknown>>,
    environment: ExecutionEnvironment,
  ): Promise<string> | string;
}
