import { join } from "node:path";
import { settingsFile } from "../models/provider-access.ts";
import type { ModelSettings } from "../models/settings.ts";
import { userDirectories } from "../system/directories.ts";
import { readPolicyFile } from "../system/policy-files.ts";

/**
 * What the person has set about models, in their own config directory; never in the workspace, where anybody could send
 * their keys elsewhere. Nothing where there is no file. Throws `invalid-input` where it cannot be understood.
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
