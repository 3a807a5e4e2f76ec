import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { holdsSecret } from "../../lib/secrets/withheld.ts";
import { attempt, statsAt } from "../../system/attempt.ts";

/** Copies harmless settings of package managers from the home to the private one, such as the address of a mirror. */
export function copyHomeSettings(home: string, privateHome: string): void {
  for (const name of files) {
    const from = join(home, name);
    const text = statsAt(from)?.isFile() ? attempt(() => readFileSync(from, "utf8")) : undefined;
    if (text === undefined || text.length > mostChars) continue;
    const to = join(privateHome, name);
    attempt(() => {
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, harmlessSettings(text), { flag: "wx" });
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

/**
 * Returns the settings that are known to be harmless, in the form of the file. Any other name can be that of a credential,
 * because users choose some themselves.
 */
export function harmlessSettings(text: string): string {
  if (/^\s*</.test(text)) return harmlessXml(text);
  const kept: string[] = [];
  let isInList = false;
  for (const line of text.split("\n").map((each) => each.trimEnd())) {
    const [, value] = setting.exec(line) ?? [];
    if (value !== undefined && isHarmless(value)) {
      kept.push(line);
      isInList = value === "";
    } else if (isInList && element.test(line) && isHarmless(line)) {
      kept.push(line);
    } else {
      isInList = false;
      if (section.test(line)) kept.push(line);
    }
  }
  return kept.map((line) => `${line}\n`).join("");
}

/** The settings of each program that are copied. An indented setting belongs to a section that is not. */
const names = [
  // npm, pnpm, yarn and bun
  "(?:@[\\w.-]+:)?registry|npmRegistryServer|save-(?:exact|prefix)|engine-strict|legacy-peer-deps|strict-peer-dependencies",
  "auto-install-peers|node-linker|nodeLinker|shamefully-hoist|strict-ssl|cafile|fund|audit|ignore-scripts|package-lock|exact",
  "fetch-(?:retries|timeout)|enable(?:GlobalCache|Telemetry|Scripts)|nmMode|network-timeout",
  // pip, uv and conda
  "(?:extra-)?index-url|index-strategy|default-index|find-links|trusted-host|cert|timeout|retries|only-binary|no-binary|pre",
  "prefer-binary|require-virtualenv|break-system-packages|disable-pip-version-check|url|name|default|explicit|native-tls",
  "(?:default_)?channels|channel_alias|channel_priority|ssl_verify|solver",
  // Gradle, RubyGems, Bundler and Go
  "org\\.gradle\\.(?:jvmargs|daemon|parallel|caching|configureondemand|configuration-cache|workers\\.max|vfs\\.watch|console)",
  ":?(?:sources|gem|install|update|verbose|backtrace|concurrent_downloads)",
  "BUNDLE_(?:MIRROR__\\S+|JOBS|RETRY|WITH|WITHOUT|FROZEN|DEPLOYMENT|FORCE_RUBY_PLATFORM)",
  "GO(?:PROXY|SUMDB|NOSUMDB|NOPROXY|PRIVATE|INSECURE|FLAGS|TOOLCHAIN|111MODULE|EXPERIMENT)|CGO_ENABLED",
];

const setting = new RegExp(`^["']?(?:${names.join("|")})["']?(?:[ \\t]*[=:][ \\t]*|[ \\t]+|$)(.*)$`);
const section = /^\[{1,2}[\w.-]{1,64}\]{1,2}$/;
/** An address or a name on a line of its own, below a setting without a value. */
const element = /^\s+(?:- +)?["']?(?:https?:\/\/[^\s"']+|[\w.-]+)["']?$|^- +["']?https?:\/\/[^\s"']+["']?$/;

/** Returns whether a value is complete, and without a token in the path or the query of an address. */
function isHarmless(value: string): boolean {
  return !(holdsSecret(value) || /[{#?]|\/t\/|^\[[^\]]*$/.test(value));
}

/** Returns the mirrors of Maven, or the sources of NuGet. */
function harmlessXml(text: string): string {
  const plain = text.replace(/<!--[\s\S]*?-->/g, "");
  return /<settings\b/.test(plain)
    ? `<settings>\n<mirrors>\n${mavenMirrors(plain)}</mirrors>\n</settings>\n`
    : `<configuration>\n<packageSources>\n${nugetSources(plain)}</packageSources>\n</configuration>\n`;
}

function mavenMirrors(text: string): string {
  return [...text.matchAll(/<mirror>([\s\S]*?)<\/mirror>/g)]
    .map(([, inner = ""]) => inner.match(/<(id|name|url|mirrorOf|blocked)>[^<]*<\/\1>/g)?.join("") ?? "")
    .filter(isHarmless)
    .map((parts) => `<mirror>${parts}</mirror>\n`)
    .join("");
}

function nugetSources(text: string): string {
  const [, list = ""] = /<packageSources>([\s\S]*?)<\/packageSources>/.exec(text) ?? [];
  return [...list.matchAll(/<clear *\/>|<add key="[\w .-]*" value="([^"]*)"(?: protocolVersion="\d")? *\/>/g)]
    .filter(([, value = ""]) => isHarmless(value))
    .map(([source]) => `${source}\n`)
    .join("");
}
