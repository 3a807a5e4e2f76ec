import { join } from "node:path";
import { settingsFile } from "../models/provider-access.ts";
import type { ModelSettings } from "../models/settings.ts";
import { userDirectories } from "../system/directories.ts";
import { readPolicyFile } from "../system/policy-files.ts";

/**
 * Reads the user's `models.json` from the config directory, never from the workspace, where a repository could redirect
 * the user's keys. Empty when there is no file. Throws `invalid-input` when it is invalid.
 */
export async function readModelSettings(
  configDirectory: string = userDirectories().config,
): Promise<ModelSettings> {
  const file = join(configDirectory, settingsFile);
  const text = readPolicyFile(file);
  if (text === undefined) return {};
  const { parseModelSettings } = await import("../models/settings.ts");
  return parseModelSettings(text, file);
}
