import { neededPackages } from "../debian-packages.ts";
import { fetchOpenSsh, findOpenSsh } from "./openssh.ts";

/** Before all tests: gets the programs that reach real targets, and says which tests are skipped without them. */
export function setup(): void {
  fetchOpenSsh();
  const server = findOpenSsh();
  if (typeof server === "string") console.warn(`\nTests over a real ssh server are skipped: ${server}.\n`);
  const podman = neededPackages(["podman", "runc"]);
  if (podman !== undefined) console.warn(`\nTests in a real container are skipped: ${podman}.\n`);
}
