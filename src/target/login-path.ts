import { delimiter } from "node:path";
import { outputOfProgram } from "../system/start-program.ts";

/**
 * Returns the PATH of these variables, followed by the folders that only login shells have: ssh starts commands without the
 * user's profile, where most version managers add theirs.
 */
export async function loginPath(env: NodeJS.ProcessEnv): Promise<string> {
  const { PATH: own = "/usr/local/bin:/usr/bin:/bin", SHELL: shell } = env;
  const login = shell?.startsWith("/") ? await pathOfLogin(shell, env) : "";
  return [...new Set([...own.split(delimiter), ...login.split(delimiter)])].filter(Boolean).join(delimiter);
}

const marker = "toolcrib-path:";
const patienceMs = 3000;

async function pathOfLogin(shell: string, env: NodeJS.ProcessEnv): Promise<string> {
  const line = `printf '\\n${marker}%s\\n' "$PATH"`;
  // A profile can hang or fail after the PATH is known.
  const output = await outputOfProgram(shell, ["-lc", line], { env, timeout: patienceMs }).catch(
    (error: { readonly stdout?: string }) => error.stdout ?? "",
  );
  const found = output.split("\n").find((one) => one.startsWith(marker));
  return found?.slice(marker.length) ?? "";
}
