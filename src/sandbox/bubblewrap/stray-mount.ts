import { liesInside } from "../../system/workspace-path.ts";
import type { Mount } from "./bubblewrap-arguments.ts";

/**
 * Who exchanges a directory for a link in the moment in which it is mounted could have something else shown. So the mounts
 * that were really made are compared with those that were meant, before the program begins. Gives the first place that is
 * not as it should be. `inside` and `outside` are mount tables as /proc/PID/mountinfo tells them.
 */
export function strayMount(
  meant: readonly Mount[],
  tables: { readonly inside: string; readonly outside: string },
): string | undefined {
  const outside = placesIn(tables.outside);
  const meantAt = new Map(meant.map((mount) => [mount.target, mount]));
  const isOutside = new Set(outside.map(({ point }) => point));
  // Of several at one place only the last is seen.
  const seen = new Map(placesIn(tables.inside).map((place) => [place.point, place]));
  return [...seen.values()].find((place) => {
    if (liesInside(place.point, "/dev") || liesInside(place.point, "/proc")) return false;
    const mount = meantAt.get(place.point);
    if (mount === undefined) return !isOutside.has(place.point);
    if (!("source" in mount) || mount.source !== mount.target || isOutside.has(place.point)) return false;
    return place.identity !== identityOf(place.point, outside);
  })?.point;
}

interface Place {
  readonly point: string;
  readonly device: string;
  /** What of the file system is mounted there. */
  readonly root: string;
  readonly identity: string;
}

function placesIn(table: string): readonly Place[] {
  return table
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [, , device = "", root = "", point = ""] = line.split(" ").map(unescaped);
      return { device, root, point, identity: `${device} ${root}` };
    });
}

/** Where a path lies, by the innermost mount around it; of several at one place the last is seen. */
function identityOf(path: string, places: readonly Place[]): string {
  const around = places.filter(({ point }) => liesInside(path, point));
  const { device, root, point } = around.reduce((best, next) =>
    next.point.length >= best.point.length ? next : best,
  );
  const below = path.slice(point === "/" ? 0 : point.length);
  return `${device} ${root === "/" ? "" : root}${below}`;
}

/** Blanks and the like are told by their numbers. */
function unescaped(field: string): string {
  if (!field.includes("\\")) return field;
  const bytes = field.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)));
  return bytes;
}
