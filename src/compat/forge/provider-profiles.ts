import type { ToolDefinition } from "../../dialects/definition.ts";
import { anthropicDialect, geminiDialect, openaiDialect } from "../../dialects/forge.ts";
import { ToolRegistry } from "./tool-registry.ts";

/** What a program knows about a model: its provider, its tools, its abilities. */
export interface ProviderProfile {
  readonly id: string;
  readonly model: string;
  readonly toolRegistry: ToolRegistry;
  readonly supportsReasoning: boolean;
  readonly supportsStreaming: boolean;
  readonly supportsParallelToolCalls: boolean;
  /** In tokens. */
  readonly contextWindowSize: number;
  /** The definitions for the model; those for agents only on request. */
  tools(having?: { readonly agents?: boolean }): Promise<readonly ToolDefinition[]>;
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

  protected constructor(model: string, toolRegistry: ToolRegistry, abilities: Abilities) {
    this.model = model;
    this.toolRegistry = toolRegistry;
    this.supportsReasoning = abilities.supportsReasoning;
    this.supportsStreaming = abilities.supportsStreaming;
    this.supportsParallelToolCalls = abilities.supportsParallelToolCalls;
    this.contextWindowSize = abilities.contextWindowSize;
  }

  tools(having?: { readonly agents?: boolean }): Promise<readonly ToolDefinition[]> {
    return this.toolRegistry.definitions(having);
  }
}

const usual: Abilities = {
  supportsReasoning: true,
  supportsStreaming: true,
  supportsParallelToolCalls: true,
  contextWindowSize: 200_000,
};

export class OpenAiProviderProfile extends Profile {
  readonly id: string = "openai";

  constructor(model: string, toolRegistry: ToolRegistry, abilities: Partial<Abilities> = {}) {
    super(model, toolRegistry, { ...usual, contextWindowSize: 400_000, ...abilities });
  }

  static withDefaultTools(model: string, abilities?: Partial<Abilities>): OpenAiProviderProfile {
    return new OpenAiProviderProfile(model, new ToolRegistry(openaiDialect), abilities);
  }
}

export class AnthropicProviderProfile extends Profile {
  readonly id: string = "anthropic";

  constructor(model: string, toolRegistry: ToolRegistry, abilities: Partial<Abilities> = {}) {
    super(model, toolRegistry, { ...usual, ...abilities });
  }

  static withDefaultTools(model: string, abilities?: Partial<Abilities>): AnthropicProviderProfile {
    return new AnthropicProviderProfile(model, new ToolRegistry(anthropicDialect), abilities);
  }
}

export class GeminiProviderProfile extends Profile {
  readonly id: string = "gemini";

  constructor(model: string, toolRegistry: ToolRegistry, abilities: Partial<Abilities> = {}) {
    super(model, toolRegistry, { ...usual, contextWindowSize: 1_048_576, ...abilities });
  }

  static withDefaultTools(model: string, abilities?: Partial<Abilities>): GeminiProviderProfile {
    return new GeminiProviderProfile(model, new ToolRegistry(geminiDialect), abilities);
  }
}
