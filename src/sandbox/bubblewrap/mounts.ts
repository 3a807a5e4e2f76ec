import type { Mount } from "./bubblewrap-arguments.ts";
import type { Entry } from "./entries-below.ts";

/** What is where in a sandbox. Whatever is not named is there to be read. */
export interface View {
  readonly workspace: string;
  /** What the kernel would let root change for the whole machine. */
  readonly kernelSettings: readonly string[];
  /** Directories in whose place something else is seen, and can be written. */
  readonly replaced: readonly { readonly source: string; readonly target: string }[];
  /** Nothing is in them. */
  readonly blank: readonly string[];
  /** In what is replaced or blank: as outside after all. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** In what can be written: nobody renames or replaces them. */
  readonly held: readonly string[];
  readonly readOnly: readonly string[];
  /** Directories that must stay empty. */
  readonly empty: readonly string[];
  readonly substitutes: readonly { readonly source: string; readonly target: string }[];
  readonly hidden: readonly Entry[];
  /** What is seen instead of a hidden file; a device that cannot be opened if not said. */
  readonly covers: ReadonlyMap<string, string>;
}

/** In the order in which they are made: a place before what lies in it. */
export function mountsOf(view: View): readonly Mount[] {
  const places: Mount[] = [
    ...view.blank.map(blank("755")),
    ...view.replaced.map((place) => ({ show: "writable", ...place }) as const),
    ...view.readable.map(asOutside("read-only")),
    ...view.writable.map(asOutside("writable")),
    ...[view.workspace].filter((path) => path !== "/").map(asOutside("writable")),
  ];
  const kept: Mount[] = [
    ...view.held.map(asOutside("writable")),
    ...view.readOnly.map(asOutside("read-only")),
    ...view.substitutes.map((place) => ({ show: "read-only", ...place }) as const),
  ];
  return [
    asOutside(view.workspace === "/" ? "writable" : "read-only")("/"),
    { show: "devices", target: "/dev" },
    { show: "processes", target: "/proc" },
    ...view.kernelSettings.map(asOutside("read-only")),
    ...outermostFirst(places),
    ...outermostFirst(kept),
    ...view.hidden.map(({ path, kind }): Mount => {
      if (kind === "directory") return blank("000")(path);
      return { show: "read-only", source: view.covers.get(path) ?? "/dev/null", target: path };
    }),
    // For each of the others bubblewrap reads the table of all that were made before.
    ...view.empty.map(blank("555")),
  ];
}

function asOutside(show: "writable" | "read-only"): (path: string) => Mount {
  return (path) => ({ show, source: path, target: path });
}

function blank(permissions: "755" | "555" | "000"): (path: string) => Mount {
  return (target) => ({ show: "blank", target, permissions });
}

/** Those for one place stay in their order: the last is seen. */
function outermostFirst(mounts: readonly Mount[]): readonly Mount[] {
  return mounts.toSorted((one, other) => depthOf(one.target) - depthOf(other.target));
}

function depthOf(path: string): number {
  return path === "/" ? 0 : path.split("/").length;
}
