import type { Risk } from "../../contract/access.ts";
import type { AnyTool } from "../../contract/tool.ts";
import type { ToolDefinition } from "../../dialects/definition.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import { Toolset } from "../../dialects/toolset.ts";
import type { CallOptions, CallResult } from "../../toolcrib/index.ts";
import { describedTool } from "../described-tool.ts";
import {
  type ExecutionEnvironment,
  type InstanceTools,
  LocalExecutionEnvironment,
} from "./execution-environment.ts";

/** The tools of one provider's models and custom ones. The latest registration of a name wins. */
export class ToolRegistry implements InstanceTools {
  readonly dialect: Dialect;
  readonly #own = new Map<string, AnyTool | CustomTool>();
  readonly #removed = new Set<string>();
  #version = 0;

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  /** Increases with every change. */
  get version(): number {
    return this.#version;
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

  /** The dialect's tools that were not removed, then custom ones. */
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

  /** The definitions for models; those for agents only on request. */
  async definitions(having: { readonly agents?: boolean } = {}): Promise<readonly ToolDefinition[]> {
    const { dialect, tools: own } = this.toolsFor(new LocalExecutionEnvironment("."));
    const has = new Set(having.agents ? (["agents"] as const) : []);
    return new Toolset(dialect, { own, has }).definitions();
  }

  /** Makes one call. Failures are results; rejects only when no instance can be opened. */
  async execute(
    name: string,
    args: unknown,
    environment: ExecutionEnvironment,
    options?: CallOptions,
  ): Promise<CallResult> {
    return (await environment.instance(this)).call(name, args, options);
  }

  toolsFor(environment: ExecutionEnvironment): ReturnType<InstanceTools["toolsFor"]> {
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

/** A custom tool in Forge's form. */
export interface CustomTool {
  readonly definition: {
    readonly name: string;
    readonly description: string;
    /** JSON Schema of an object. */
    readonly parameters: Readonly<Record<string, unknown>>;
  };
  /** The most that a call can do, for the policy. Default: "execute". */
  readonly risk?: Risk;
  executor(
    args: Readonly<Record<string, unknown>>,
    environment: ExecutionEnvironment,
  ): Promise<string> | string;
}
