import { signal } from "@preact/signals";

/** The pages, in the order of the navigation. */
export const pages = ["now", "trace", "sessions", "fleets", "rules", "health"] as const;
export type PageName = (typeof pages)[number];

export interface Route {
  readonly page: PageName;
  /** The selection: a workspace, and a call, session or question of it; or a fleet and a run of it. */
  readonly workspace: string | null;
  readonly id: string | null;
  readonly query: URLSearchParams;
}

/** The page that the address names: `#/trace/WORKSPACE/CALL?tool=shell.run`. */
export const route = signal(parseRoute(location.hash));

addEventListener("hashchange", () => {
  route.value = parseRoute(location.hash);
});

function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [page = "", workspace, id] = path.split("/").map(decode);
  return {
    page: pages.find((name) => name === page) ?? "now",
    workspace: workspace || null,
    id: id || null,
    query: new URLSearchParams(query),
  };
}

export interface Destination {
  readonly workspace?: string | null;
  readonly id?: string | null;
  readonly query?: URLSearchParams | Readonly<Record<string, string | undefined>>;
}

export function href(page: PageName, { workspace, id, query = {} }: Destination = {}): string {
  const parts = [page, workspace, id].filter((part) => typeof part === "string").map(encodeURIComponent);
  const entries = query instanceof URLSearchParams ? [...query] : Object.entries(query);
  const words = new URLSearchParams(entries.flatMap(([name, value]) => (value ? [[name, value]] : [])));
  return `#/${parts.join("/")}${words.size > 0 ? `?${words}` : ""}`;
}

/** `replace` leaves no entry in the history: for selections and filters that change with every key. */
export function navigate(to: string, { replace = false } = {}): void {
  if (to === location.hash) return;
  if (!replace) {
    location.hash = to;
    return;
  }
  history.replaceState(null, "", to);
  route.value = parseRoute(to);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
