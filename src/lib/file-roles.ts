export const fileRoles = ["code", "test", "example", "documentation", "data", "generated"] as const;

export type FileRole = (typeof fileRoles)[number];

export function roleOf(path: string): number {
  return fileRoles.indexOf(roleNamed(path));
}

function roleNamed(path: string): FileRole {
  const [, folders, name] = /^(.*\/)?([^/]*)$/s.exec(path) as unknown as [string, string | undefined, string];
  const within = `/${folders ?? ""}`.toLowerCase();
  const lower = name.toLowerCase();
  if (generatedName.test(lower) || vendorFolder.test(within)) return "generated";
  if (testFolder.test(within) || testName.test(name)) return "test";
  if (dataName.test(lower)) return "data";
  if (documentationName.test(lower)) return "documentation";
  if (exampleFolder.test(within)) return "example";
  return documentationFolder.test(within) ? "documentation" : "code";
}

const testFolder =
  /\/(?:tests?|__tests?__|__mocks__|testing|testsuites?|testdata|test[-_][^/]*|[^/]*[-_]tests?|[^/]*tests|specs?|fixtures?|e2e|cypress)\//;
const testName =
  /(?:^|[_.-])(?:tests?|specs?)(?:[_.-]|\.[^.]+$)|^(?:test|spec|conftest)\.|(?:Tests?|TestCase|Spec|IT)\.(?:java|kt|cs|scala|groovy|swift|php|m|mm|cpp|h)$|^test[-_A-Z]/;
const exampleFolder = /\/(?:examples?|samples?|demos?|bench(?:es|marks?)?|tutorials?|playgrounds?)\//;
const documentationFolder = /\/(?:docs?|documentation|man|website|changelogs?)\//;
const documentationName =
  /\.(?:md|mdx|markdown|rst|txt|adoc|texi|tex|html?|xhtml|pod|[1-8]|po|pot|svg|sgml|docbook)$|^(?:readme|changelog|changes|history|news|license|licence|copying|authors|todo|install)(?:[._-]|$)/;
const dataName =
  /\.(?:json5?|jsonc|ya?ml|toml|ini|cfg|conf|xml|csv|tsv|lock|sum|properties|plist|env|in|am|ac|m4|spec|cmake|gradle|bazel|bzl|desktop|service|css|s[ac]ss|less|snap|patch|diff|ui|glade|qrc|ts\.xml|xlf|strings|dat|log|map)$|^(?:makefile|dockerfile|cmakelists\.txt|meson\.build|configure|gemfile|rakefile|\..*)$/;
const generatedName =
  /\.min\.[cm]?[jt]s$|\.min\.css$|\.pb\.(?:go|cc|h)$|_pb2(?:_grpc)?\.py$|\.(?:g|freezed|generated|designer)\.[a-z]+$|^(?:package-lock|npm-shrinkwrap)\.json$|-lock\.ya?ml$|\.d\.[cm]?ts$/;
const vendorFolder = /\/(?:node_modules|vendor|third[-_]?party|3rdparty|bower_components|dist|_?generated)\//;
