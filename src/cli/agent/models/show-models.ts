import { readModelSettings } from "../../../agent/read-model-settings.ts";
import { ToolError } from "../../../contract/error.ts";
import { type ModelChoice, namedModel, servedModel } from "../../../models/default-model.ts";
import { providerAccess } from "../../../models/provider-access.ts";
import { type ReachedProvider, reachProviders } from "../../../models/reach-providers.ts";
import { tellProgress } from "../../tell-progress.ts";
import { describeModels } from "./describe-models.ts";
import { threeWays } from "./three-ways.ts";

export interface ShownModels {
  /** For programs. */
  readonly value: { readonly default: ModelChoice | null; readonly providers: readonly ReachedProvider[] };
  readonly isReachable: boolean;
  /** For people. */
  output(): string;
}

/** What can be asked from here, of all providers or of one. */
export async function showModels(operands: readonly string[]): Promise<ShownModels> {
  const [provider, stray] = operands;
  if (stray !== undefined)
    throw new ToolError("invalid-input", `"${stray}" is one word too many`, {
      hint: "Name one provider, or none. See: toolcrib models --help",
    });
  const settings = await readModelSettings();
  const variables = process.env;
  const only = provider === undefined ? undefined : [providerAccess(provider, settings, variables).name];
  const progress = tellProgress("toolcrib models");
  progress.tell("asks the providers");
  const reached = await reachProviders({ settings, variables, only });
  progress.stop();
  const choice = namedModel(settings, variables) ?? servedModel(reached);
  const isReachable = reached.some(({ state }) => state === "reachable");
  return {
    value: { default: choice ?? null, providers: reached },
    isReachable,
    output: () => {
      const told = describeModels(reached, { choice, isAll: provider !== undefined });
      return isReachable || provider !== undefined ? told : `${told}\n${threeWays()}\n`;
    },
  };
}
