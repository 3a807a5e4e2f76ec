import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { grammarSources } from "../scripts/pack-grammars.ts";
import { pdfiumParts } from "../scripts/pack-pdfium.ts";
import { root, run } from "./stage.ts";

interface Component {
  readonly name: string;
  readonly group?: string;
  readonly "bom-ref": string;
}

interface Bill {
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

/**
 * Writes the list of components (CycloneDX): the packages that are installed with Toolcrib, and those whose code the
 * build contains. npm lists both, but it does not know which of the development packages are built in.
 */
export function writeComponents(output: string): void {
  const bill = (words: readonly string[]): Bill =>
    JSON.parse(run("npm", ["sbom", "--sbom-format=cyclonedx", ...words], root));
  const installed = new Set(bill(["--omit=dev"]).components.map((component) => component["bom-ref"]));
  const builtIn = builtInPackages();
  const all = bill([]);
  const components = all.components.filter(
    (component) => installed.has(component["bom-ref"]) || builtIn.has(fullName(component)),
  );
  const compiled = compiledComponents();
  const kept = new Set(components.map((component) => component["bom-ref"]));
  const missing = [...builtIn].filter(
    (name) => !components.some((component) => fullName(component) === name),
  );
  if (missing.length > 0) throw new Error(`npm does not list these built-in packages: ${missing.join(", ")}`);
  const dependencies = all.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((name) => kept.has(name)) }));
  writeFileSync(
    output,
    `${JSON.stringify({ ...all, components: [...components, ...compiled], dependencies }, undefined, 2)}\n`,
  );
}

interface CompiledComponent extends Component {
  readonly type: "library";
  readonly version?: string;
  readonly licenses: readonly [{ readonly expression: string }];
  readonly externalReferences?: readonly { readonly type: "distribution"; readonly url: string }[];
}

/** What is compiled into the WebAssembly of the build, which npm does not know: grammars, and the parts of PDFium. */
export function compiledComponents(): readonly CompiledComponent[] {
  const grammars = grammarSources.map(({ package: name, version, licence, source }) => ({
    type: "library" as const,
    "bom-ref": `grammar:${name}@${version}`,
    name,
    version,
    licenses: [{ expression: licence }] as const,
    externalReferences: [{ type: "distribution" as const, url: source }],
  }));
  const parts = pdfiumParts.map(({ name, licence }) => ({
    type: "library" as const,
    "bom-ref": `pdfium:${name}`,
    name,
    licenses: [{ expression: licence }] as const,
  }));
  return [...grammars, ...parts];
}

function fullName({ group, name }: Component): string {
  return group === undefined || name.startsWith("@") ? name : `${group}/${name}`;
}

/** Returns the packages that `dist/THIRD-PARTY-LICENSES` names: each text follows the names of its packages. */
function builtInPackages(): ReadonlySet<string> {
  const text = readFileSync(join(root, "dist/THIRD-PARTY-LICENSES"), "utf8");
  const [, ...licences] = text.split(/\n-{100}\n/);
  return new Set(licences.flatMap((licence) => licence.trim().split("\n\n")[0]!.split("\n")));
}
