/**
 * Sets `repository` in package.json to the address of the git remote `origin`, as `npm init` does, so that a published
 * package links to the repository it comes from, and `mcpName`, by which the MCP registry knows the owner. Runs before
 * packing. Keeps an address that is set already.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const file = join(import.meta.dirname, "../package.json");
const description = JSON.parse(readFileSync(file, "utf8"));
if (description.repository === undefined) {
  const url = publicAddress(remoteAddress());
  if (url === undefined) {
    console.error(
      'Set "repository" in package.json before you publish: the git remote "origin" is missing or has no https or ssh address.\n' +
        "For example: npm pkg set repository.type=git repository.url=git+https://HOST/OWNER/toolcrib.git",
    );
  } else {
    const { name, version, description: summary, ...rest } = description;
    const repository = { type: "git", url };
    const mcpName = registryName(url, name);
    const whole = { name, version, description: summary, repository, mcpName, ...rest };
    writeFileSync(file, `${JSON.stringify(whole, undefined, 2)}\n`);
  }
}

function remoteAddress(): string {
  try {
    const cwd = join(import.meta.dirname, "..");
    // Without this, git finds the repository around a copy of the sources.
    const env = { ...process.env, GIT_CEILING_DIRECTORIES: join(cwd, "..") };
    const stdio: ["ignore", "pipe", "ignore"] = ["ignore", "pipe", "ignore"];
    return execFileSync("git", ["remote", "get-url", "origin"], { cwd, env, stdio, encoding: "utf8" }).trim();
  } catch {
    return "";
  }
}

/** Returns the name in the MCP registry, which knows the owners of repositories on GitHub only. */
function registryName(url: string, name: string): string | undefined {
  const owner = /^git\+https:\/\/github\.com\/([^/]+)\//.exec(url)?.[1];
  return owner === undefined ? undefined : `io.github.${owner}/${name}`;
}

/** Returns the https address without user names and passwords; undefined for a local folder. */
function publicAddress(remote: string): string | undefined {
  const [, host, path] = /^(?:https|ssh|git\+ssh):\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/(.+)$/.exec(remote) ??
    /^[\w.-]+@([\w.-]+):([^/].*)$/.exec(remote) ?? [undefined, undefined, undefined];
  if (host === undefined || path === undefined) return undefined;
  return `git+https://${host}/${path.replace(/(\.git)?\/?$/, ".git")}`;
}
