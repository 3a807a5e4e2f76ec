import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt, statsAt } from "../../system/attempt.ts";
import { holdsSecret } from "../../system/environment-variables.ts";

/**
 * Copies settings of package managers from the home to the private one, such as the address of a mirror: without
 * passwords and tokens, and without proxies and prefixes, because commands have their own.
 */
export function copyHomeSettings(home: string, privateHome: string): void {
  for (const name of files) {
    const from = join(home, name);
    const text = statsAt(from)?.isFile() ? attempt(() => readFileSync(from, "utf8")) : undefined;
    if (text === undefined || text.length > mostChars) continue;
    const to = join(privateHome, name);
    attempt(() => {
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, withoutSecrets(text), { flag: "wx" });
    });
  }
}

const files = [
  ...[".npmrc", ".yarnrc", ".yarnrc.yml", ".bunfig.toml", ".config/pnpm/rc"],
  ...[".config/pip/pip.conf", ".pip/pip.conf", ".config/uv/uv.toml", ".condarc"],
  ...[".m2/settings.xml", ".gradle/gradle.properties"],
  ...[".gemrc", ".bundle/config", ".config/go/env", ".nuget/NuGet/NuGet.Config"],
];

const mostChars = 256 * 1024;

/** Removes the lines and elements that name credentials, or have a value that looks like one. */
export function withoutSecrets(text: string): string {
  const elements = text.replace(/<(servers|proxies|packageSourceCredentials|apikeys)\b[\s\S]*?<\/\1>/gi, "");
  return elements
    .split("\n")
    .filter((line) => !privateName.test(line) && !holdsSecret(line))
    .join("\n");
}

/** Matches lines that name a credential before "=" or ":", or in an element or attribute of XML. */
const privateName =
  /^[^=\n]*?(?:auth|token|passw|passphrase|passwd|pwd|secret|credential|cookie|username|key\b|key[_.]|proxy|^\s*prefix)[^=:\n]*[=:>]/i;
