import { execFile } from "node:child_process";
import { delimiter } from "node:path";

/**
 * Returns the PATH of this process, followed by the folders that only login shells have: ssh starts commands without the
 * user's profile, where most version managers add theirs.
 */
export async function loginPath(): Promise<string> {
  const own = process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin";
  const shell = process.env.SHELL;
  const login = shell?.startsWith("/") ? await pathOfLogin(shell) : "";
  return [...new Set([...own.split(delimiter), ...login.split(delimiter)])].filter(Boolean).join(delimiter);
}

const marker = "toolcrib-path:";
const patienceMs = 3000;

function pathOfLogin(shell: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const line = `printf '\\n${marker}%s\\n' "$PATH"`;
  const child = execFile(
    shell,
    ["-lc", line],
    { env: process.env, timeout: patienceMs, killSignal: "SIGKILL" },
    (_, output) => {
      const found = output.split("\n").find((one) => one.startsWith(marker));
      resolve(found?.slice(marker.length) ?? "");
    },
  );
  child.stdin?.on("error", () => {}).end();
  return promise;
}
