import { execFile } from "node:child_process";
import { delimiter } from "node:path";

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

function pathOfLogin(shell: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const line = `printf '\\n${marker}%s\\n' "$PATH"`;
  const child = execFile(
    shell,
    ["-lc", line],
    { env, timeout: patienceMs, killSignal: "SIGKILL" },
    (_, output) => {
      const found = output.split("\n").find((one) => one.startsWith(marker));
      resolve(found?.slice(marker.length) ?? "");
    },
  );
  child.stdin?.on("error", () => {}).end();
  return promise;
}
