import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { attempt, statsAt } from "../../system/attempt.ts";
import { namesIfReadable } from "../../system/directories.ts";
import { copyHomeSettings } from "./home-settings.ts";
import type { Shown } from "./visible.ts";

type Variables = Readonly<Record<string, string>>;

/** The directory of the private home into which commands install programs, as `/usr/local` is for the machine. */
const prefix = ".installed";

/** Gives the private home the user's settings, and a place for `npm install -g`, `pip install --user` and similar commands. */
export function furnishHome(home: string, privateHome: string): void {
  copyHomeSettings(home, privateHome);
  prepareInstalls(home, privateHome);
}

function prepareInstalls(home: string, privateHome: string): void {
  const settings = join(privateHome, prefix, "etc");
  mkdirSync(settings, { recursive: true });
  // nvm refuses to work with a prefix in a variable or in the settings of the user.
  writeFileSync(join(settings, "npmrc"), `prefix=\${HOME}/${prefix}\n`);
  linkGlobalPackages(join(privateHome, prefix));
  // Python uses one directory for the packages of the user, and those of the real home stay available.
  const ofUser = join(home, ".local/lib");
  for (const version of namesIfReadable(ofUser).filter((name) => /^python\d/.test(name))) {
    const packages = join(privateHome, prefix, "lib", version, "site-packages");
    attempt(() => {
      mkdirSync(packages, { recursive: true });
      writeFileSync(join(packages, linkFile), `${join(ofUser, version, "site-packages")}\n`);
    });
  }
}

/** Links what is installed globally outside, because npx and npm look for it only where they install. */
function linkGlobalPackages(top: string): void {
  for (const directory of (process.env.PATH ?? "").split(delimiter)) {
    const packages = join(dirname(directory), "lib/node_modules");
    if (basename(directory) !== "bin" || !existsSync(packages)) continue;
    for (const name of namesIfReadable(packages)) {
      const scoped = name.startsWith("@") ? namesIfReadable(join(packages, name)) : [""];
      for (const inner of scoped)
        link(join(packages, name, inner), join(top, "lib/node_modules", name, inner));
    }
    for (const name of namesIfReadable(directory)) {
      const path = join(directory, name);
      const leadsTo = attempt(() => readlinkSync(path)) ?? "";
      // As npm has made it, because npm replaces only such a link when it installs the package again.
      if (leadsTo.startsWith("../lib/node_modules/")) link(leadsTo, join(top, "bin", name));
      else if (leadsTo.includes("node_modules/") || name === "node") link(path, join(top, "bin", name));
    }
  }
}

function link(target: string, path: string): void {
  attempt(() => {
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path);
  });
}

/**
 * Copies the directories of shims, such as `~/.pyenv/shims`, because their tools write them after each install. Returns what
 * commands see in their place.
 */
export function copyShims(toolChains: readonly Shown[], privateHome: string): readonly Shown[] {
  return toolChains.flatMap(({ target }, index) => {
    const shims = join(target, "shims");
    if (statsAt(shims)?.isDirectory() !== true) return [];
    const source = join(privateHome, prefix, `shims-${index}`);
    copyFiles(shims, source);
    return [{ source, target: shims }];
  });
}

/** Copies the files of a directory. Those with the same content by hard links are copied once, because shims are many. */
function copyFiles(from: string, to: string): void {
  const copies = new Map<number, string>();
  mkdirSync(to, { recursive: true });
  for (const name of namesIfReadable(from)) {
    const stats = statsAt(join(from, name));
    // Hidden files are locks.
    if (stats?.isFile() !== true || name.startsWith(".")) continue;
    const copy = copies.get(stats.ino);
    attempt(() => {
      if (copy === undefined) copyFileSync(join(from, name), join(to, name));
      else linkSync(copy, join(to, name));
      copies.set(stats.ino, join(to, name));
    });
  }
}

const linkFile = "home.pth";

/** Sets the variables by which package managers find that directory. `home`: the private home, as commands see it. */
export function withPrivateInstalls(env: Variables, home: string): Variables {
  const top = join(home, prefix);
  const others = Object.entries(env).filter(([name]) => !/^npm_config_(?:prefix|globalconfig)$/i.test(name));
  return {
    PYTHONUSERBASE: top,
    // Where the home is on another disk, as here, pnpm 11 would put its store into the workspace.
    pnpm_config_store_dir: join(home, ".local/share/pnpm/store"),
    ...Object.fromEntries(others),
    npm_config_globalconfig: join(top, "etc/npmrc"),
    YARN_PREFIX: top,
    CARGO_INSTALL_ROOT: top,
    GOBIN: join(top, "bin"),
    PATH: [env.PATH, join(top, "bin"), join(home, ".local/bin")].filter(Boolean).join(delimiter),
  };
}

/** Tells once what commands install from now on. Returns a function for the end of each command. */
export function installsIn(privateHome: string): () => readonly string[] {
  const top = join(privateHome, prefix);
  const before = new Set(installed(top));
  let isTold = false;
  return () => {
    if (isTold) return [];
    const names = installed(top).filter((name) => !before.has(name));
    if (names.length === 0) return [];
    isTold = true;
    const more = names.length > shownNames ? ` and ${names.length - shownNames} more` : "";
    return [
      `Installed in the private home of commands (~/${prefix}), which is deleted with the session: ${names.slice(0, shownNames).join(", ")}${more}. Its programs are on the PATH of commands.`,
    ];
  };
}

const shownNames = 5;

function installed(top: string): readonly string[] {
  const programs = namesIfReadable(join(top, "bin"));
  const packages = namesIfReadable(join(top, "lib")).flatMap((name) =>
    namesIfReadable(join(top, "lib", name, name === "node_modules" ? "." : "site-packages")),
  );
  return [...new Set([...programs, ...packages])].filter(
    (name) => name !== linkFile && !/^[._]/.test(name) && !name.endsWith(".dist-info"),
  );
}
