import { describe, expect, it } from "vitest";
import { findLanguage } from "./find-language.ts";
import { languageOf, sharedExtensions } from "./language-of.ts";
import { languageNames, languages } from "./languages.ts";

describe("the table of languages", () => {
  it("names each language, alias, extension, file and interpreter once", () => {
    const twice = (words: readonly string[]) => words.filter((word, at) => words.indexOf(word) !== at);
    expect([
      twice(languages.flatMap(({ name, aliases }) => [name, ...aliases])),
      twice([...languages.flatMap(({ extensions }) => extensions), ...Object.keys(sharedExtensions)]),
      twice(languages.flatMap(({ files }) => files)),
      twice(languages.flatMap(({ interpreters }) => interpreters)),
    ]).toEqual([[], [], [], []]);
  });

  it("assigns shared extensions to known languages", () => {
    const named = Object.values(sharedExtensions).flatMap((claims) => claims.map(({ language }) => language));
    expect(named.filter((name) => name !== undefined && !languageNames.includes(name))).toEqual([]);
  });
});

describe("the language of a file", () => {
  it("is detected by its name", () => {
    const paths = {
      "src/main.rs": "rust",
      "a/b.test.tsx": "tsx",
      "types.d.ts": "typescript",
      "jquery.min.js": "javascript",
      "Main.JAVA": "java",
      "old.C": "cpp",
      "old.H": "cpp",
      "plot.R": "r",
      "solver.F90": "fortran",
      Dockerfile: "dockerfile",
      "deploy/Dockerfile.dev": "dockerfile",
      "CMakeLists.txt": "cmake",
      "src/Makefile.am": "make",
      Gemfile: "ruby",
      ".bashrc": "bash",
      ".gitignore": "gitignore",
      "home/.ssh/config": "ssh-config",
      "Cargo.lock": "toml",
      "app.component.html": "angular",
      "requirements-dev.txt": "requirements",
      "Notes.TXT": undefined,
      README: undefined,
      "archive.tar.gz": undefined,
      "pom.xml": "xml",
      "a.constructor": undefined,
      "a.__proto__": undefined,
      ts: undefined,
    };
    const found = Object.keys(paths).map((path) => [path, languageOf(path, "")]);
    expect(Object.fromEntries(found)).toEqual(paths);
  });

  it("is detected by its first line when the name is not enough", () => {
    const texts = {
      "#!/bin/sh\n": "bash",
      "#!/usr/bin/env python3\n": "python",
      "#!/usr/bin/env -S FOO=1 node --flag\n": "javascript",
      "#!/usr/local/bin/python3.11 -u\n": "python",
      "#! /usr/bin/perl -w\r\n": "perl",
      "#!/usr/bin/env deno run\n": "typescript",
      "// <vector> -*- C++ -*-\n": "cpp",
      "# -*- mode: ruby; tab-width: 2 -*-\n": "ruby",
      "#!/usr/bin/tclsh\n": undefined,
      "#!\n": undefined,
      "Just text\n#!/bin/sh\n": undefined,
      "": undefined,
    };
    const found = Object.keys(texts).map((text) => [text, languageOf("bin/run", text)]);
    expect(Object.fromEntries(found)).toEqual(texts);
  });

  it("is detected by its text when several languages share an extension", () => {
    const licence = "/*\n * Copyright\n */\n".repeat(100);
    expect([
      languageOf("a.h", "#include <stdio.h>\nstruct a { int b; };\n/* a class of things */\n"),
      languageOf("a.h", `${licence}namespace a {\n}\n`),
      languageOf("a.h", "#include <vector>\n"),
      languageOf("a.h", "#import <Foundation/Foundation.h>\n@interface A : NSObject\n@end\n"),
      languageOf("a.m", '#import "A.h"\n@implementation A\n@end\n'),
      languageOf("a.m", "function b = a(c)\n  b = c;\nend\n"),
      languageOf("a.pl", "use strict;\nmy $a = 1;\n"),
      languageOf("a.pl", ":- module(a, []).\na(X) :- b(X).\n"),
      languageOf("a.ts", "export const a = 1;\n"),
      languageOf("a.ts", '<?xml version="1.0"?>\n<!DOCTYPE TS>\n'),
      languageOf("a.d", "module a;\n"),
      languageOf("a.d", "build/a.o: src/a.c src/a.h\n"),
      languageOf("a.scm", "(define a 1)\n"),
      languageOf("queries/a.scm", "(identifier) @name\n"),
      languageOf("a.conf", "server {\n  listen 80;\n}\n"),
      languageOf("a.conf", "[a]\nb = 1\n"),
    ]).toEqual([
      "c",
      "cpp",
      "cpp",
      "objective-c",
      "objective-c",
      "matlab",
      "perl",
      undefined,
      "typescript",
      "xml",
      "d",
      "make",
      "scheme",
      "tree-sitter-query",
      "nginx",
      "ini",
    ]);
  });

  it("is decided quickly, however long the text", { tags: "slow" }, () => {
    for (const piece of ["a ", "\n", "a::", "((", "@a", "my", "\t["])
      for (const extension of Object.keys(sharedExtensions))
        languageOf(`a.${extension}`, piece.repeat(1_000_000));
  });
});

describe("a language name", () => {
  it("may be its name, an alias, a grammar or an extension", () => {
    const words = {
      rust: "rust",
      ts: "typescript",
      "C++": "cpp",
      "c#": "c-sharp",
      csharp: "c-sharp",
      golang: "go",
      shell: "bash",
      py: "python",
      ".kt": "kotlin",
      c_sharp: "c-sharp",
      "Objective C": "objective-c",
      d: "d",
      r: "r",
      tsx: "tsx",
    };
    const found = Object.keys(words).map((word) => [word, findLanguage(word).name]);
    expect(Object.fromEntries(found)).toEqual(words);
  });

  it("that is unknown gets the nearest suggestion, or the full list", () => {
    const refusal = (word: string) => {
      try {
        return findLanguage(word).name;
      } catch (error) {
        return error;
      }
    };
    expect([refusal("javascrpt"), refusal("brainfuck")]).toMatchObject([
      {
        code: "unsupported",
        message: 'There is no grammar for the language "javascrpt"',
        hint: 'Did you mean "javascript"?',
      },
      {
        code: "unsupported",
        message: 'There is no grammar for the language "brainfuck"',
        hint: `Use one of: ${languageNames.join(", ")}.`,
      },
    ]);
  });
});
