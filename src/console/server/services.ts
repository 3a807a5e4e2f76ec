import type { RunToStart } from "../../agent/live/start-run.ts";
import type { Directories } from "../../system/directories.ts";
import type { Explanation, HealthReport, RulesReport, TryRulesResult } from "../api.ts";
import type { OpenFleets } from "./fleets.ts";

/** The parts that the program which starts the console provides. */
export interface ConsoleServices {
  readonly version: string;
  readonly directories: Pick<Directories, "state" | "config">;
  /** The folder with the built page. */
  readonly pageFolder: string;
  readonly commands: ConsoleCommands;
  /** Opens the fleets to show; undefined while there are none. Default: none. */
  readonly openFleets?: (() => Promise<OpenFleets | undefined>) | undefined;
  /** The address that is notified of questions. Default: none. */
  readonly webhook?: string | undefined;
  /** The program and the variables of agents that the page starts. Default: those of this process. */
  readonly run?: Pick<RunToStart, "program" | "variables">;
}

/** The commands of the command line that the page offers too, each for the real path of a workspace. */
export interface ConsoleCommands {
  /** `policy show`. */
  rules(workspace: string): Promise<Pick<RulesReport, "mode" | "sources">>;
  /** `policy explain`. */
  explain(workspace: string, call: string): Promise<Explanation>;
  /** `policy replay --rule`, compared with the rules that hold now. */
  tryRules(workspace: string, rules: readonly string[]): Promise<TryRulesResult>;
  /** Counts, for each list of rules, which of the latest recorded questions it would have answered. */
  countAnswered(workspace: string, rules: readonly (readonly string[])[]): Promise<readonly number[]>;
  /** `doctor`. */
  examine(workspace: string, signal: AbortSignal): Promise<Pick<HealthReport, "findings" | "verdict">>;
}
