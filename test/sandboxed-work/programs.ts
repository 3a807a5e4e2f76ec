/** One program, and a line that shows that it works. The line prints the same wherever it runs. */
export interface Program {
  /** What has to be on the PATH. */
  readonly needs: readonly string[];
  /** A command that fails where a part of the program is missing. */
  readonly check?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly line: string;
  readonly prints: string;
}

const cMain = '#include <stdio.h>\nint main(void) { return puts("built") < 0; }\n';

const npmPackage = {
  "package.json": JSON.stringify({
    name: "demo",
    version: "1.0.0",
    private: true,
    dependencies: { lib: "file:./lib" },
    scripts: { hello: "says-so" },
  }),
  "lib/package.json": JSON.stringify({ name: "lib", version: "1.0.0", bin: { "says-so": "run.js" } }),
  "lib/run.js": '#!/usr/bin/env node\nconsole.log("hello");\n',
};

const typed = { "a.ts": 'const text: string = "typed";\nconsole.log(text);\n' };

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>g</groupId><artifactId>a</artifactId><version>1</version><packaging>pom</packaging></project>`;

export const programs: Readonly<Record<string, Program>> = {
  npm: {
    needs: ["npm"],
    files: npmPackage,
    line: "chmod +x lib/run.js; npm install -s --offline --no-audit --no-fund && npm run -s hello && npx --no-install says-so",
    prints: "hello\nhello\n",
  },
  "npm install -g": {
    needs: ["npm"],
    files: npmPackage,
    line: "chmod +x lib/run.js; npm install -gs --offline --no-audit --no-fund ./lib && says-so && npm uninstall -gs lib",
    prints: "hello\n",
  },
  "npm link": {
    needs: ["npm"],
    files: npmPackage,
    line: "chmod +x lib/run.js; (cd lib && npm link -s --offline) && npm link -s --offline lib && says-so && npx --no-install says-so",
    prints: "hello\nhello\n",
  },
  pnpm: {
    needs: ["pnpm"],
    files: npmPackage,
    line: "chmod +x lib/run.js; pnpm install --offline --silent && pnpm -s run hello && pnpm -s exec says-so",
    prints: "hello\nhello\n",
  },
  yarn: {
    needs: ["yarn"],
    files: npmPackage,
    line: "chmod +x lib/run.js; yarn install -s --offline --non-interactive && yarn -s run hello",
    prints: "hello\n",
  },
  tsx: { needs: ["tsx"], files: typed, line: "tsx a.ts", prints: "typed\n" },
  bun: {
    needs: ["bun"],
    files: {
      ...typed,
      "a.test.ts": 'import { expect, test } from "bun:test";\ntest("adds", () => expect(1 + 1).toBe(2));\n',
    },
    line: "bun a.ts && bun test 2>&1 | grep -o '1 pass' && bun build --compile a.ts --outfile a > built && ./a",
    prints: "typed\n1 pass\ntyped\n",
  },
  deno: {
    needs: ["deno"],
    files: { ...typed, "a_test.ts": 'Deno.test("adds", () => {});\n' },
    line: "deno run a.ts && NO_COLOR=1 deno test 2>&1 | grep -o '1 passed' && deno eval 'console.log(Deno.cwd() === new URL(import.meta.url).pathname)'",
    prints: "typed\n1 passed\nfalse\n",
  },
  pip: {
    needs: ["python3"],
    check: "python3 -m pip --version",
    files: {
      "wheel.py": [
        "import zipfile",
        "with zipfile.ZipFile('tiny-1-py3-none-any.whl', 'w') as wheel:",
        "    wheel.writestr('tiny.py', 'print(1)')",
        "    about = 'tiny-1.dist-info/'",
        "    wheel.writestr(about + 'METADATA', 'Metadata-Version: 2.1\\nName: tiny\\nVersion: 1\\n')",
        "    wheel.writestr(about + 'WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')",
        "    wheel.writestr(about + 'RECORD', '')",
      ].join("\n"),
    },
    line: "python3 wheel.py && python3 -m pip install -q --root-user-action=ignore --no-index --target site ./*.whl && PYTHONPATH=site python3 -m tiny",
    prints: "1\n",
  },
  venv: {
    needs: ["python3"],
    check: "python3 -m ensurepip --version",
    line: "python3 -m venv x && x/bin/pip --version | cut -d' ' -f1 && . x/bin/activate && python -c 'import sys; print(sys.prefix != sys.base_prefix)'",
    prints: "pip\nTrue\n",
  },
  cargo: {
    needs: ["cargo", "cc"],
    line: "cargo new -q hello && cd hello && cargo build -q --offline && ./target/debug/hello && cargo test -q --offline 2>&1 | grep -o '0 failed'",
    prints: "Hello, world!\n0 failed\n",
  },
  go: {
    needs: ["go"],
    files: {
      "go.mod": "module example.com/hello\n\ngo 1.19\n",
      "main.go": 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("gone") }\n',
      "main_test.go": 'package main\n\nimport "testing"\n\nfunc TestNothing(t *testing.T) {}\n',
    },
    line: 'go build -o hello . && ./hello && go vet . && go test . | cut -f1 && go install . && "$(go env GOBIN)/hello"',
    prints: "gone\nok  \ngone\n",
  },
  "java with maven": {
    needs: ["mvn", "javac"],
    files: {
      "pom.xml": pom,
      "A.java": 'public class A { public static void main(String[] a) { System.out.println("java"); } }',
    },
    line: "mvn -o -B -v 2>&1 | grep -o 'Apache Maven' && mvn -o -B -Dmaven.repo.local=repository validate 2>&1 | grep -o 'BUILD SUCCESS' && javac A.java && java A",
    prints: "Apache Maven\nBUILD SUCCESS\njava\n",
  },
  ruby: {
    needs: ["ruby"],
    files: { "a.rb": 'require "json"\nputs JSON.generate([1, `echo two`.chomp])\n' },
    line: "ruby a.rb && ruby -e 'puts Dir.home == ENV[\"HOME\"]'",
    prints: '[1,"two"]\ntrue\n',
  },
  php: {
    needs: ["php"],
    files: { "a.php": "<?php echo json_encode([1, trim(`echo two`)]), PHP_EOL;" },
    line: "php a.php",
    prints: '[1,"two"]\n',
  },
  "playwright with Chromium": {
    needs: ["playwright-core", "chromium"],
    files: {
      "browse.cjs": `require("playwright-core").chromium
  .launch({ executablePath: process.argv[2], args: ["--no-sandbox", "--disable-gpu"] })
  .then(async (browser) => {
    const page = await browser.newPage();
    await page.setContent("<h1>shown</h1>");
    console.log(await page.textContent("h1"));
    await browser.close();
  });`,
    },
    line: 'node browse.cjs "$(command -v chromium)"',
    prints: "shown\n",
  },
  gcc: {
    needs: ["gcc"],
    files: { "a.c": cMain },
    line: "gcc -O2 -g a.c -o a && ./a",
    prints: "built\n",
  },
  "gcc with AddressSanitizer": {
    needs: ["gcc"],
    check: "echo 'int main(void) { return 0; }' | gcc -xc -fsanitize=address - -o /dev/null",
    files: {
      "a.c": cMain,
      "b.c": "#include <stdlib.h>\nint main(void) { char *a = malloc(4); free(a); return a[1]; }\n",
    },
    line: "gcc -fsanitize=address a.c -o a && ./a && gcc -w -fsanitize=address b.c -o b && ./b 2>&1 | grep -o 'heap-use-after-free on'",
    prints: "built\nheap-use-after-free on\n",
  },
  cmake: {
    needs: ["cmake", "cc", "make"],
    files: {
      "CMakeLists.txt":
        "cmake_minimum_required(VERSION 3.10)\nproject(hello C)\nadd_executable(hello a.c)\nenable_testing()\nadd_test(runs hello)\n",
      "a.c": cMain,
    },
    line: "cmake -B build > made && cmake --build build >> made && build/hello && ctest --test-dir build | grep -o '100% tests passed'",
    prints: "built\n100% tests passed\n",
  },
  make: {
    needs: ["make", "cc"],
    files: { "a.c": cMain, Makefile: "all: one two\none two: a.c\n\t@$(CC) -o $@ a.c\n" },
    line: "make -s -j4 && ./one && ./two",
    prints: "built\nbuilt\n",
  },
};
