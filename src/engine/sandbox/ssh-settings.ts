import { copyFileSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../system/attempt.ts";
import { namesIfReadable } from "../../system/directories.ts";
import { perlProgram } from "../../system/perl-program.ts";
import type { Shown } from "./visible.ts";

/**
 * Copies `/etc/ssh` without its keys. In a user namespace the files of root have no known owner, and ssh refuses
 * settings of another user; the copy belongs to the user of the command. In it, ssh connects through the proxy.
 */
export function copyOfSshSettings(folder: string, system = target): readonly Shown[] {
  if (!existsSync(system)) return [];
  const source = join(folder, "ssh");
  copyFiles(system, source, 2);
  writeFileSync(join(source, connector), perlProgram(connector, import.meta.url));
  // Settings of the user and the system come before it.
  const connect = `perl ${join(target, connector)} %h %p`;
  const settings = join(source, "ssh_config");
  const before = attempt(() => readFileSync(settings, "utf8")) ?? "";
  // The copy is as read-only as the file of the system.
  rmSync(settings, { force: true });
  writeFileSync(settings, `${before}\nHost *\n    ProxyCommand ${connect}\n`);
  return [{ source, target }];
}

const target = "/etc/ssh";
const connector = "ssh-connect.pl";

function copyFiles(from: string, to: string, depth: number): void {
  mkdirSync(to, { mode: 0o755 });
  for (const name of namesIfReadable(from)) {
    const stats = attempt(() => lstatSync(join(from, name)));
    if (stats?.isDirectory() && depth > 0) copyFiles(join(from, name), join(to, name), depth - 1);
    else if (stats?.isFile() && stats.size < mostBytes && !name.endsWith("_key"))
      attempt(() => copyFileSync(join(from, name), join(to, name)));
  }
}

// The prime numbers of a server are larger, and no client needs them.
const mostBytes = 256 * 1024;
