import type { Dialect } from "../dialects/dialect.ts";
import { newIdentifier } from "../lib/identifier.ts";
import { errorOnTarget } from "../lib/text/commands-on-target.ts";
import type { ToolsOf } from "./caller.ts";
import { checkMode, checkNames, checkSession, checkValues, optionNames } from "./check-options.ts";
import { targetName } from "./elsewhere.ts";
import { expectSession, openHistory, recoverChanges } from "./open-history.ts";
import { DeniedTools, openToolset, ownTools, toDialect } from "./open-toolset.ts";
import { openWorkspace } from "./open-workspace.ts";
import type { ToolcribOptions } from "./options.ts";
import { Toolcrib } from "./toolcrib.ts";

/** Opens a Toolcrib: checks the options, then opens the workspace with its rules, its journal and the pipeline. */
export async function openToolcrib<const Name extends string | Dialect = "toolcrib">(
  options: ToolcribOptions & { readonly dialect?: Name | undefined } = {},
): Promise<Toolcrib<ToolsOf<Name>>> {
  checkNames(options, optionNames, "openToolcrib");
  return (await openInstance(options)) as Toolcrib<ToolsOf<Name>>;
}

/**
 * Opens a Toolcrib, for code that has checked the names of the options, and whether the session exists. A program that
 * `exits` after closing the instance need not wait for the disk.
 */
export async function openInstance(
  options: ToolcribOptions,
  { knowsSession = false, exits = false }: { readonly knowsSession?: boolean; readonly exits?: boolean } = {},
): Promise<Toolcrib> {
  checkValues(options);
  const dialect = await toDialect(options.dialect ?? "toolcrib");
  const mode = checkMode(options.mode ?? "cautious");
  const denied = new DeniedTools();
  const tools = await ownTools(options.tools);
  const toolset = openToolset(dialect, { ...options, tools }, denied);
  const session = checkSession(options.session) ?? newIdentifier("session");
  const target = options.target && targetName(options.target);
  const workspace = await openWorkspace(options, dialect);
  denied.follow(workspace.policy);
  const history = openHistory(workspace, { ...options, session, exits });
  try {
    const isResumed = options.session !== undefined;
    if (isResumed && !knowsSession) expectSession(history, session);
    const recovered = await recoverChanges(history, workspace.environment, { isResumed });
    const opened = { dialect, mode, denied, tools, toolset, session, workspace, history, recovered };
    return new Toolcrib({ options, ...opened });
  } catch (error) {
    await history.close();
    await workspace.close();
    throw errorOnTarget(error, target);
  }
}
