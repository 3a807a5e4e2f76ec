import type { ToolDefinition } from "../../dialects/definition.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import { anthropicDialect, geminiDialect, openaiDialect } from "../../dialects/forge.ts";
import { ToolRegistry } from "./tool-registry.ts";

/** A model as a program knows it: its provider, its tools, its abilities. */
export interface ProviderProfile {
  readonly id: string;
  readonly model: string;
  readonly toolRegistry: ToolRegistry;
  readonly supportsReasoning: boolean;
  readonly supportsStreaming: boolean;
  readonly supportsParallelToolCalls: boolean;
  /** The size in tokens. */
  readonly contextWindowSize: number;
  /** Returns the definitions for the model; those for agents only on request. */
  tools(having?: { readonly agents?: boolean | undefined }): Promise<readonly ToolDefinition[]>;
}

type Abilities = Pick<
  ProviderProfile,
  "supportsReasoning" | "supportsStreaming" | "supportsParallelToolCalls" | "contextWindowSize"
>;

abstract class Profile implements ProviderProfile {
  abstract readonly id: string;
  readonly model: string;
  readonly toolRegistry: ToolRegistry;
  readonly supportsReasoning: boolean;
  readonly supportsStreaming: boolean;
  readonly supportsParallelToolCalls: boolean;
  readonly contextWindowSize: number;

  constructor(model: string, toolRegistry: ToolRegistry, abilities: Partial<Abilities> = {}) {
    this.model = model;
    this.toolRegistry = toolRegistry;
    this.supportsReasoning = abilities.supportsReasoning ?? true;
    this.supportsStreaming = abilities.supportsStreaming ?? true;
    this.supportsParallelToolCalls = abilities.supportsParallelToolCalls ?? true;
    this.contextWindowSize = abilities.contextWindowSize ?? 200_000;
  }

  static withDefaultTools<Kind extends Profile>(
    this: {
      readonly dialect: Dialect;
      new (model: string, toolRegistry: ToolRegistry, abilities?: Partial<Abilities>): Kind;
    },
    model: string,
    abilities?: Partial<Abilities>,
  ): Kind {
    // biome-ignore lint/complexity/noThisInStatic: the class that it is called on
    return new this(model, new ToolRegistry(this.dialect), abilities);
  }

  tools(having?: { readonly agents?: boolean | undefined }): Promise<readonly ToolDefinition[]> {
    return this.toolRegistry.definitions(having);
  }
}

export class OpenAiProviderProfile extends Profile {
  static readonly dialect: Dialect = openaiDialect;
  readonly id: string = "openai";

  constructor(model: string, toolRegistry: ToolRegistry, abilities?: Partial<Abilities>) {
    super(model, toolRegistry, { contextWindowSize: 400_000, ...abilities });
  }
}

export class AnthropicProviderProfile extends Profile {
  static readonly dialect: Dialect = anthropicDialect;
  readonly id: string = "anthropic";
}

export class GeminiProviderProfile extends Profile {
  static readonly dialect: Dialect = geminiDialect;
  readonly id: string = "gemini";

  constructor(model: string, toolRegistry: ToolRegistry, abilities?: Partial<Abilities>) {
    super(model, toolRegistry, { contextWindowSize: 1_048_576, ...abilities });
  }
}
