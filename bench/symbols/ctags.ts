import { spawnSync } from "node:child_process";
import type { MeasuredLanguage } from "./corpus.ts";

export interface Tag {
  readonly path: string;
  readonly name: string;
  readonly line: number;
  /** The kind as ctags names it. */
  readonly kind: string;
}

/** The functions, methods and types that universal-ctags finds. */
export function tagsOf(language: MeasuredLanguage, files: readonly string[]): readonly Tag[] {
  const { name, kinds } = languages[language];
  const options = ["--options=NONE", "-f", "-", "--output-format=json", "--fields=NFnK", "--sort=no"];
  const { stdout, error } = spawnSync(
    "ctags",
    [...options, `--language-force=${name}`, `--kinds-${name}=${kinds}`, "-L", "-"],
    { input: files.join("\n"), maxBuffer: 1 << 30, encoding: "utf8" },
  );
  if (error) throw new Error("The comparison needs universal-ctags with JSON output", { cause: error });
  return stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Tag);
}

/**
 * The requested kinds, in the letters of ctags: functions, methods, classes, structs, enums, traits, interfaces,
 * impls, type aliases.
 */
const languages: Readonly<Record<MeasuredLanguage, { readonly name: string; readonly kinds: string }>> = {
  rust: { name: "Rust", kinds: "sicfgtP" },
  typescript: { name: "TypeScript", kinds: "fcigmGa" },
  python: { name: "Python", kinds: "cfm" },
  go: { name: "Go", kinds: "ftsina" },
  java: { name: "Java", kinds: "acgim" },
  c: { name: "C", kinds: "fgstu" },
  cpp: { name: "C++", kinds: "cfgstu" },
};
