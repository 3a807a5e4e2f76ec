import { lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { Mount } from "./mounts.ts";
import { clearPrivateMountPoints, pinPrivateMountPoints } from "./mounts.ts";

const directories = { home: "/state/home", temporary: "/state/temporary" };
const shown = (target: string): Mount => ({ show: "read-only", source: target, target });
const own = (source: string, target: string): Mount => ({ show: "writable", source, target });

it("mounts parents of other mounts in private directories, before them", () => {
  const meant = [
    shown("/"),
    own("/state/home", "/home/me"),
    shown("/home/me/.config/git"),
    shown("/home/me/code/work"),
    shown("/home/me/code/work/.git/hooks"),
    shown("/etc/ssh"),
    { show: "blank", target: "/home/me/.config/a/b", permissions: "000" } as const,
  ];
  const [config, code] = [
    own("/state/home/.config", "/home/me/.config"),
    own("/state/home/code", "/home/me/code"),
  ];
  const a = own("/state/home/.config/a", "/home/me/.config/a");
  expect(pinPrivateMountPoints(meant, directories)).toEqual({
    mounts: [meant[0], meant[1], config, meant[2], code, meant[3], meant[4], meant[5], a, meant[6]],
    points: [
      { path: "/state/home/.config", isParent: true },
      { path: "/state/home/.config/git", isParent: false },
      { path: "/state/home/code", isParent: true },
      { path: "/state/home/code/work", isParent: false },
      { path: "/state/home/.config/a", isParent: true },
      { path: "/state/home/.config/a/b", isParent: false },
    ],
  });
});

it.skipIf(process.platform !== "linux")(
  "removes links and files where other directories are mounted",
  async () => {
    await using folder = temporaryFolder();
    const at = (name: string) => join(folder.path, name);
    for (const name of ["home", "own", "elsewhere"]) mkdirSync(at(name));
    symlinkSync(at("elsewhere"), at("home/code"));
    symlinkSync(at("elsewhere/made"), at("home/.npmrc"));
    writeFileSync(at("home/.config"), "");
    const points = [
      { path: at("home/code"), isParent: true },
      { path: at("home/code/work"), isParent: false },
      { path: at("home/.config"), isParent: true },
      { path: at("home/.npmrc"), isParent: false },
    ];
    const first = clearPrivateMountPoints(points, at("own"));
    const again = clearPrivateMountPoints(points, at("own"));
    expect({
      cleared: [first, again],
      home: readdirSync(at("home")).map((name) => [name, lstatSync(at(`home/${name}`)).isDirectory()]),
      elsewhere: readdirSync(at("elsewhere")),
      found: readdirSync(at("own")).length,
    }).toEqual({
      cleared: [true, true],
      home: [
        [".config", true],
        ["code", true],
      ],
      elsewhere: [],
      found: 3,
    });
  },
);
