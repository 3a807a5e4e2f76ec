import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { compiledComponents, writeComponents } from "../packaging/components.ts";
import { grammarSources } from "../scripts/pack-grammars.ts";
import { pdfiumParts } from "../scripts/pack-pdfium.ts";
import { builtProgram } from "./support/built-program.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const dist = dirname(builtProgram);
const notice = (folder: string) => readFileSync(join(dist, folder, "NOTICE.md"), "utf8");

describe("the licences of what is compiled into dist", () => {
  it("name every grammar of dist once, and nothing else", () => {
    const files = readdirSync(join(dist, "grammars")).flatMap(
      (name) => /^(.+)\.wasm\.zst$/.exec(name)?.[1] ?? [],
    );
    const named = grammarSources.flatMap(({ grammars }) => grammars);
    expect([...named, "web-tree-sitter"].sort()).toEqual(files.sort());
  });

  it("are in the notices, with the version of each grammar and the text of each licence", () => {
    const grammars = notice("grammars");
    const entries = grammarSources.map(
      ({ package: name, version, licence, source }) => `- ${name} ${version} (${licence}): ${source}`,
    );
    expect(entries.filter((entry) => !grammars.includes(entry))).toEqual([]);
    expect(
      grammarSources.filter(({ version }) => !/^(?:\d+\.\d+\.\d+(?:-\d+)?|[0-9a-f]{40})$/.test(version)),
    ).toEqual([]);
    for (const text of [
      "Mozilla Public License Version 2.0",
      "Apache License",
      "Permission is hereby granted",
    ])
      expect(grammars).toContain(text);
    const pdfium = notice("pdfium");
    expect(pdfiumParts.filter(({ text }) => !pdfium.includes(text))).toEqual([]);
    expect(pdfiumParts.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["PDFium", "FreeType", "OpenJPEG", "libjpeg-turbo", "ICU"]),
    );
  });

  it("are in the list of components", () => {
    const components = compiledComponents().map(({ name, version, licenses }) => [
      name,
      version,
      licenses[0].expression,
    ]);
    expect(components).toEqual([
      ...grammarSources.map((each) => [each.package, each.version, each.licence]),
      ...pdfiumParts.map(({ name, licence }) => [name, undefined, licence]),
    ]);
  });

  it("are in the released list of components, with every package of the licences and of an installation", {
    tags: "slow",
  }, async () => {
    await using folder = temporaryFolder();
    const file = join(folder.path, "components.cdx.json");
    writeComponents(file);
    const { components } = JSON.parse(readFileSync(file, "utf8"));
    expect(components).toEqual(expect.arrayContaining([...compiledComponents()]));
    const listed: readonly string[] = components.map(({ name }: { name: string }) => name);
    const licences = readFileSync(join(dist, "THIRD-PARTY-LICENSES"), "utf8")
      .split(/\n-{100}\n/)
      .slice(1);
    const packages = licences.flatMap((licence) => licence.trim().split("\n\n")[0]!.split("\n"));
    const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8"));
    expect([...packages, ...Object.keys(dependencies)].filter((name) => !listed.includes(name))).toEqual([]);
    expect(packages.length).toBeGreaterThan(10);
    expect(listed).not.toContain("vitest");
  });
});
