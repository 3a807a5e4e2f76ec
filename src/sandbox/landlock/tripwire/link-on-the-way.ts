import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { liesInside } from "../../../system/workspace-path.ts";
import { quietly } from "./entry-record.ts";

/** The outermost link between a workspace and a path in it. */
export function linkOnTheWay(path: string, workspace: string): string | undefined {
  const parent = dirname(path);
  if (parent === workspace || !liesInside(parent, workspace)) return undefined;
  const isLink = quietly(() => lstatSync(parent).isSymbolicLink()) === true;
  return linkOnTheWay(parent, workspace) ?? (isLink ? parent : undefined);
}
