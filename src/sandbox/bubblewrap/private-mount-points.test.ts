import { lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { Mount } from "./mounts.ts";
import { clearPrivateMountPoints } from "./mounts.ts";

it.skipIf(process.platform !== "linux")(
  "removes links and files where other directories are mounted",
  async () => {
    await using folder = temporaryFolder();
    const at = (name: string) => join(folder.path, name);
    for (const name of ["home", "own", "elsewhere"]) mkdirSync(at(name));
    symlinkSync(at("elsewhere"), at("home/code"));
    symlinkSync(at("elsewhere/made"), at("home/.npmrc"));
    writeFileSync(at("home/.config"), "");
    symlinkSync(at("elsewhere"), at("home/untouched"));
    const privates = { home: at("home"), temporary: at("temporary"), own: at("own") };
    const shown = (target: string): Mount => ({ show: "read-only", source: target, target });
    const mounts: readonly Mount[] = [
      shown("/"),
      { show: "writable", source: at("home"), target: "/home/me" },
      shown("/home/me/code/work"),
      shown("/home/me/code/work/.git/hooks"),
      shown("/home/me/.npmrc"),
      shown("/home/me/.config"),
      shown("/home/me/.config/git"),
    ];
    const first = clearPrivateMountPoints(mounts, privates);
    const again = clearPrivateMountPoints(mounts, privates);
    expect({
      cleared: [first, again],
      home: readdirSync(at("home")).map((name) => [name, lstatSync(at(`home/${name}`)).isDirectory()]),
      elsewhere: readdirSync(at("elsewhere")),
      found: readdirSync(at("own")).length,
    }).toEqual({
      cleared: [true, true],
      home: [
        [".config", false],
        ["code", true],
        ["untouched", false],
      ],
      elsewhere: [],
      found: 2,
    });
  },
);
