import { readSystemFile } from "./process-identity.ts";

/** The limit of open files, if calls may fail under load because of it. Unknown outside Linux. */
export function lowDescriptorLimit(
  limits: string = readSystemFile("/proc/self/limits"),
): { readonly message: string; readonly hint: string } | undefined {
  // Node has already raised the limit as far as it may.
  const limit = Number(/^Max open files +([0-9]+)/m.exec(limits)?.[1] ?? Number.NaN);
  if (!(limit < enoughDescriptors)) return undefined;
  return {
    message: `only ${limit} files can be open at once: calls fail under load`,
    hint: "Raise the limit before you start Toolcrib: ulimit -n 4096",
  };
}

// A server with 20 clients and its workers uses about half of them.
const enoughDescriptors = 1024;
