/**
 * Writes src/script/data-types.ts: the TypeScript type of the data of every tool, which `help()` of scripts shows. A test
 * checks that it is up to date. Run: node scripts/data-types.ts
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { API, type Checker, SignatureKind, type Type, TypeFlags } from "typescript/unstable/sync";

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
  const api = new API({ cwd: root });
  try {
    const project = api
      .updateSnapshot({ openProjects: [join(import.meta.dirname, "data-types.json")] })
      .getProjects()[0]!;
    const { checker, program } = project;
    const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(source)!)!);
    const tools = checker.getDeclaredTypeOfSymbol(exported.find(({ name }) => name === "CanonicalTools")!);
    return Object.fromEntries(
      checker.getPropertiesOfType(tools).map((tool) => {
        const data = checker.getPropertyOfType(checker.getTypeOfSymbol(tool)!, "data")!;
        return [tool.name, print(checker.getTypeOfSymbol(data)!, 0, checker)];
      }),
    );
  } finally {
    api.close();
  }
}

/** Prints a type without names of this repository, as deep as a program needs it. */
function print(type: Type, depth: number, checker: Checker): string {
  if (type.isUnionType()) {
    const parts = partsOf(type)
      .filter((part) => !(part.flags & TypeFlags.Undefined))
      .map((part) => print(part, depth, checker));
    return [...new Set(parts)].join(" | ").replace("false | true", "boolean");
  }
  if (!(type.flags & (TypeFlags.Object | TypeFlags.Intersection))) return checker.typeToString(type);
  if (depth > maxDepth || checker.getSignaturesOfType(type, SignatureKind.Call).length > 0) return "unknown";
  const [element, values] = [TypeFlags.Number, TypeFlags.String].map((key) =>
    indexedType(type, key, checker),
  );
  if (element !== undefined && checker.isArrayLikeType(type)) {
    const printed = print(element, depth, checker);
    return / [|] /.test(printed) ? `(${printed})[]` : `${printed}[]`;
  }
  if (values !== undefined) return `Record<string, ${print(values, depth + 1, checker)}>`;
  const fields = checker.getPropertiesOfType(type).map((field) => {
    const value = checker.getTypeOfSymbol(field)!;
    const isOptional = partsOf(value).some((part) => part.flags & TypeFlags.Undefined);
    return `${field.name}${isOptional ? "?" : ""}: ${print(value, depth + 1, checker)}`;
  });
  return fields.length === 0 || fields.length > maxFields ? "unknown" : `{ ${fields.join("; ")} }`;
}

/** The types of a union; none for another type. */
function partsOf(type: Type): readonly Type[] {
  return type.isUnionType() ? type.getTypes() : [];
}

/** The type of what is at an index of type string or number. */
function indexedType(type: Type, key: TypeFlags, checker: Checker): Type | undefined {
  return checker.getIndexInfosOfType(type).find(({ keyType }) => keyType.flags & key)?.valueType;
}
