/**
 * Writes src/script/data-types.ts: the TypeScript type of the data of every tool, which `help()` of scripts shows. A test
 * checks that it is up to date. Run: node scripts/data-types.ts
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript-5";

const maxDepth = 3;
const maxFields = 40;

const root = join(import.meta.dirname, "..");

if (import.meta.main) {
  const lines = Object.entries(readDataTypes()).map(
    ([name, type]) => `  ${JSON.stringify(name)}: ${JSON.stringify(type)},\n`,
  );
  writeFileSync(
    join(root, "src/script/data-types.ts"),
    `/** The types of the data of tools, for programs. Written by scripts/data-types.ts. */
export const dataTypes: Readonly<Record<string, string>> = {
${lines.join("")}};
`,
  );
}

/** Returns the types by the names of the tools, from the source code. */
export function readDataTypes(): Readonly<Record<string, string>> {
  const source = join(root, "src/dialects/rename.ts");
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ESNext,
    lib: ["lib.esnext.d.ts"],
    // The data of tools is JSON, without types of Node, which take longer to read than all others.
    types: [],
  };
  const host = ts.createCompilerHost(options);
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseNone;
  const program = ts.createProgram([source], options, host);
  const checker = program.getTypeChecker();
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(source)!)!);
  const tools = checker.getDeclaredTypeOfSymbol(exported.find(({ name }) => name === "CanonicalTools")!);
  return Object.fromEntries(
    tools.getProperties().map((tool) => {
      const data = checker.getTypeOfSymbol(tool).getProperty("data")!;
      return [tool.name, print(checker.getTypeOfSymbol(data), 0, checker)];
    }),
  );
}

/** Prints a type without names of this repository, as deep as a program needs it. */
function print(type: ts.Type, depth: number, checker: ts.TypeChecker): string {
  if (type.isUnion()) {
    const parts = type.types
      .filter((part) => !(part.flags & ts.TypeFlags.Undefined))
      .map((part) => print(part, depth, checker));
    return [...new Set(parts)].join(" | ").replace("false | true", "boolean");
  }
  if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return checker.typeToString(type);
  if (depth > maxDepth || type.getCallSignatures().length > 0) return "unknown";
  const element = checker.isArrayLikeType(type)
    ? checker.getIndexTypeOfType(type, ts.IndexKind.Number)
    : undefined;
  if (element !== undefined) {
    const printed = print(element, depth, checker);
    return / [|] /.test(printed) ? `(${printed})[]` : `${printed}[]`;
  }
  const values = checker.getIndexTypeOfType(type, ts.IndexKind.String);
  if (values !== undefined) return `Record<string, ${print(values, depth + 1, checker)}>`;
  const fields = type.getProperties().map((field) => {
    const value = checker.getTypeOfSymbol(field);
    const isOptional = value.isUnion() && value.types.some((part) => part.flags & ts.TypeFlags.Undefined);
    return `${field.name}${isOptional ? "?" : ""}: ${print(value, depth + 1, checker)}`;
  });
  return fields.length === 0 || fields.length > maxFields ? "unknown" : `{ ${fields.join("; ")} }`;
}
