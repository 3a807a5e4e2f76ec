/** The order of the pages, as in docs/README.md: start, do, look up, understand. */

export interface Group {
  readonly label: string;
  /** The slugs of pages; a name that ends with a slash stands for all pages below it. */
  readonly pages: readonly string[];
  readonly collapsed?: true;
}

const groups: readonly Group[] = [
  {
    label: "Start",
    pages: ["overview", "install", "tour", "first-edit", "agent", "mcp", "library", "operate"],
  },
  { label: "Do: files and code", pages: ["editing", "code", "language-servers", "git", "shell", "undo"] },
  { label: "Do: other sources", pages: ["documents", "web", "basic", "remote"] },
  {
    label: "Do: control",
    pages: ["console", "recipes", "sandbox", "sandbox/", "configuration", "hooks", "skills"],
  },
  { label: "Do: models and agents", pages: ["models", "editors", "scripts", "fleet", "github-action"] },
  { label: "Do: your own program", pages: ["agent-library", "adapters", "backends", "rpc", "deploying"] },
  {
    label: "Look up",
    pages: [
      "tools",
      "reference",
      "policy",
      "policy/",
      "dialects",
      "tokens",
      "mcp-clients",
      "versioning",
      "changelog",
    ],
  },
  {
    label: "Understand",
    pages: [
      "security",
      "limits",
      "benchmarks",
      "comparison",
      "scale",
      "conformance",
      "mcp-conformance",
      "architecture",
      "contributing",
      "security-policy",
    ],
  },
  { label: "Coming from another tool", pages: ["migrate/"], collapsed: true },
  { label: "Decisions", pages: ["decisions", "decisions/"], collapsed: true },
];

/** Sorts pages into the groups. A page that no group names is in the last group, so that none is lost. */
export function groupPages(slugs: readonly string[]): readonly Group[] {
  const matches = (name: string, slug: string) =>
    name.endsWith("/") ? slug.startsWith(name) : slug === name;
  const listed = groups.map((group) => ({
    ...group,
    pages: group.pages.flatMap((name) => slugs.filter((slug) => matches(name, slug))),
  }));
  const known = new Set(listed.flatMap(({ pages }) => pages));
  const others = slugs.filter((slug) => !known.has(slug));
  return others.length === 0 ? listed : [...listed, { label: "More", pages: others }];
}
