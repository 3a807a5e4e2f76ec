import { bundlePaths } from "./bundle-paths.ts";
import type { Covered, Entry } from "./entries-below.ts";

/** So many that they would take too long one by one go together with what lies beside them. */
export function bundleCovered(
  { hidden, readOnly, unnameable, isWhole }: Covered,
  workspace: string,
): {
  readonly hidden: readonly Entry[];
  readonly readOnly: readonly string[];
  readonly remarks: readonly string[];
} {
  const secrets = bundlePaths(
    hidden.map(({ path }) => path),
    workspace,
  );
  const fixed = bundlePaths(readOnly, workspace);
  const single = new Set(secrets.single);
  return {
    hidden: [
      ...hidden.filter(({ path }) => single.has(path)),
      ...secrets.bundled.map((path): Entry => ({ path, kind: "directory" })),
    ],
    readOnly: [...fixed.single, ...fixed.bundled],
    remarks: [
      ...(isWhole
        ? []
        : ["The workspace is too large to look for secrets everywhere: far down they are not hidden."]),
      ...unnameable.map((path) => `${path} is not hidden: its name is no text.`),
      ...secrets.bundled.map((path) => `${path} holds so many secrets that commands see nothing of it.`),
      ...fixed.bundled.map(
        (path) => `${path} holds so many protected files that commands write nothing in it.`,
      ),
    ],
  };
}
